//! Windows over a series as a data set: Keras's `timeseries_dataset_from_array`, without and with targets.
//! Models that look back some steps are trained with it.

use super::Dataset;
use crate::builder;
use crate::data::form::{DatasetElement, Form};
use crate::data::pipeline::Pipeline;
use crate::data::stage::Stage;
use crate::data::steps::rows::InOrder;
use crate::data::steps::shuffle::Shuffle;
use crate::data::steps::timeseries::TimeWindows;
use crate::ops::AsTensor;
use crate::options;
use crate::tensor::Tensor;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::sync::Arc;

const STEP: &str = "timeseries_dataset_from_array";

/// How windows lie over a series: Keras's arguments, with its defaults.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{Timeseries, timeseries_dataset_from_array};
/// let windows = timeseries_dataset_from_array(tf::range(0, 10, 1), 3, Timeseries::new().sampling_rate(2).batch_size(None));
/// let lists: Vec<Vec<i32>> = windows.iter().map(|window| window.to_vec()).collect();
/// assert_eq!(lists[..2], [[0, 2, 4], [1, 3, 5]]);
/// assert_eq!(lists.len(), 6);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Timeseries {
    stride: usize,
    rate: usize,
    batch: Option<usize>,
    shuffle: bool,
    seed: Option<i64>,
    start: usize,
    end: Option<usize>,
}

impl Default for Timeseries {
    fn default() -> Self {
        Self::new()
    }
}

impl Timeseries {
    /// Windows that begin at each row, of rows that follow each other, in batches of 128, in order.
    pub fn new() -> Self {
        Self { stride: 1, rate: 1, batch: Some(128), shuffle: false, seed: None, start: 0, end: None }
    }

    /// How many windows a batch has; `None` for windows one by one.
    ///
    /// # Panics
    /// For batches of no windows, at the caller's line.
    #[must_use]
    #[track_caller]
    pub fn batch_size(mut self, size: impl Into<Option<usize>>) -> Self {
        self.batch = size.into().map(|size| options::count(STEP, "batch_size", size).or_fail());
        self
    }

    /// Whether each pass has an order of its own.
    #[must_use]
    pub fn shuffle(mut self, shuffle: bool) -> Self {
        self.shuffle = shuffle;
        self
    }

    /// What the order follows from; without it the seed that `tf::random::set_seed` sets.
    #[must_use]
    pub fn seed(mut self, seed: i64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The first row that is used.
    #[must_use]
    pub fn start_index(mut self, start: usize) -> Self {
        self.start = start;
        self
    }

    /// The row before which the last window ends.
    #[must_use]
    pub fn end_index(mut self, end: usize) -> Self {
        self.end = Some(end);
        self
    }
}

options::options! { Timeseries:
    /// Rows from the begin of one window to that of the next.
    pub fn sequence_stride, try_sequence_stride(this, stride: usize) {
        this.stride = options::count(STEP, "sequence_stride", stride)?;
        Ok(this)
    }

    /// Rows from one row of a window to the next.
    pub fn sampling_rate, try_sampling_rate(this, rate: usize) {
        this.rate = options::count(STEP, "sampling_rate", rate)?;
        Ok(this)
    }
}

/// Windows of `sequence_length` rows over a series, whose first axis is time: Keras's `timeseries_dataset_from_array`.
///
/// # Panics
/// As [`try_timeseries_dataset_from_array`] fails, at the caller's line.
#[track_caller]
pub fn timeseries_dataset_from_array(data: impl AsTensor, sequence_length: usize, how: Timeseries) -> Dataset {
    try_timeseries_dataset_from_array(data, sequence_length, how).or_fail()
}

/// Windows over a series.
///
/// # Errors
/// InvalidArgument for a scalar, windows of no rows, and options that leave no window.
#[track_caller]
pub fn try_timeseries_dataset_from_array(
    data: impl AsTensor,
    sequence_length: usize,
    how: Timeseries,
) -> Result<Dataset> {
    let here = Location::caller();
    windows(&data.as_tensor(), None, sequence_length, how, Form::open()).map_err(|e| e.at(here))
}

/// Windows over a series, each with the row of `targets` of the same number as its first row: Keras's
/// `timeseries_dataset_from_array` with `targets`.
///
/// To forecast, hand in targets that begin so many rows later as the forecast looks ahead.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{Timeseries, timeseries_dataset_with_targets};
/// let series = tf::range(0, 6, 1);
/// // Three rows, and the one behind them.
/// let pairs = timeseries_dataset_with_targets(&series, series.at(tf::s![3..]), 3, Timeseries::new().batch_size(2));
/// let (windows, next) = pairs.iter().next().unwrap();
/// assert_eq!((windows.to_vec::<i32>(), next.to_vec::<i32>()), (vec![0, 1, 2, 1, 2, 3], vec![3, 4]));
/// ```
///
/// # Panics
/// As [`try_timeseries_dataset_with_targets`] fails, at the caller's line.
#[track_caller]
pub fn timeseries_dataset_with_targets(
    data: impl AsTensor,
    targets: impl AsTensor,
    sequence_length: usize,
    how: Timeseries,
) -> Dataset<(Tensor, Tensor)> {
    try_timeseries_dataset_with_targets(data, targets, sequence_length, how).or_fail()
}

/// Windows with targets.
///
/// # Errors
/// As [`try_timeseries_dataset_from_array`].
#[track_caller]
pub fn try_timeseries_dataset_with_targets(
    data: impl AsTensor,
    targets: impl AsTensor,
    sequence_length: usize,
    how: Timeseries,
) -> Result<Dataset<(Tensor, Tensor)>> {
    let here = Location::caller();
    let targets = (*targets.as_tensor()).clone();
    windows(&data.as_tensor(), Some(targets), sequence_length, how, Form::open()).map_err(|e| e.at(here))
}

/// How many rows a tensor has.
fn rows_of(what: &str, x: &Tensor) -> Result<usize> {
    x.concrete(STEP)?;
    x.shape().dims().first().copied().ok_or_else(|| {
        Error::invalid_argument(STEP, format!("{what} are a scalar, which has no rows")).expected("at least one axis")
    })
}

#[track_caller]
fn windows<S: DatasetElement>(
    data: &Tensor,
    targets: Option<Tensor>,
    length: usize,
    how: Timeseries,
    form: Form<S>,
) -> Result<Dataset<S>> {
    if builder::current().is_some() {
        return Err(Error::failed_precondition(STEP, "a traced function makes no windows over its values")
            .help("make the data set outside, and iterate over it in the function"));
    }
    options::count(STEP, "sequence_length", length)?;
    let rows = rows_of("the data", data)?;
    let end = how.end.unwrap_or(rows);
    if end > rows || how.start >= end {
        return Err(Error::invalid_argument(STEP, "`start_index` and `end_index` are no part of the rows")
            .got(format!("{} to {end}", how.start))
            .expected(format!("a part of 0 to {rows}")));
    }
    let span = (length - 1).saturating_mul(how.rate).saturating_add(1);
    let mut begins = (end - how.start).saturating_sub(span - 1);
    if let Some(targets) = &targets {
        begins = begins.min(rows_of("the targets", targets)?.saturating_sub(how.start));
    }
    if begins == 0 {
        return Err(Error::invalid_argument(STEP, "there is no window")
            .got(format!("windows over {span} rows, of rows {} to {end}", how.start))
            .expected("at least one window, and a target for it")
            .help("make windows shorter, or `sampling_rate` smaller"));
    }
    let count = begins.div_ceil(how.stride);
    let data = data.to_dense()?;
    let windows = TimeWindows { data, targets, count, start: how.start, stride: how.stride, length, rate: how.rate };
    let stages: Arc<dyn Stage> = Arc::new(InOrder(Arc::new(windows)));
    let mut set = Dataset::made(Pipeline { stages }.into_handle(), None, form);
    if how.shuffle {
        let order = Shuffle::whole();
        set = set.try_shuffle(how.seed.map_or(order, |seed| order.seed(seed)))?;
    }
    match how.batch {
        Some(size) => set.try_batch(size, false),
        None => Ok(set),
    }
}
