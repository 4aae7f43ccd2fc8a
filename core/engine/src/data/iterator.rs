//! One pass over a dataset: each step is an operation of its own, which goes through `execute` like any other.
//! `for` loops over a [`Dataset`](super::Dataset) make one.

use super::form::{DatasetElement, Form};
use super::pipeline::Pipeline;
use super::stage::{Pass, values};
use crate::op::Outputs;
use crate::ops::{Elements, iterator_handle, next_element};
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, OrFail, Result};
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Gives the elements of a dataset in order; see [`Dataset::iter`](super::Dataset::iter).
///
/// Clones share the position: an element that one of them gives is no more to come for the others. So a checkpoint can hold one
/// while a loop goes on with the other. It is a [`Module`](crate::Module) whose state is the position.
///
/// ```
/// use eagerflow as tf;
/// let mut elements = tf::data::Dataset::from_tensor_slices(tf::constant([1, 2, 3])).iter();
/// let mut same = elements.clone();
/// let order = [elements.next(), same.next(), elements.next()].map(|n| n.unwrap().item::<i32>());
/// assert_eq!((order, same.next().is_none()), ([1, 2, 3], true));
/// ```
pub struct DatasetIterator<S = Tensor> {
    pub(super) handle: Tensor,
    pub(super) state: Arc<State>,
    types: Option<Arc<[TensorType]>>,
    form: Form<S>,
}

/// What the handle stands for.
pub(super) struct State {
    pub pipeline: Pipeline,
    stream: Mutex<Option<Box<dyn Pass>>>,
}

impl State {
    /// Nothing behind the last element.
    pub fn stream(&self) -> MutexGuard<'_, Option<Box<dyn Pass>>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Elements for State {
    fn next(&self) -> Result<Option<Outputs>> {
        let mut stream = self.stream();
        let Some(running) = &mut *stream else { return Ok(None) };
        match running.next()? {
            Some(item) => values(self.pipeline.stages.source(), item).map(Some),
            None => {
                *stream = None;
                Ok(None)
            }
        }
    }

    fn ended(&self) -> bool {
        self.stream().is_none()
    }
}

impl<S: DatasetElement> DatasetIterator<S> {
    #[track_caller]
    pub(super) fn new(pipeline: &Pipeline, form: Form<S>) -> Result<Self> {
        let stream = Mutex::new(Some(pipeline.stages.begin(None)?));
        let state = Arc::new(State { pipeline: pipeline.clone(), stream });
        Ok(Self { handle: iterator_handle(state.clone()), state, types: None, form })
    }

    /// The next element; `None` behind the last.
    ///
    /// # Errors
    /// What a stage answers: InvalidArgument where elements of different shapes meet in a batch, and what the
    /// operations of a [`try_map`](super::Dataset::try_map) answer.
    #[track_caller]
    pub fn try_next(&mut self) -> Result<Option<S>> {
        let here = Location::caller();
        let outputs = match next_element(&self.handle, self.types.clone()) {
            Ok(outputs) => outputs,
            Err(Error::OutOfRange(_)) if self.state.ended() => return Ok(None),
            Err(error) => return Err(error.at(here)),
        };
        let mut element = self.form.put_together(&outputs);
        if element.is_err() && !self.form.is_known() {
            // A pass that was resumed gives elements whose function has not run here: it tells their form where it is recorded.
            self.state.pipeline.stages.types();
            element = self.form.put_together(&outputs);
        }
        element.map(Some).map_err(|error| error.at(here))
    }
}

impl<S: DatasetElement> Iterator for DatasetIterator<S> {
    type Item = S;

    /// The next element.
    ///
    /// # Panics
    /// As [`try_next`](Self::try_next) fails.
    #[track_caller]
    fn next(&mut self) -> Option<S> {
        self.try_next().or_fail()
    }
}

impl<S> Clone for DatasetIterator<S> {
    fn clone(&self) -> Self {
        let (handle, state, types) = (self.handle.clone(), self.state.clone(), self.types.clone());
        Self { handle, state, types, form: self.form.clone() }
    }
}

impl<S> fmt::Debug for DatasetIterator<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetIterator").field("ended", &self.state.ended()).finish_non_exhaustive()
    }
}
