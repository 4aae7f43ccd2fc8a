//! One pass over a dataset: each step is an operation of its own, which goes through `execute` like any other.
//! `for` loops over a [`Dataset`](super::Dataset) make one.

use super::pipeline::Pipeline;
use super::source::Source;
use super::stage::Stream;
use super::structure::Structure;
use crate::op::Outputs;
use crate::ops::{Elements, iterator_handle, next_element};
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, OrFail, Result};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

/// Gives the elements of a dataset in order; see [`Dataset::iter`](super::Dataset::iter).
pub struct DatasetIterator<S = Tensor> {
    handle: Tensor,
    state: Arc<State>,
    types: Option<Arc<[TensorType]>>,
    structure: PhantomData<fn() -> S>,
}

/// What the handle stands for.
struct State {
    source: Arc<Source>,
    /// Nothing behind the last element.
    stream: Mutex<Option<Box<dyn Stream>>>,
}

impl Elements for State {
    fn next(&self) -> Result<Option<Outputs>> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(running) = &mut *stream else { return Ok(None) };
        match running.next()? {
            Some(item) => self.source.values(item).map(Some),
            None => {
                *stream = None;
                Ok(None)
            }
        }
    }

    fn ended(&self) -> bool {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

impl<S: Structure> DatasetIterator<S> {
    #[track_caller]
    pub(super) fn new(pipeline: &Pipeline) -> Self {
        let stream = Mutex::new(Some(pipeline.stages.open()));
        let state = Arc::new(State { source: pipeline.source.clone(), stream });
        Self { handle: iterator_handle(state.clone()), state, types: None, structure: PhantomData }
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
        match S::unflatten(&mut outputs.into_iter()) {
            Some(element) => Ok(Some(element)),
            // `Dataset`'s constructors keep form and tensors together.
            None => Err(Error::internal("iterator_next", "an element has fewer components than its form")),
        }
    }
}

impl<S: Structure> Iterator for DatasetIterator<S> {
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

impl<S> fmt::Debug for DatasetIterator<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetIterator").field("ended", &self.state.ended()).finish_non_exhaustive()
    }
}
