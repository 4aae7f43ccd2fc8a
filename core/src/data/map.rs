//! The stage that changes elements: `map`, a function of the user's over each element in turn.
//! Its dataset has the form of the function's result; tapes do not see what it computes.

use super::source::Source;
use super::stage::{Item, Stage, Stream};
use crate::error::Result;
use crate::op::Outputs;
use crate::tensor::TensorType;
use std::sync::Arc;

/// A function over the tensors of an element.
pub(super) type Function = Arc<dyn Fn(Outputs) -> Result<Outputs> + Send + Sync>;

pub(super) struct Map {
    pub before: Arc<dyn Stage>,
    pub source: Arc<Source>,
    pub function: Function,
}

impl Stage for Map {
    fn open(&self) -> Box<dyn Stream> {
        Box::new(Mapping { before: self.before.open(), source: self.source.clone(), function: self.function.clone() })
    }

    fn len(&self) -> Option<usize> {
        self.before.len()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        None
    }
}

struct Mapping {
    before: Box<dyn Stream>,
    source: Arc<Source>,
    function: Function,
}

impl Stream for Mapping {
    fn next(&mut self) -> Result<Option<Item>> {
        let Some(item) = self.before.next()? else { return Ok(None) };
        let values = (self.function)(self.source.values(item)?)?;
        Ok(Some(Item::Values(values)))
    }
}
