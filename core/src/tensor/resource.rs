//! The object behind a resource handle: a value of fixed dtype that operations may read and change.
//! Variables and random generators own one each; the door locks it around kernels that use it.

use super::guarded::{Guard, Guarded};
use super::{Tensor, TensorType};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::shape::Shape;

/// A changeable value with a name.
pub(crate) struct Resource {
    pub name: String,
    pub dtype: DType,
    /// The shape every value must have; `None` where only the dtype is fixed.
    pub shape: Option<Shape>,
    /// Whether tapes watch it when it is read.
    pub trainable: bool,
    value: Guarded,
}

impl Resource {
    /// A handle of a new resource that holds `value`.
    #[track_caller]
    pub fn handle(name: String, value: Tensor, shape: Option<Shape>, trainable: bool) -> Tensor {
        let dtype = value.dtype();
        // A new identity: the value must not be taken for the tensor that it was made from.
        let value = Guarded::new(value.alias());
        Tensor::object(Box::new(Self { name, dtype, shape, trainable, value }))
    }

    /// The resource behind a handle.
    pub fn of<'a>(handle: &'a Tensor, op: &str) -> Result<&'a Self> {
        handle.as_object::<Self>().ok_or_else(|| {
            Error::invalid_argument(op, "the input is not a variable").got(handle.ty()).expected("a resource handle")
        })
    }

    /// A handle of the present value.
    #[inline]
    pub fn read(&self) -> Tensor {
        self.value.read()
    }

    /// The present value, locked.
    pub fn lock(&self) -> Guard<'_> {
        self.value.lock()
    }

    /// The type of the present value.
    pub fn ty(&self) -> TensorType {
        *self.read().ty()
    }
}
