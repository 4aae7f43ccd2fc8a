//! The object behind a resource handle: a value of fixed dtype that operations may read and change.
//! Variables and random generators own one each; `execute` locks it around kernels that use it.

use super::guarded::{Guard, Guarded};
use super::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The name of a variable that was given none.
pub(crate) const UNNAMED: &str = "variable";

/// Somebody froze it, by itself or with the module around it.
const FROZEN: u8 = 1;
/// It is not meant to be trained, as a running mean.
const FIXED: u8 = 2;
/// It was made so, which is noted for good.
const MADE_FIXED: u8 = 4;

/// How often variables were frozen or unfrozen: who keeps what follows from it looks again only when it has grown.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// The number of times that a variable was frozen or unfrozen so far.
#[inline]
pub(crate) fn training_changes() -> u64 {
    CHANGES.load(Ordering::Acquire)
}

fn note_change(before: u8, now: u8) {
    if before != now {
        CHANGES.fetch_add(1, Ordering::Release);
    }
}

/// What a variable's value is projected to after each step of an optimizer, such as weights of a norm of at most 2.
pub trait VariableConstraint: Send + Sync + fmt::Debug {
    /// The value that is nearest and allowed, of the same dtype and shape.
    ///
    /// # Errors
    /// What the operations answer that it is made of.
    fn project(&self, value: &Tensor) -> Result<Tensor>;
}

/// A changeable value with a name.
pub(crate) struct Resource {
    pub name: String,
    pub dtype: DType,
    /// The shape every value must have; `None` where only the dtype is fixed.
    pub shape: Option<Shape>,
    /// Whether it is trained, and why not: [`MADE_FIXED`] and the like.
    training: AtomicU8,
    /// Where a module holds it, as [`Module`](crate::Module) found it first: what messages call one that has no name.
    path: OnceLock<String>,
    /// What adds to a loss for its size, as the library above keeps it.
    regularizer: OnceLock<Arc<dyn Any + Send + Sync>>,
    /// What optimizers project it to.
    constraint: OnceLock<Arc<dyn VariableConstraint>>,
    value: Guarded,
}

impl Resource {
    /// A handle of a new resource that holds `value`.
    #[track_caller]
    pub fn handle(name: String, value: Tensor, shape: Option<Shape>, trainable: bool) -> Tensor {
        let dtype = value.dtype();
        // A new identity: the value must not be taken for the tensor that it was made from.
        let value = Guarded::new(value.alias());
        let training = AtomicU8::new(if trainable { 0 } else { FIXED | MADE_FIXED });
        Tensor::object(Box::new(Self {
            name,
            dtype,
            shape,
            training,
            path: OnceLock::new(),
            regularizer: OnceLock::new(),
            constraint: OnceLock::new(),
            value,
        }))
    }

    /// Whether tapes watch it when it is read.
    #[inline]
    pub fn trainable(&self) -> bool {
        self.training.load(Ordering::Relaxed) & (FROZEN | FIXED) == 0
    }

    /// Whether it was trainable when it was made.
    pub fn made_trainable(&self) -> bool {
        self.training.load(Ordering::Relaxed) & MADE_FIXED == 0
    }

    /// Whether somebody froze it, also where it is not meant to be trained.
    pub fn is_frozen(&self) -> bool {
        self.training.load(Ordering::Relaxed) & FROZEN != 0
    }

    /// Freezes it, or takes that back: what is not meant to be trained then still is not.
    pub fn set_frozen(&self, frozen: bool) {
        let before = match frozen {
            true => self.training.fetch_or(FROZEN, Ordering::Relaxed),
            false => self.training.fetch_and(!FROZEN, Ordering::Relaxed),
        };
        note_change(before, self.training.load(Ordering::Relaxed));
    }

    /// Is trained, or not, as another is and for the same reasons, from the start.
    pub fn set_training_of(&self, other: &Self) {
        self.training.store(other.training.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Gives it a regularizer, if it has none yet.
    pub fn set_regularizer(&self, regularizer: Arc<dyn Any + Send + Sync>) {
        let _ = self.regularizer.set(regularizer);
    }

    /// What adds to a loss for its size.
    pub fn regularizer(&self) -> Option<&Arc<dyn Any + Send + Sync>> {
        self.regularizer.get()
    }

    /// Makes it trained, whatever it was meant for.
    pub fn set_meant_to_train(&self) {
        let before = self.training.fetch_and(!(FROZEN | FIXED), Ordering::Relaxed);
        note_change(before, self.training.load(Ordering::Relaxed));
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

    /// What optimizers project it to, if anything.
    pub fn constraint(&self) -> Option<&Arc<dyn VariableConstraint>> {
        self.constraint.get()
    }

    /// Has optimizers project it; answers whether it had no constraint yet.
    pub fn set_constraint(&self, constraint: Arc<dyn VariableConstraint>) -> bool {
        self.constraint.set(constraint).is_ok()
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
