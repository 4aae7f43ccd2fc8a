//! Variables that are made later: the place of a kernel whose shape the first input tells.
//! Layers hold them.

use super::deferred::{DeferredValue, Waiting};
use super::{Fields, Module};
use crate::execute::{Owner, listener};
use crate::tensor::{Tensor, TensorType};
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
    id: u64,
    variable: OnceLock<Variable>,
    /// Held while a variable is made, so that two threads do not make two.
    building: Mutex<()>,
    /// Whether the layer is frozen, so that a variable that is made later is, too.
    pub frozen: AtomicBool,
    /// What a checkpoint has for it.
    waiting: Waiting,
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
            waiting: Waiting::default(),
        }))
    }

    /// A place of its own, with the copy of the variable if there is one, frozen as this one is; what waits for this one waits for both.
    pub(super) fn copied(&self, variable: Option<Variable>) -> Self {
        let copy = Self::new();
        copy.0.frozen.store(self.0.frozen.load(Ordering::Relaxed), Ordering::Relaxed);
        match (variable, self.0.waiting.get()) {
            (Some(variable), _) => drop(copy.put(variable)),
            (None, Some(waiting)) => copy.0.waiting.put(waiting),
            (None, None) => {}
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

    /// The number of the place, which no variable has.
    pub(crate) fn id(&self) -> u64 {
        self.0.id
    }

    /// The variable; the first call makes it, trainable, of `initial`, or of the value that a checkpoint has for it: then `initial`
    /// is not called, so that it draws no random numbers.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let kernel = tf::LazyVariable::new();
    /// let ty = tf::TensorType::new(tf::DType::F32, tf::Shape::new(&[2])?);
    /// let v = kernel.get_or_create("kernel", &ty, || Ok(tf::ones(2)))?;
    /// assert_eq!(v.value().to_vec::<f32>(), [1.0, 1.0]);
    /// # Ok::<(), tf::Error>(())
    /// ```
    ///
    /// # Errors
    /// What `initial` answers, and InvalidArgument where a restored value has another dtype or shape; the place then stays empty.
    #[track_caller]
    pub fn get_or_create(
        &self,
        name: &str,
        ty: &TensorType,
        initial: impl FnOnce() -> Result<Tensor>,
    ) -> Result<&Variable> {
        self.make(|waiting| {
            let value = match waiting {
                Some(waiting) => waiting.value(name, ty)?,
                None => initial()?,
            };
            Ok(Variable::with(value, name, true))
        })
    }

    /// The variable; the first call makes it with `build`. A value that a checkpoint has for it replaces its first one.
    ///
    /// # Errors
    /// What `build` answers; the place then stays empty.
    pub fn get_or_build(&self, build: impl FnOnce() -> Result<Variable>) -> Result<&Variable> {
        self.make(|waiting| {
            let variable = build()?;
            if let Some(waiting) = waiting {
                let value = waiting.value(&variable.label(), &TensorType::new(variable.dtype(), variable.shape()))?;
                variable.try_assign(value)?;
            }
            Ok(variable)
        })
    }

    #[track_caller]
    fn make(&self, make: impl FnOnce(Option<&dyn DeferredValue>) -> Result<Variable>) -> Result<&Variable> {
        if let Some(variable) = self.0.variable.get() {
            return Ok(variable);
        }
        let _building = self.0.building.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(variable) = self.0.variable.get() {
            return Ok(variable);
        }
        let waiting = self.0.waiting.get();
        let variable = crate::builder::init_scope(|| make(waiting.as_deref()))?;
        if let Some(waiting) = waiting {
            waiting.taken(&variable);
            self.0.waiting.clear();
        }
        let variable = self.put(variable);
        self.freeze_what_was_made(variable);
        Ok(variable)
    }

    /// Leaves the value of a checkpoint for the variable; answers the variable where it is made already.
    pub(crate) fn defer(&self, value: Arc<dyn DeferredValue>) -> Option<&Variable> {
        let _building = self.0.building.lock().unwrap_or_else(PoisonError::into_inner);
        if self.get().is_none() {
            self.0.waiting.put(value);
        }
        self.get()
    }

    /// What a checkpoint has for the variable, while it is not made.
    pub(crate) fn waiting(&self) -> Option<Arc<dyn DeferredValue>> {
        self.0.waiting.get()
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
