//! Variables that are made later: the place of a kernel whose shape the first input tells.
//! Layers hold them.

use super::{Fields, Module};
use crate::execute::{Owner, listener};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{Error, Result};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// A variable that a layer makes when it sees its first input.
///
/// Clones share the place, and with it the variable. Its signature is that of the place, built or not.
///
/// ```
/// use eagerflow as tf;
/// use tf::{LazyVariable, Module, Variable};
/// let kernel = LazyVariable::new();
/// let before = kernel.signature();
/// assert!(kernel.built_variables().is_empty() && kernel.try_variables().is_err());
/// let v = kernel.get_or_build(|| Ok(Variable::new([1.0, 2.0]))).unwrap();
/// assert_eq!(kernel.variables()[0].id(), v.id());
/// assert_eq!(kernel.signature(), before);
/// ```
#[derive(Clone)]
pub struct LazyVariable(pub(super) Arc<LazyCell>);

pub(super) struct LazyCell {
    pub id: u64,
    variable: OnceLock<Variable>,
    /// Held while a variable is made, so that two threads do not make two.
    building: Mutex<()>,
    /// Whether the layer is frozen, so that a variable that is made later is, too.
    pub frozen: AtomicBool,
}

impl LazyVariable {
    /// An empty place.
    pub fn new() -> Self {
        // Places and tensors count apart; the high bit keeps their numbers from meeting in a signature.
        static NEXT: AtomicU64 = AtomicU64::new(1 << 63);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(Arc::new(LazyCell {
            id,
            variable: OnceLock::new(),
            building: Mutex::new(()),
            frozen: AtomicBool::new(false),
        }))
    }

    /// A place of its own, with the copy of the variable if there is one, frozen as this one is.
    pub(super) fn copied(&self, variable: Option<Variable>) -> Self {
        let copy = Self::new();
        copy.0.frozen.store(self.0.frozen.load(Ordering::Relaxed), Ordering::Relaxed);
        if let Some(variable) = variable {
            copy.put(variable);
        }
        copy
    }

    /// Puts a variable into the empty place, and tells the trace under way whose it is.
    fn put(&self, variable: Variable) -> &Variable {
        let owner: Weak<LazyCell> = Arc::downgrade(&self.0);
        if let Some(listener) = listener() {
            listener.owned(variable.as_handle(), owner);
        }
        self.0.variable.get_or_init(|| variable)
    }

    /// The variable, once it is built.
    pub fn get(&self) -> Option<&Variable> {
        self.0.variable.get()
    }

    /// The variable; the first call makes it with `build`.
    ///
    /// # Errors
    /// What `build` answers; the place then stays empty.
    pub fn get_or_build(&self, build: impl FnOnce() -> Result<Variable>) -> Result<&Variable> {
        if let Some(variable) = self.0.variable.get() {
            return Ok(variable);
        }
        let _building = self.0.building.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(variable) = self.0.variable.get() {
            return Ok(variable);
        }
        let variable = crate::builder::init_scope(build)?;
        let variable = self.put(variable);
        self.freeze_what_was_made(variable);
        Ok(variable)
    }

    /// The variable, or an error that says it is not built.
    ///
    /// # Errors
    /// FailedPrecondition before the first [`get_or_build`](Self::get_or_build).
    pub fn built(&self, layer: &str) -> Result<&Variable> {
        self.get().ok_or_else(|| {
            Error::failed_precondition(layer, "the layer is not built yet")
                .help("call the layer on an input first: its variables take their shapes from it")
        })
    }
}

impl Owner for LazyCell {
    fn handle(&self, id: u64) -> Option<Tensor> {
        self.variable.get().filter(|variable| variable.id() == id).map(|variable| variable.as_handle().clone())
    }
}

impl Default for LazyVariable {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for LazyVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get() {
            Some(variable) => variable.fmt(f),
            None => f.write_str("<Variable not built>"),
        }
    }
}

impl Module for LazyVariable {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.sink.lazy(&fields.path, self);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}
