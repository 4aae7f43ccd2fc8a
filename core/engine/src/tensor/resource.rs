//! The object behind a resource handle: a value of fixed dtype that operations may read and change.
//! Variables and random generators own one each; `execute` locks it around kernels that use it.

use super::guarded::{Guard, Guarded};
use super::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::sync::OnceLock;

/// The name of a variable that was given none.
pub(crate) const UNNAMED: &str = "variable";

/// A changeable value with a name.
pub(crate) struct Resource {
    pub name: String,
    pub dtype: DType,
    /// The shape every value must have; `None` where only the dtype is fixed.
    pub shape: Option<Shape>,
    /// Whether tapes watch it when it is read.
    pub trainable: bool,
    /// Where a module holds it, as [`Module`](crate::Module) found it first: what messages call one that has no name.
    path: OnceLock<String>,
    value: Guarded,
}

impl Resource {
    /// A handle of a new resource that holds `value`.
    #[track_caller]
    pub fn handle(name: String, value: Tensor, shape: Option<Shape>, trainable: bool) -> Tensor {
        let dtype = value.dtype();
        // A new identity: the value must not be taken for the tensor that it was made from.
        let value = Guarded::new(value.alias());
        Tensor::object(Box::new(Self { name, dtype, shape, trainable, path: OnceLock::new(), value }))
    }

    /// The resource behind a handle.
    pub fn of<'a>(handle: &'a Tensor, op: &str) -> Result<&'a Self> {
        handle.as_object::<Self>().ok_or_else(|| {
            Error::invalid_argument(op, "the input is not a variable").got(handle.ty()).expected("a resource handle")
        })
    }

    /// What a message calls the resource behind a handle: by its name, its path in a module, or the line that made it.
    #[cold]
    pub fn label(handle: &Tensor) -> String {
        let Some(resource) = handle.as_object::<Self>() else { return UNNAMED.to_owned() };
        match (resource.is_named(), resource.path.get()) {
            (true, _) => resource.name.clone(),
            (false, Some(path)) => path.clone(),
            (false, None) => format!("made at {}", handle.location()),
        }
    }

    /// As [`label`](Self::label) in the middle of a sentence.
    #[cold]
    pub fn wording(handle: &Tensor) -> String {
        let known = handle.as_object::<Self>().is_some_and(|r| r.is_named() || r.path.get().is_some());
        let label = Self::label(handle);
        if known { format!("variable '{label}'") } else { format!("a variable {label}") }
    }

    fn is_named(&self) -> bool {
        self.name != UNNAMED
    }

    /// Notes where a module holds a resource without a name; the first place stays.
    pub fn note_path(&self, path: impl FnOnce() -> String) {
        if !self.is_named() {
            self.path.get_or_init(path);
        }
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
