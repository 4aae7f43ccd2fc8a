//! The object behind a resource handle: a value of fixed dtype that operations may read and change.
//! Variables and random generators own one each; the door locks it around kernels that use it.

use super::{Tensor, TensorType};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::shape::Shape;
use std::sync::{Mutex, MutexGuard};

/// A changeable value with a name.
pub(crate) struct Resource {
    pub name: String,
    pub dtype: DType,
    /// The shape every value must have; `None` where only the dtype is fixed.
    pub shape: Option<Shape>,
    /// Whether tapes watch it when it is read.
    pub trainable: bool,
    value: Mutex<Tensor>,
}

impl Resource {
    /// A handle of a new resource that holds `value`.
    #[track_caller]
    pub fn handle(name: String, value: Tensor, shape: Option<Shape>, trainable: bool) -> Tensor {
        let dtype = value.dtype();
        // A new identity: the value must not be taken for the tensor that it was made from.
        let value = Mutex::new(value.alias());
        Tensor::object(Box::new(Self { name, dtype, shape, trainable, value }))
    }

    /// The resource behind a handle.
    pub fn of<'a>(handle: &'a Tensor, op: &str) -> Result<&'a Self> {
        handle.as_object::<Self>().ok_or_else(|| {
            Error::invalid_argument(op, "the input is not a variable").got(handle.ty()).expected("a resource handle")
        })
    }

    /// The present value, locked. A panic of another thread in a kernel leaves the old value, which is sound.
    pub fn lock(&self) -> MutexGuard<'_, Tensor> {
        self.value.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The type of the present value.
    pub fn ty(&self) -> TensorType {
        *self.lock().ty()
    }
}
