//! [`Dataset`]: a pipeline from tensors, files or functions to the batches of a training loop, built by chained calls.
//! Training loops iterate over it; each pass begins anew, in another order if it is shuffled.

mod batches;
mod files;
mod functions;
mod passes;
mod resample;
mod selection;
mod several;
mod sources;
mod timeseries;

use super::count::{IntoCount, counted};
use super::form::{DatasetElement, Form};
use super::function::Function;
use super::pipeline::{Pipeline, Recorded, Types, record, record_function, record_with};
use super::stage::Stage;
use crate::builder;
use crate::tensor::{Tensor, TensorType};
use kernels::error::Result;
use std::panic::Location;
use std::sync::Arc;

pub use batches::PaddedBatch;
pub use resample::Resample;
pub use several::{
    Sample, ZipDatasets, choose_from_datasets, choose_from_datasets_to_the_end, sample_from_datasets, zip,
};
pub use timeseries::{
    Timeseries, timeseries_dataset_from_array, timeseries_dataset_with_targets, try_timeseries_dataset_from_array,
    try_timeseries_dataset_with_targets,
};

/// A sequence of elements, each a tensor or a structure of tensors: TensorFlow's `tf.data.Dataset`.
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
/// assert_eq!(batches.cardinality(), 3);
/// ```
pub struct Dataset<S = Tensor> {
    /// Of its pipeline; a value of the graph where a function is traced.
    pub(super) handle: Tensor,
    /// The types of an element, of a value of the graph.
    pub(super) types: Option<Types>,
    pub(super) form: Form<S>,
}

impl<S> Clone for Dataset<S> {
    fn clone(&self) -> Self {
        Self::made(self.handle.clone(), self.types.clone(), self.form.clone())
    }
}

impl<S> Dataset<S> {
    /// The same elements as lists of their tensors.
    #[doc(hidden)]
    pub fn flattened(&self) -> Dataset<Vec<Tensor>> {
        Dataset::made(self.handle.clone(), self.types.clone(), Form::list())
    }

    /// A data set of the stages, or of those that the graph that is open makes of tensors.
    #[track_caller]
    pub(super) fn source(
        step: &'static str,
        inputs: &[Tensor],
        form: Form<S>,
        types: impl FnOnce() -> Result<Option<Vec<TensorType>>>,
        make: impl Fn(&[Tensor]) -> Result<Arc<dyn Stage>> + Send + Sync + 'static,
    ) -> Result<Self> {
        if builder::current().is_none() {
            return Ok(Self::made(Pipeline { stages: make(inputs)? }.into_handle(), None, form));
        }
        let types = types()?;
        let handle = record(step, &inputs.iter().collect::<Vec<_>>(), move |inputs| {
            let inputs: Vec<Tensor> = inputs.iter().map(|&t| t.clone()).collect();
            Ok(Pipeline { stages: make(&inputs)? })
        })?;
        Ok(Self::made(handle, types.map(Types::from), form))
    }

    /// A data set of a source that the library above brings, with the types of its elements. `inputs` are what the source is made of,
    /// such as the names of files, which may be values of the graph that is open.
    #[doc(hidden)]
    #[track_caller]
    pub fn __of_source(
        step: &'static str,
        inputs: &[Tensor],
        types: Vec<TensorType>,
        make: impl Fn(&[Tensor]) -> Result<Arc<dyn Stage>> + Send + Sync + 'static,
    ) -> Result<Self>
    where
        S: DatasetElement,
    {
        let here = Location::caller();
        Self::source(step, inputs, Form::open(), || Ok(Some(types)), make).map_err(|e| e.at(here))
    }

    /// One more step: at once, or by the graph that is open.
    #[track_caller]
    fn then<R>(
        &self,
        step: &'static str,
        form: Form<R>,
        types: impl FnOnce(Vec<TensorType>) -> Result<Vec<TensorType>>,
        make: impl Fn(&Arc<dyn Stage>) -> Result<Arc<dyn Stage>> + Send + Sync + 'static,
    ) -> Result<Dataset<R>> {
        if !self.in_graph() {
            let stages = make(&Pipeline::of(&self.handle, step)?.stages)?;
            return Ok(Dataset::made(Pipeline { stages }.into_handle(), None, form));
        }
        let types = self.types().map(types).transpose()?;
        let handle = record(step, &[&self.handle], move |inputs| {
            Ok(Pipeline { stages: make(&Pipeline::of(inputs[0], step)?.stages)? })
        })?;
        Ok(Dataset::made(handle, types.map(Types::from), form))
    }

    /// One more step that takes a number, which may be a value of the graph that is open.
    #[track_caller]
    fn then_counted(
        &self,
        step: &'static str,
        count: impl IntoCount,
        make: impl Fn(Arc<dyn Stage>, Option<usize>) -> Arc<dyn Stage> + Send + Sync + 'static,
    ) -> Result<Self> {
        let here = Location::caller();
        let count = count.into_count().map_err(|error| error.at(here))?;
        let stages = move |handle: &Tensor, count: &Tensor| {
            Ok(Pipeline { stages: make(Pipeline::of(handle, step)?.stages.clone(), counted(count)?) })
        };
        if !self.in_graph() && !count.is_symbol() {
            return Ok(Self::made(stages(&self.handle, &count)?.into_handle(), None, self.form.clone()));
        }
        let handle = record(step, &[&self.handle, &count], move |inputs| stages(inputs[0], inputs[1]))?;
        Ok(Self::made(handle, self.types().map(Types::from), self.form.clone()))
    }

    /// One more step with functions of the user's, each over values of the types that `given` tells for elements of these: at once, or
    /// recorded in the graph that is open, where `types` tells the new elements' types by the functions' results.
    #[track_caller]
    fn then_calling<R, const N: usize>(
        &self,
        step: &'static str,
        form: Form<R>,
        functions: [(Function, GivenTypes<'_>); N],
        types: impl FnOnce(Vec<TensorType>, &[Recorded]) -> Result<Option<Vec<TensorType>>>,
        make: impl Fn(&Arc<dyn Stage>, &[Function]) -> Result<Arc<dyn Stage>> + Send + Sync + 'static,
    ) -> Result<Dataset<R>> {
        if !self.in_graph() {
            let functions = functions.map(|(function, _)| function);
            let stages = make(&Pipeline::of(&self.handle, step)?.stages, &functions)?;
            return Ok(Dataset::made(Pipeline { stages }.into_handle(), None, form));
        }
        let own = self.known_types()?;
        let mut recorded = Vec::new();
        for (function, given) in &functions {
            recorded.push(record_function(step, &given(&own)?, function)?);
        }
        let types = types(own, &recorded)?;
        let make = move |before: &[Pipeline], functions: &[Function]| make(&before[0].stages, functions);
        let handle = record_with(step, &[&self.handle], &recorded, make)?;
        Ok(Dataset::made(handle, types.map(Types::from), form))
    }
}

/// The types that a function is given, for elements of some types.
type GivenTypes<'a> = &'a dyn Fn(&[TensorType]) -> Result<Vec<TensorType>>;

/// Functions that are given the element.
fn the_element(types: &[TensorType]) -> Result<Vec<TensorType>> {
    Ok(types.to_vec())
}
