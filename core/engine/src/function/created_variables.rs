//! Variables that a layer or optimizer makes for itself while a function is traced for the first time: the trace knows their
//! owner weakly, as it knows the variables of its arguments by id, so that dropping a model frees it.

use crate::execute::Owner;
use crate::tensor::Tensor;
use kernels::error::{Error, Result};
use std::sync::Weak;

/// A variable as a trace knows it.
#[derive(Clone)]
pub(crate) struct CreatedVariable {
    pub id: u64,
    pub name: String,
    pub owner: Weak<dyn Owner>,
}

impl CreatedVariable {
    /// The variable's handle, as long as its owner lives.
    pub fn handle(&self) -> Result<Tensor> {
        self.owner.upgrade().and_then(|owner| owner.handle(self.id)).ok_or_else(|| {
            Error::failed_precondition("tf_function", "a variable that the function made when it was traced is gone")
                .got("a layer or optimizer that was dropped, or that lives in the function alone")
                .expected("layers and optimizers that live as long as the functions that use them are called")
                .help("make them outside of the function, and hand them over as arguments")
                .variable(&self.name)
        })
    }
}
