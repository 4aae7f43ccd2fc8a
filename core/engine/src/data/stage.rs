//! The steps of a data pipeline: a [`Stage`] says what is done, a [`Stream`] does it once through.
//! Rows of the source travel as numbers until somebody needs the tensors, so that a batch is one gather.

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
}

/// A step of a pipeline with all that come before it.
pub(super) trait Stage: Send + Sync {
    /// Begins a pass.
    fn open(&self) -> Box<dyn Stream>;
    /// The number of elements in a pass; `None` if it has no end.
    fn len(&self) -> Option<usize>;
    /// The types of an element's components, if they are known before the elements are computed; sizes that differ
    /// between elements are unbacked symbols.
    fn types(&self) -> Option<Vec<TensorType>>;
}
