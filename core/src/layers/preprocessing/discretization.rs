//! `Discretization`: numbers as the bins between boundaries that are told, or taken from data.
//! Keras's `Discretization`; models of tables begin with it.

use super::CategoryMode;
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use engine::library::{cast_to, options, reshape_to};
use engine::{AsTensor, Copies, Duplicate, Fields, Module, Side, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::Shape;
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

/// The bin of each number: 0 below the first boundary, and one more from each boundary on.
///
/// Boundaries are told, or [`adapt`](Self::adapt) finds those of bins that have equally many of the data's numbers. Bins are `int32`
/// unless [`output_mode`](Self::output_mode) writes them as rows.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Discretization;
/// let told = Discretization::new([0.0, 1.0, 2.0]);
/// assert_eq!(told.call(tf::constant([[-1.5, 1.0, 3.4, 0.5]])).to_vec::<i32>(), [0, 2, 3, 1]);
/// let halves = Discretization::of_bins(2);
/// halves.adapt(tf::constant([1.0, 2.0, 3.0, 4.0]));
/// assert_eq!(halves.call(tf::constant([1.0, 4.0])).to_vec::<i32>(), [0, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct Discretization {
    core: Core,
    num_bins: Option<usize>,
    epsilon: f64,
    output_mode: Option<CategoryMode>,
    /// Clones share what `adapt` has found.
    boundaries: Arc<Mutex<Option<Vec<f64>>>>,
}

layer!(Discretization);

options::options! { Discretization:
    /// How finely the data is looked at by [`adapt`](Self::adapt): a share of all numbers, above 0 and below 1; 0.01 unless set.
    pub fn epsilon, try_epsilon(this, epsilon: f64) {
        if !(epsilon > 0.0 && epsilon < 1.0) {
            return Err(Error::invalid_argument("Discretization", "`epsilon` is out of range")
                .got(epsilon)
                .expected("a number above 0 and below 1"));
        }
        this.epsilon = epsilon;
        Ok(this)
    }
}

impl Discretization {
    /// Bins between boundaries, in ascending order: Keras's option `bin_boundaries`.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(bin_boundaries: impl Into<Vec<f64>>) -> Self {
        Self::try_new(bin_boundaries).or_fail()
    }

    /// Bins between boundaries, which may be in another order.
    ///
    /// # Errors
    /// InvalidArgument for no boundaries, or such that do not ascend.
    #[track_caller]
    pub fn try_new(bin_boundaries: impl Into<Vec<f64>>) -> Result<Self> {
        let here = Location::caller();
        let boundaries = bin_boundaries.into();
        if boundaries.is_empty() || !boundaries.is_sorted() {
            return Err(Error::invalid_argument("Discretization", "the boundaries do not ascend")
                .got(format!("{boundaries:?}"))
                .expected("at least one number, in ascending order")
                .at(here));
        }
        Ok(Self::of(None, Some(boundaries)))
    }

    /// So many bins, whose boundaries [`adapt`](Self::adapt) finds: Keras's option `num_bins`.
    ///
    /// # Panics
    /// For no bins, at the caller's line.
    #[track_caller]
    pub fn of_bins(num_bins: usize) -> Self {
        let here = Location::caller();
        let num_bins = options::count("Discretization", "num_bins", num_bins).map_err(|e| e.at(here)).or_fail();
        Self::of(Some(num_bins), None)
    }

    fn of(num_bins: Option<usize>, boundaries: Option<Vec<f64>>) -> Self {
        let boundaries = Arc::new(Mutex::new(boundaries));
        Self { core: Core::new("discretization"), num_bins, epsilon: 0.01, output_mode: None, boundaries }
    }

    /// How bins are written, in place of their numbers.
    #[must_use]
    pub fn output_mode(mut self, output_mode: CategoryMode) -> Self {
        self.output_mode = Some(output_mode);
        self
    }

    /// The boundaries, once they are known.
    pub fn bin_boundaries(&self) -> Option<Vec<f64>> {
        self.boundaries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Finds boundaries of bins that have equally many of the numbers of a tensor. What was seen before is forgotten.
    ///
    /// # Panics
    /// As [`try_adapt`](Self::try_adapt) fails, at the caller's line.
    #[track_caller]
    pub fn adapt(&self, data: impl AsTensor) {
        self.try_adapt(data).or_fail();
    }

    /// Finds boundaries.
    ///
    /// # Errors
    /// FailedPrecondition where boundaries are told, InvalidArgument for no data.
    #[track_caller]
    pub fn try_adapt(&self, data: impl AsTensor) -> Result<()> {
        let data = (*data.as_tensor()).clone();
        self.try_adapt_batches([data])
    }

    /// Finds boundaries from batches, such as those of a data set, of which only a summary is kept.
    ///
    /// # Panics
    /// As [`try_adapt`](Self::try_adapt) fails, at the caller's line.
    #[track_caller]
    pub fn adapt_batches(&self, batches: impl IntoIterator<Item = Tensor>) {
        self.try_adapt_batches(batches).or_fail();
    }

    /// Finds boundaries from batches.
    ///
    /// # Errors
    /// As [`try_adapt`](Self::try_adapt).
    #[track_caller]
    pub fn try_adapt_batches(&self, batches: impl IntoIterator<Item = Tensor>) -> Result<()> {
        let here = Location::caller();
        let Some(bins) = self.num_bins else {
            let what = "the boundaries are told, so nothing is adapted";
            return Err(Error::failed_precondition(self.core.name(), what)
                .help("make the layer with `of_bins`")
                .at(here));
        };
        let mut summary: Vec<(f64, f64)> = Vec::new();
        for batch in batches {
            let mut values = cast_to(&batch, DType::F64)?.to_vec::<f64>();
            values.sort_by(f64::total_cmp);
            summary.extend(summarized(&values, self.epsilon));
            summary.sort_by(|a, b| a.0.total_cmp(&b.0));
            summary = compressed(summary, self.epsilon);
        }
        if summary.is_empty() {
            return Err(Error::invalid_argument(self.core.name(), "there is no data to adapt to")
                .got("no numbers")
                .at(here));
        }
        let mut found = compressed(summary, 1.0 / bins as f64);
        found.pop();
        let found = found.into_iter().map(|(value, _)| value).collect();
        *self.boundaries.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        Ok(())
    }
}

/// Numbers at equal distances in the order of all, with how many each stands for.
fn summarized(values: &[f64], epsilon: f64) -> Vec<(f64, f64)> {
    let step = (values.len() as f64 * epsilon).max(1.0);
    values.iter().skip((step - 1.0) as usize).step_by(step as usize).map(|&value| (value, step)).collect()
}

/// As many pairs as shares of `epsilon` make a whole, between which values and weights are taken in proportion.
fn compressed(summary: Vec<(f64, f64)>, epsilon: f64) -> Vec<(f64, f64)> {
    if (summary.len() as f64) * epsilon < 1.0 {
        return summary;
    }
    let mut sum = 0.0;
    let sums: Vec<f64> = summary
        .iter()
        .map(|&(_, weight)| {
            sum += weight;
            sum
        })
        .collect();
    let count = (1.0 / epsilon - 1e-9).ceil() as usize;
    let mut at = 0;
    let mut before = 0.0;
    (0..count)
        .map(|step| {
            let share = (epsilon * (step + 1) as f64) * sum;
            while at + 1 < sums.len() && sums[at + 1] < share {
                at += 1;
            }
            let (value, weight) = match (share <= sums[0], at + 1 < sums.len() && share < sum) {
                (true, _) => (summary[0].0, sums[0]),
                (false, false) => (summary[summary.len() - 1].0, sum),
                (false, true) => {
                    let part = (share - sums[at]) / (sums[at + 1] - sums[at]);
                    (summary[at].0 + part * (summary[at + 1].0 - summary[at].0), share)
                }
            };
            let own = weight - before;
            before = weight;
            (value, own)
        })
        .collect()
}

impl Layer for Discretization {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let Some(boundaries) = self.bin_boundaries() else {
            return Err(Error::failed_precondition(self.core.name(), "the boundaries of the bins are not known yet")
                .help("call `adapt` with data first, or make the layer with boundaries"));
        };
        let x = cast_to(&inputs[0], self.core.compute())?;
        let depth = boundaries.len() + 1;
        let sorted = cast_to(&Tensor::from(boundaries), x.dtype())?;
        let flat = reshape_to(&x, &Shape::from_dims(&[x.shape().element_count()])?)?;
        let bins = engine::try_searchsorted(&sorted, &flat, Side::Right)?;
        let bins = reshape_to(&bins, x.shape())?;
        match self.output_mode {
            None => Ok(Outputs::one(bins)),
            Some(mode) => mode.encode(&bins, depth, self.core.compute(), None).map(Outputs::one),
        }
    }
}

impl Module for Discretization {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        let bits: Option<Vec<u64>> =
            self.bin_boundaries().map(|list| list.iter().map(|value| value.to_bits()).collect());
        fields.value(&(self.num_bins, self.output_mode, bits));
    }
}

impl Duplicate for Discretization {
    fn duplicate_in(&self, _: &mut Copies) -> Self {
        Self { boundaries: Arc::new(Mutex::new(self.bin_boundaries())), ..self.clone() }
    }
}
