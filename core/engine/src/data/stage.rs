//! The steps of a data pipeline: a [`Stage`] says what is done, a [`Stream`] does it once through.
//! Rows of the source travel as numbers until somebody needs the tensors, so that a batch is one gather.

use super::shuffle::SharedOrder;
use super::state::Saved;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::Result;

/// An element on its way.
pub(super) enum Item {
    /// A row of the pipeline's source, not yet copied.
    Row(usize),
    /// The tensors of an element.
    Values(Outputs),
}

/// One pass over a stage's elements.
pub(super) trait Stream: Send {
    /// The next element; `None` behind the last.
    fn next(&mut self) -> Result<Option<Item>>;
    /// Writes where it stands, for [`Stage::resume`].
    fn save(&self, to: &mut StateWriter) -> Result<()>;
}

/// A step of a pipeline with all that come before it.
pub(super) trait Stage: Send + Sync {
    /// Begins a pass.
    fn open(&self) -> Box<dyn Stream>;
    /// Goes on with the pass whose stream was [saved](Stream::save), and changes nothing that others see.
    fn resume(&self, from: &mut Saved<'_>) -> Result<Box<dyn Stream>>;
    /// The number of elements in a pass; `None` if it has no end.
    fn len(&self) -> Option<usize>;
    /// The types of an element's components, if they are known before the elements are computed; sizes that differ
    /// between elements are unbacked symbols.
    fn types(&self) -> Option<Vec<TensorType>>;
    /// The step before, for all but sources.
    fn before(&self) -> Option<&dyn Stage>;
    /// The step in words, with all of its settings: a state fits where the words are the same.
    fn describe(&self) -> String;
    /// How a shuffle orders its passes.
    fn order(&self) -> Option<&SharedOrder> {
        None
    }
}
