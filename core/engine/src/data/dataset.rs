//! [`Dataset`]: a pipeline from tensors in memory to the batches of a training loop, built by chained calls.
//! Training loops iterate over it; each pass begins anew, in another order if it is shuffled.

mod passes;

use super::batch::{Batch, batched};
use super::enumerate::{Enumerate, numbered};
use super::map::{Function, Map, record_map};
use super::pipeline::{Pipeline, Types, record};
use super::repeat::{Repeat, Skip, Take};
use super::shuffle::{Shuffle, Shuffled};
use super::source::Source;
use super::stage::Stage;
use super::structure::Structure;
use crate::builder;
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, OrFail, Result};
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
    /// Of its pipeline; a value of the graph where a function is traced.
    pub(super) handle: Tensor,
    /// The types of an element, of a value of the graph.
    pub(super) types: Option<Types>,
    pub(super) structure: PhantomData<fn() -> S>,
}

impl<S> Clone for Dataset<S> {
    fn clone(&self) -> Self {
        self.with(self.handle.clone(), self.types.clone())
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
        if builder::current().is_some() {
            let types = Source::row_types(&list).map_err(|e| e.at(here))?;
            let inputs: Vec<&Tensor> = list.iter().collect();
            let handle = record("from_tensor_slices", &inputs, |inputs| {
                let source = Arc::new(Source::new(inputs.iter().map(|&t| t.clone()).collect())?);
                Ok(Pipeline { stages: Arc::new(source.clone()), source })
            })?;
            return Ok(Self { handle, types: Some(types.into()), structure: PhantomData });
        }
        let source = Arc::new(Source::new(list).map_err(|e| e.at(here))?);
        let handle = Pipeline { stages: Arc::new(source.clone()), source }.into_handle();
        Ok(Self { handle, types: None, structure: PhantomData })
    }

    /// One more step: at once, or by the graph that is open.
    #[track_caller]
    fn then<R>(
        &self,
        step: &'static str,
        types: impl FnOnce(Vec<TensorType>) -> Result<Vec<TensorType>>,
        make: impl Fn(&Pipeline) -> Result<Arc<dyn Stage>> + Send + Sync + 'static,
    ) -> Result<Dataset<R>> {
        let make = move |before: &Pipeline| Ok(Pipeline { stages: make(before)?, source: before.source.clone() });
        if !self.in_graph() {
            return Ok(self.with(make(Pipeline::of(&self.handle, step)?)?.into_handle(), None));
        }
        let types = self.types().map(types).transpose()?;
        let handle = record(step, &[&self.handle], move |inputs| make(Pipeline::of(inputs[0], step)?))?;
        Ok(self.with(handle, types.map(Types::from)))
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
        if how.buffer == 0 {
            return Err(Error::invalid_argument("shuffle", "the buffer holds no elements")
                .help("give at least 1, or `Shuffle::whole()`")
                .at(here));
        }
        let endless = move || Error::invalid_argument("shuffle", "all of an endless dataset cannot be shuffled");
        self.then("shuffle", Ok, move |before| {
            if how.buffer == usize::MAX && before.stages.len().is_none() {
                return Err(endless().help("shuffle first, then `repeat`").at(here));
            }
            let seed = how.seed.map_or_else(super::shuffle::global_seed, Ok)?;
            Ok(Arc::new(Shuffled::new(before.stages.clone(), how, seed)))
        })
    }

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
        let types = move |types: Vec<TensorType>| batched(&types, size, drop_remainder);
        self.then("batch", types, move |Pipeline { stages, source }| {
            let (before, source) = (stages.clone(), source.clone());
            Ok(Arc::new(Batch { before, source, size, exact: drop_remainder, location }))
        })
    }

    /// The elements over and over: `count` times, or for ever if it is `None`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let twice = tf::data::Dataset::from_tensor_slices(tf::constant([1, 2])).repeat(2);
    /// assert_eq!(twice.iter().map(|n| n.item::<i32>()).collect::<Vec<_>>(), [1, 2, 1, 2]);
    /// ```
    #[track_caller]
    pub fn repeat(&self, count: impl Into<Option<usize>>) -> Self {
        let count = count.into();
        self.then("repeat", Ok, move |p| Ok(Arc::new(Repeat { before: p.stages.clone(), count }))).or_fail()
    }

    /// The first `count` elements.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let endless = tf::data::Dataset::from_tensor_slices(tf::constant([1, 2])).repeat(None);
    /// assert_eq!(endless.cardinality(), None);
    /// assert_eq!(endless.take(3).iter().count(), 3);
    /// ```
    #[track_caller]
    pub fn take(&self, count: usize) -> Self {
        self.then("take", Ok, move |p| Ok(Arc::new(Take { before: p.stages.clone(), count }))).or_fail()
    }

    /// All but the first `count` elements: TensorFlow's `skip`. With [`take`](Self::take) it splits a data set that is not shuffled.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let all = tf::data::Dataset::from_tensor_slices(tf::range(0, 10, 1));
    /// let (validation, train) = (all.take(2), all.skip(2));
    /// assert_eq!((validation.cardinality(), train.cardinality()), (Some(2), Some(8)));
    /// assert_eq!(train.iter().next().unwrap().item::<i32>(), 2);
    /// ```
    #[track_caller]
    pub fn skip(&self, count: usize) -> Self {
        self.then("skip", Ok, move |p| Ok(Arc::new(Skip { before: p.stages.clone(), count }))).or_fail()
    }

    /// The elements with their numbers, from 0: `int64` scalars.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let letters = tf::data::Dataset::from_tensor_slices(tf::constant([7, 8]));
    /// for (number, letter) in &letters.enumerate() {
    ///     assert_eq!(letter.item::<i32>() as i64, 7 + number.item::<i64>());
    /// }
    /// ```
    #[track_caller]
    pub fn enumerate(&self) -> Dataset<(Tensor, S)> {
        let types = |types: Vec<TensorType>| Ok(numbered(&types));
        let stage = |Pipeline { stages, source }: &Pipeline| -> Result<Arc<dyn Stage>> {
            Ok(Arc::new(Enumerate { before: stages.clone(), source: source.clone() }))
        };
        self.then("enumerate", types, stage).or_fail()
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
    ///
    /// In a traced function it is recorded, as the rest of the function is.
    #[track_caller]
    pub fn map<R: Structure>(&self, function: impl Fn(S) -> R + Send + Sync + 'static) -> Dataset<R> {
        self.try_map(move |element| Ok(function(element)))
    }

    /// [`map`](Self::map) by a function that may answer an error, which the iterator's
    /// [`try_next`](super::DatasetIterator::try_next) passes on.
    #[track_caller]
    pub fn try_map<R: Structure>(&self, function: impl Fn(S) -> Result<R> + Send + Sync + 'static) -> Dataset<R> {
        let function = move |values: crate::op::Outputs| {
            let Some(element) = S::unflatten(&mut values.into_iter()) else {
                return Err(Error::internal("map", "an element has fewer components than its form"));
            };
            let mut list = Vec::new();
            function(element)?.flatten(&mut list);
            Ok(list.into())
        };
        let function: Function = Arc::new(function);
        if self.in_graph() {
            let (handle, types) = self.known_types().and_then(|t| record_map(&self.handle, &t, &function)).or_fail();
            return self.with(handle, Some(types.into()));
        }
        let stage = move |Pipeline { stages, source }: &Pipeline| -> Result<Arc<dyn Stage>> {
            Ok(Arc::new(Map::new(stages.clone(), source.clone(), function.clone())))
        };
        self.then("map", Ok, stage).or_fail()
    }
}
