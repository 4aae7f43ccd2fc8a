//! Values that a checkpoint has for what is not made yet: the kernel of a layer that was not called, the slots of a step to come.
//! Checkpoints leave them here, and whoever makes the variable takes them in place of a first value.

use crate::tensor::{Tensor, TensorType};
use crate::variable::Variable;
use kernels::error::Result;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// The value of a variable that is not made yet.
pub trait DeferredValue: Any + Send + Sync {
    /// The value for a variable of this type; `label` is what messages call it.
    ///
    /// # Errors
    /// InvalidArgument where the saved value has another dtype or shape; what reading the file answers.
    fn value(&self, label: &str, ty: &TensorType) -> Result<Tensor>;

    /// The variable was made with the value.
    fn taken(&self, variable: &Variable);
}

/// Where a deferred value waits; the newest replaces one that still waits.
#[derive(Default)]
pub(super) struct Waiting(Mutex<Option<Arc<dyn DeferredValue>>>);

impl Waiting {
    pub fn put(&self, value: Arc<dyn DeferredValue>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }

    pub fn get(&self) -> Option<Arc<dyn DeferredValue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
