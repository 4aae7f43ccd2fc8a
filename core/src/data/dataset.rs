//! [`Dataset`]: a pipeline from tensors in memory to the batches of a training loop, built by chained calls.
//! Training loops iterate over it; each pass begins anew, in another order if it is shuffled.

use super::batch::Batch;
use super::iterator::DatasetIterator;
use super::map::Map;
use super::repeat::{Repeat, Take};
use super::shuffle::{Shuffle, Shuffled};
use super::source::Source;
use super::stage::Stage;
use super::structure::Structure;
use crate::error::{Error, OrFail, Result};
use crate::tensor::Tensor;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// A sequence of elements, each a tensor or a tuple of tensors: TensorFlow's `tf.data.Dataset`.
///
/// Every call adds a step and answers the longer pipeline; nothing is computed before somebody iterates. Cloning is
/// cheap.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{Dataset, Shuffle};
/// let images = tf::zeros([10, 8, 8, 1]);
/// let labels = tf::constant([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
/// let batches = Dataset::from_tensor_slices((images, labels)).shuffle(Shuffle::whole().seed(1)).batch(4);
/// for epoch in 0..2 {
///     for (images, labels) in &batches {
///         assert_eq!(images.shape().dims()[1..], [8, 8, 1]);
///         assert_eq!(images.dim(0), labels.dim(0));
///     }
/// }
/// assert_eq!(batches.cardinality(), Some(3));
/// ```
pub struct Dataset<S = Tensor> {
    source: Arc<Source>,
    stages: Arc<dyn Stage>,
    structure: PhantomData<fn() -> S>,
}

impl<S> Clone for Dataset<S> {
    fn clone(&self) -> Self {
        Self { source: self.source.clone(), stages: self.stages.clone(), structure: PhantomData }
    }
}

impl<S: Structure> Dataset<S> {
    /// The rows of tensors, which have the same first dimension: element `i` is row `i` of each.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let rows = tf::data::Dataset::from_tensor_slices(tf::constant([[1, 2], [3, 4]]));
    /// let lists: Vec<_> = rows.iter().map(|row| row.to_vec::<i32>()).collect();
    /// assert_eq!(lists, [[1, 2], [3, 4]]);
    /// ```
    ///
    /// # Panics
    /// As [`try_from_tensor_slices`](Self::try_from_tensor_slices) fails.
    #[track_caller]
    pub fn from_tensor_slices(tensors: S) -> Self {
        Self::try_from_tensor_slices(tensors).or_fail()
    }

    /// The rows of tensors.
    ///
    /// # Errors
    /// InvalidArgument for no tensors, a scalar, or first dimensions that differ.
    #[track_caller]
    pub fn try_from_tensor_slices(tensors: S) -> Result<Self> {
        let here = Location::caller();
        let mut list = Vec::new();
        tensors.flatten(&mut list);
        let source = Arc::new(Source::new(list).map_err(|e| e.at(here))?);
        Ok(Self { stages: Arc::new(source.clone()), source, structure: PhantomData })
    }

    fn then(&self, stage: impl Stage + 'static) -> Self {
        Self { source: self.source.clone(), stages: Arc::new(stage), structure: PhantomData }
    }

    /// The elements in random order: `shuffle(1000)` draws from a buffer of 1000 elements, and
    /// [`Shuffle::whole`] from all of them.
    ///
    /// Each pass has an order of its own. It depends on the seed and the number of the pass alone.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::{Dataset, Shuffle};
    /// let cards = Dataset::from_tensor_slices(tf::constant([1, 2, 3, 4])).shuffle(Shuffle::whole().seed(5));
    /// let mut order: Vec<i32> = cards.iter().map(|card| card.item()).collect();
    /// order.sort();
    /// assert_eq!(order, [1, 2, 3, 4]);
    /// ```
    ///
    /// # Panics
    /// As [`try_shuffle`](Self::try_shuffle) fails.
    #[track_caller]
    pub fn shuffle(&self, how: impl Into<Shuffle>) -> Self {
        self.try_shuffle(how).or_fail()
    }

    /// The elements in random order.
    ///
    /// # Errors
    /// InvalidArgument for a buffer of no elements, or one of all elements where they have no end.
    #[track_caller]
    pub fn try_shuffle(&self, how: impl Into<Shuffle>) -> Result<Self> {
        let here = Location::caller();
        let how = how.into();
        let refuse = |what: &str, help: &str| Err(Error::invalid_argument("shuffle", what).help(help).at(here));
        if how.buffer == 0 {
            return refuse("the buffer holds no elements", "give at least 1, or `Shuffle::whole()`");
        }
        if how.buffer == usize::MAX && self.stages.len().is_none() {
            return refuse("all of an endless dataset cannot be shuffled", "shuffle first, then `repeat`");
        }
        let seed = how.seed.map_or_else(super::shuffle::global_seed, Ok)?;
        Ok(self.then(Shuffled::new(self.stages.clone(), how, seed)))
    }

    /// Elements put together, `size` at a time, under a new first axis. The last batch may be smaller; see
    /// [`batch_exact`](Self::batch_exact).
    ///
    /// ```
    /// use eagerflow as tf;
    /// let batches = tf::data::Dataset::from_tensor_slices(tf::constant([1, 2, 3, 4, 5])).batch(2);
    /// let sizes: Vec<usize> = batches.iter().map(|batch| batch.dim(0)).collect();
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
    /// assert_eq!(batches.cardinality(), Some(2));
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
        if size == 0 {
            return Err(Error::invalid_argument("batch", "a batch of no elements")
                .expected("a size of at least 1")
                .at(location));
        }
        let (before, source) = (self.stages.clone(), self.source.clone());
        Ok(self.then(Batch { before, source, size, exact: drop_remainder, location }))
    }

    /// The elements over and over: `count` times, or for ever if it is `None`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let twice = tf::data::Dataset::from_tensor_slices(tf::constant([1, 2])).repeat(2);
    /// assert_eq!(twice.iter().map(|n| n.item::<i32>()).collect::<Vec<_>>(), [1, 2, 1, 2]);
    /// ```
    pub fn repeat(&self, count: impl Into<Option<usize>>) -> Self {
        self.then(Repeat { before: self.stages.clone(), count: count.into() })
    }

    /// The first `count` elements.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let endless = tf::data::Dataset::from_tensor_slices(tf::constant([1, 2])).repeat(None);
    /// assert_eq!(endless.cardinality(), None);
    /// assert_eq!(endless.take(3).iter().count(), 3);
    /// ```
    pub fn take(&self, count: usize) -> Self {
        self.then(Take { before: self.stages.clone(), count })
    }

    /// A function of each element, which may give another form.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let bytes = tf::Tensor::from([[0u8, 51], [102, 255]]);
    /// let scaled = tf::data::Dataset::from_tensor_slices(bytes).map(|row| (row.cast(tf::DType::F32) * 5.0, row));
    /// let (row, byte) = scaled.iter().next().unwrap();
    /// assert_eq!((row.to_vec::<f32>(), byte.to_vec::<u8>()), (vec![0.0, 255.0], vec![0, 51]));
    /// ```
    pub fn map<R: Structure>(&self, function: impl Fn(S) -> R + Send + Sync + 'static) -> Dataset<R> {
        self.try_map(move |element| Ok(function(element)))
    }

    /// [`map`](Self::map) by a function that may answer an error, which the iterator's
    /// [`try_next`](DatasetIterator::try_next) passes on.
    pub fn try_map<R: Structure>(&self, function: impl Fn(S) -> Result<R> + Send + Sync + 'static) -> Dataset<R> {
        let function = move |values: crate::op::Outputs| {
            let Some(element) = S::unflatten(&mut values.into_iter()) else {
                return Err(Error::internal("map", "an element has fewer components than its form"));
            };
            let mut list = Vec::new();
            function(element)?.flatten(&mut list);
            Ok(list.into())
        };
        let (before, source) = (self.stages.clone(), self.source.clone());
        let stage = Map { before, source, function: Arc::new(function) };
        Dataset { source: self.source.clone(), stages: Arc::new(stage), structure: PhantomData }
    }

    /// The number of elements in a pass; `None` if it has no end.
    pub fn cardinality(&self) -> Option<usize> {
        self.stages.len()
    }

    #[cfg(test)]
    pub(super) fn types(&self) -> Option<Vec<crate::TensorType>> {
        self.stages.types()
    }

    /// Begins a pass over the elements. `for element in &dataset` does it too.
    #[track_caller]
    pub fn iter(&self) -> DatasetIterator<S> {
        DatasetIterator::new(&*self.stages, self.source.clone())
    }
}

impl<S: Structure> IntoIterator for &Dataset<S> {
    type Item = S;
    type IntoIter = DatasetIterator<S>;

    #[track_caller]
    fn into_iter(self) -> DatasetIterator<S> {
        self.iter()
    }
}

impl<S> fmt::Debug for Dataset<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dataset").field("cardinality", &self.stages.len()).finish_non_exhaustive()
    }
}
