//! The steps of a data pipeline: a [`Stage`] says what is done, a [`Pass`] does it once through.
//! Rows of a source travel as numbers until somebody needs the tensors, so that a batch is one gather.

use super::cardinality::Cardinality;
use super::order::SharedOrder;
pub use super::state::Saved;
use super::steps::cache::Kept;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// An element on its way.
pub enum Item {
    /// A row of the stage's source, not yet copied.
    Row(usize),
    /// The tensors of an element.
    Values(Outputs),
}

/// One pass over a stage's elements. An error is that of one element: whoever asks again gets the next.
pub trait Pass: Send {
    /// The next element; `None` behind the last, from then on for good.
    fn next(&mut self) -> Result<Option<Item>>;

    /// Writes where it stands, for [`Stage::begin`].
    fn save(&self, to: &mut StateWriter) -> Result<()>;
}

/// Elements that can be had in any order, by number: tensors in memory, a function of the number.
pub trait Rows: Send + Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// The types of a row's components, where they are known.
    fn types(&self) -> Option<Vec<TensorType>>;

    /// The tensors of one row.
    fn row(&self, row: usize) -> Result<Outputs>;

    /// Several rows under a new first axis.
    fn rows(&self, rows: &[usize]) -> Result<Outputs>;

    /// In words, for messages and states.
    fn describe(&self) -> String;

    /// Whether they are elements that were taken from a pass: then a state that has to hold the data set holds them.
    fn taken(&self) -> bool {
        false
    }
}

/// A step of a pipeline with all that come before it.
pub trait Stage: Send + Sync {
    /// Begins a pass, or goes on with the one that was [saved](Pass::save), and then changes nothing that others see.
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>>;

    /// The number of elements in a pass.
    fn cardinality(&self) -> Cardinality;

    /// The types of an element's components, if they are known before the elements are computed; sizes that differ between elements
    /// are unbacked symbols.
    fn types(&self) -> Option<Vec<TensorType>>;

    /// What [`Item::Row`] stands for, of stages that give rows.
    fn source(&self) -> Option<&Arc<dyn Rows>> {
        None
    }

    /// The stages that it takes elements from.
    fn inputs(&self) -> &[Arc<dyn Stage>];

    /// The step in words, with all of its settings: a state fits where the words are the same.
    fn describe(&self) -> String;

    /// What tells its passes apart, of stages with random numbers.
    fn orders(&self) -> Vec<&SharedOrder> {
        Vec::new()
    }

    /// What it keeps from pass to pass.
    fn kept(&self) -> Option<&Kept> {
        None
    }
}

/// The tensors of an element, of a stage with this source.
pub fn values(source: Option<&Arc<dyn Rows>>, item: Item) -> Result<Outputs> {
    match (item, source) {
        (Item::Values(values), _) => Ok(values),
        (Item::Row(row), Some(source)) => source.row(row),
        (Item::Row(_), None) => Err(Error::internal("dataset", "a row of no source")),
    }
}

/// A pass whose elements are asked for as tensors.
pub(super) struct Values {
    pass: Box<dyn Pass>,
    source: Option<Arc<dyn Rows>>,
}

impl Values {
    /// A pass over a stage, begun or resumed.
    pub fn begin(stage: &Arc<dyn Stage>, from: Option<&mut Saved<'_>>) -> Result<Self> {
        Ok(Self { pass: stage.begin(from)?, source: stage.source().cloned() })
    }

    pub fn next(&mut self) -> Result<Option<Outputs>> {
        self.pass.next()?.map(|item| values(self.source.as_ref(), item)).transpose()
    }

    pub fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.pass.save(to)
    }
}

/// Calls a function of the user's: its panic is an error of the element, with the panic's message.
pub(super) fn guarded<R>(step: &str, call: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| Err(kernels::error::caught(step, &*payload)))
}
