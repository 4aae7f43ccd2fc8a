//! Steps that put elements together or cut them up: `batch`, `padded_batch`, `unbatch`, `rebatch` and `window`.
//! Each is a method of the data set.

use super::Dataset;
use crate::data::form::{DatasetElement, Form};
use crate::data::steps::batch::{Batch, batched};
use crate::data::steps::padded::{self, Padding, padded};
use crate::data::steps::unbatch::{Rebatch, Unbatch, unbatched};
use crate::data::steps::window::Window;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::sync::Arc;

/// How `padded_batch` fills elements up; a plain number is the size of the batches.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{Dataset, PaddedBatch};
/// let lists = Dataset::range(3).map(|n| tf::ones([n.item::<i64>() as usize]));
/// let how = PaddedBatch::new(2).padded_shapes([vec![Some(4)]]).padding_values([tf::constant(-1.0)]);
/// let first = lists.padded_batch(how).iter().next().unwrap();
/// assert_eq!(first.to_vec::<f32>(), [-1.0, -1.0, -1.0, -1.0, 1.0, -1.0, -1.0, -1.0]);
/// ```
#[derive(Clone)]
pub struct PaddedBatch {
    size: usize,
    exact: bool,
    padding: Padding,
}

impl PaddedBatch {
    /// Batches of so many elements, each filled up with zeros or empty strings to the greatest sizes among them.
    pub fn new(batch_size: usize) -> Self {
        Self { size: batch_size, exact: false, padding: Padding { shapes: None, values: None } }
    }

    /// The sizes to fill up to, for each tensor of an element in order; `None` is the greatest of the batch.
    #[must_use]
    pub fn padded_shapes(mut self, shapes: impl IntoIterator<Item = Vec<Option<usize>>>) -> Self {
        self.padding.shapes = Some(shapes.into_iter().collect());
        self
    }

    /// What is filled in, a scalar for each tensor of an element in order.
    #[must_use]
    pub fn padding_values(mut self, values: impl IntoIterator<Item = Tensor>) -> Self {
        self.padding.values = Some(values.into_iter().collect());
        self
    }

    /// Whether a last batch with fewer elements is left out: it is kept, unless this says otherwise.
    #[must_use]
    pub fn drop_remainder(mut self, drop: bool) -> Self {
        self.exact = drop;
        self
    }
}

impl From<usize> for PaddedBatch {
    fn from(batch_size: usize) -> Self {
        Self::new(batch_size)
    }
}

/// A size of batches, at a line.
fn size_of(step: &str, size: usize, here: &'static Location<'static>) -> Result<usize> {
    match size {
        0 => Err(Error::invalid_argument(step, "a batch of no elements").expected("a size of at least 1").at(here)),
        size => Ok(size),
    }
}

impl<S: DatasetElement> Dataset<S> {
    /// Elements put together, `size` at a time, under a new first axis. The last batch may be smaller; see
    /// [`batch_exact`](Self::batch_exact).
    ///
    /// ```
    /// use eagerflow as tf;
    /// let batches = tf::data::Dataset::from_tensor_slices(tf::constant([1, 2, 3, 4, 5])).batch(2);
    /// let sizes: Vec<usize> = batches.iter().map(|batch| batch.shape()[0]).collect();
    /// assert_eq!(sizes, [2, 2, 1]);
    /// ```
    ///
    /// # Panics
    /// As [`try_batch`](Self::try_batch) fails.
    #[track_caller]
    pub fn batch(&self, size: usize) -> Self {
        self.try_batch(size, false).or_fail()
    }

    /// [`batch`](Self::batch) without a smaller last one: TensorFlow's `drop_remainder=True`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let batches = tf::data::Dataset::from_tensor_slices(tf::constant([1, 2, 3, 4, 5])).batch_exact(2);
    /// assert_eq!(batches.cardinality(), 2);
    /// ```
    ///
    /// # Panics
    /// As [`try_batch`](Self::try_batch) fails.
    #[track_caller]
    pub fn batch_exact(&self, size: usize) -> Self {
        self.try_batch(size, true).or_fail()
    }

    /// Elements put together, `size` at a time; `drop_remainder` leaves a smaller last batch out.
    ///
    /// # Errors
    /// InvalidArgument for batches of no elements.
    #[track_caller]
    pub fn try_batch(&self, size: usize, drop_remainder: bool) -> Result<Self> {
        let location = Location::caller();
        let size = size_of("batch", size, location)?;
        let types = move |types: Vec<TensorType>| batched(&types, size, drop_remainder);
        let make = move |before: &Arc<_>| {
            Ok(Arc::new(Batch { before: Arc::clone(before), size, exact: drop_remainder, location }) as _)
        };
        self.then("batch", self.form.clone(), types, make)
    }

    /// Elements of different sizes put together: each is filled up to the greatest sizes of its batch, or as
    /// [`PaddedBatch`] says.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let lists = tf::data::Dataset::range((1, 4, 1)).map(|n| tf::ones([n.item::<i64>() as usize]));
    /// let batch = lists.padded_batch(3).iter().next().unwrap();
    /// assert_eq!(batch.to_vec::<f32>(), [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]);
    /// ```
    ///
    /// # Panics
    /// As [`try_padded_batch`](Self::try_padded_batch) fails.
    #[track_caller]
    pub fn padded_batch(&self, how: impl Into<PaddedBatch>) -> Self {
        self.try_padded_batch(how).or_fail()
    }

    /// Elements of different sizes put together.
    ///
    /// # Errors
    /// InvalidArgument for batches of no elements. Elements of different ranks or dtypes, or larger than the shape they are to
    /// have, are errors of the pass.
    #[track_caller]
    pub fn try_padded_batch(&self, how: impl Into<PaddedBatch>) -> Result<Self> {
        let location = Location::caller();
        let PaddedBatch { size, exact, padding } = how.into();
        let size = size_of("padded_batch", size, location)?;
        let own = padding.clone();
        let types = move |types: Vec<TensorType>| padded(&types, size, exact, &own);
        let make = move |before: &Arc<_>| {
            let (before, padding) = (Arc::clone(before), padding.clone());
            Ok(Arc::new(padded::PaddedBatch { before, size, exact, padding, location }) as _)
        };
        self.then("padded_batch", self.form.clone(), types, make)
    }

    /// The rows of each element as elements of their own: what undoes [`batch`](Self::batch).
    ///
    /// ```
    /// use eagerflow as tf;
    /// let numbers = tf::data::Dataset::range(5).batch(2).unbatch();
    /// assert_eq!(numbers.iter().map(|n| n.item::<i64>()).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    /// ```
    ///
    /// # Panics
    /// As [`try_unbatch`](Self::try_unbatch) fails.
    #[track_caller]
    pub fn unbatch(&self) -> Self {
        self.try_unbatch().or_fail()
    }

    /// The rows of each element as elements of their own.
    ///
    /// # Errors
    /// InvalidArgument for scalars, where that is known. Components with different numbers of rows are errors of the pass.
    #[track_caller]
    pub fn try_unbatch(&self) -> Result<Self> {
        let location = Location::caller();
        let rows = |types: Vec<TensorType>| {
            unbatched(&types).ok_or_else(|| {
                Error::invalid_argument("unbatch", "a scalar has no rows")
                    .expected("at least one dimension")
                    .at(location)
            })
        };
        if !self.in_graph() {
            self.types().map(rows).transpose()?;
        }
        let make = move |before: &Arc<_>| Ok(Arc::new(Unbatch { before: Arc::clone(before), location }) as _);
        self.then("unbatch", self.form.clone(), rows, make)
    }

    /// Batches of another size, made of the rows of the batches before; a last one with fewer rows is kept.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let sizes = tf::data::Dataset::range(7).batch(3).rebatch(2).iter().map(|b| b.shape()[0]).collect::<Vec<_>>();
    /// assert_eq!(sizes, [2, 2, 2, 1]);
    /// ```
    ///
    /// # Panics
    /// As [`try_rebatch`](Self::try_rebatch) fails.
    #[track_caller]
    pub fn rebatch(&self, size: usize) -> Self {
        self.try_rebatch([size], false).or_fail()
    }

    /// Batches of other sizes, which come over and over; `drop_remainder` leaves a last one with fewer rows out.
    ///
    /// # Errors
    /// InvalidArgument for no sizes and batches of no rows.
    #[track_caller]
    pub fn try_rebatch(&self, sizes: impl IntoIterator<Item = usize>, drop_remainder: bool) -> Result<Self> {
        let location = Location::caller();
        let sizes = sizes.into_iter().map(|size| size_of("rebatch", size, location)).collect::<Result<Vec<_>>>()?;
        let Some(&first) = sizes.first() else {
            return Err(Error::invalid_argument("rebatch", "there are no sizes").expected("at least one").at(location));
        };
        let alike = drop_remainder && sizes.iter().all(|size| *size == first);
        let types = move |types: Vec<TensorType>| {
            let rows = unbatched(&types)
                .ok_or_else(|| Error::invalid_argument("rebatch", "a scalar has no rows").at(location))?;
            batched(&rows, first, alike)
        };
        let make = move |before: &Arc<_>| {
            let (before, sizes) = (Arc::clone(before), sizes.clone());
            Ok(Arc::new(Rebatch { before, sizes, exact: drop_remainder, location }) as _)
        };
        self.then("rebatch", self.form.clone(), types, make)
    }

    /// Data sets of `size` neighbouring elements, each `shift` elements behind the one before; those at the end may have fewer.
    ///
    /// Where elements have several components, TensorFlow gives one data set for each; here a window is a data set of whole elements.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let pairs = tf::data::Dataset::range(5).window(3, 2).flat_map(|window| window.batch(3));
    /// let lists: Vec<Vec<i64>> = pairs.iter().map(|list| list.to_vec()).collect();
    /// assert_eq!(lists, [vec![0, 1, 2], vec![2, 3, 4], vec![4]]);
    /// ```
    ///
    /// # Panics
    /// As [`try_window`](Self::try_window) fails.
    #[track_caller]
    pub fn window(&self, size: usize, shift: usize) -> Dataset<Dataset<S>> {
        self.try_window(size, shift, 1, false).or_fail()
    }

    /// [`window`](Self::window) without shorter ones at the end: TensorFlow's `drop_remainder=True`.
    ///
    /// # Panics
    /// As [`try_window`](Self::try_window) fails.
    #[track_caller]
    pub fn window_exact(&self, size: usize, shift: usize) -> Dataset<Dataset<S>> {
        self.try_window(size, shift, 1, true).or_fail()
    }

    /// Data sets of every `stride`-th of neighbouring elements.
    ///
    /// # Errors
    /// InvalidArgument for a size, shift or stride of 0.
    #[track_caller]
    pub fn try_window(
        &self,
        size: usize,
        shift: usize,
        stride: usize,
        drop_remainder: bool,
    ) -> Result<Dataset<Dataset<S>>> {
        let here = Location::caller();
        for (name, given) in [("size", size), ("shift", shift), ("stride", stride)] {
            crate::options::count("window", name, given).map_err(|e| e.at(here))?;
        }
        let window = Self::made(Tensor::from(0i32), self.types().map(Into::into), self.form.clone());
        let types = |_| Ok(vec![TensorType::scalar(DType::Variant)]);
        let make = move |before: &Arc<_>| {
            Ok(Arc::new(Window { before: Arc::clone(before), size, shift, stride, exact: drop_remainder }) as _)
        };
        self.then("window", Form::of(&window), types, make)
    }
}
