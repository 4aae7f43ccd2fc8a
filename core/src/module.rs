//! Modules: structs of layers, variables and settings, whose variables are found and whose identity is compared.
//! `#[derive(Module)]` writes [`Module::visit`]; optimizers, checkpoints and traced functions read what it visits.

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::shape::{Dim, Shape};
use crate::tensor::Tensor;
use crate::variable::Variable;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A tree of variables and settings: a layer, a model, an optimizer, or a plain field of one.
///
/// Derive it: every field is visited in the order of the declaration. Variables and tensors may be nested in
/// `Option`, `Vec`, `Box`, arrays, tuples and other modules; numbers, texts and derived enums are settings, which make
/// the [`signature`](Self::signature). `#[module(skip)]` leaves a field out; `#[module(value)]` takes any `Hash` type
/// as a setting.
///
/// ```
/// use eagerflow as tf;
/// use tf::{Fields, Module, Variable};
/// struct Dense { kernel: Variable, bias: Option<Variable>, rate: f32 }
/// impl Module for Dense {
///     fn visit(&self, fields: &mut Fields<'_>) {
///         fields.field("kernel", &self.kernel);
///         fields.field("bias", &self.bias);
///         fields.field("rate", &self.rate);
///     }
/// }
/// let net = vec![Dense { kernel: Variable::new([[1.0]]), bias: None, rate: 0.5 }];
/// assert_eq!(net.named_variables()[0].0, "0/kernel");
/// assert_eq!(net.trainable_variables().len(), 1);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a module",
    label = "`Module` is not implemented for `{Self}`",
    note = "derive `Module` for it; or mark the field with `#[module(value)]` if it is a setting that implements `Hash`, or with `#[module(skip)]` if it does not matter"
)]
pub trait Module {
    /// Names every field in turn, see [`Fields`]; the derive macro writes it.
    fn visit(&self, fields: &mut Fields<'_>);

    /// All variables in the order of the fields, each once.
    fn variables(&self) -> Vec<Variable> {
        self.named_variables().into_iter().map(|(_, variable)| variable).collect()
    }

    /// The variables that tapes watch and optimizers update.
    fn trainable_variables(&self) -> Vec<Variable> {
        self.variables().into_iter().filter(Variable::trainable).collect()
    }

    /// The variables with their paths, such as `"layers/0/kernel"`; a shared one is listed at its first place.
    fn named_variables(&self) -> Vec<(String, Variable)> {
        let mut list = Named::default();
        self.visit(&mut Fields { path: Path::ROOT, sink: &mut list });
        list.0
    }

    /// What tells two states of a module apart when a function is traced: which variables it holds, and the values of
    /// its settings. A variable that is yet to be built counts by its place, so building it changes nothing.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::{Module, Variable};
    /// let v = Variable::new(1.0);
    /// let before = (v.clone(), 0.5f32).signature();
    /// v.assign(&tf::constant(2.0));
    /// assert_eq!(before, (v.clone(), 0.5f32).signature());
    /// assert_ne!(before, (v, 0.6f32).signature());
    /// ```
    fn signature(&self) -> Signature {
        let mut words = Signature(Vec::new());
        self.visit(&mut Fields { path: Path::ROOT, sink: &mut words });
        words
    }
}

/// The identity of a module's state; see [`Module::signature`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature(Vec<u64>);

/// Where a visit stands: the names from the root down, as a chain through the callers' frames.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    pub above: Option<&'a Path<'a>>,
    pub name: Name<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum Name<'a> {
    Root,
    Field(&'a str),
    Index(usize),
}

impl Path<'_> {
    pub const ROOT: Path<'static> = Path { above: None, name: Name::Root };
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(above) = self.above
            && !matches!(above.name, Name::Root)
        {
            write!(f, "{above}/")?;
        }
        match self.name {
            Name::Root => Ok(()),
            Name::Field(name) => f.write_str(name),
            Name::Index(index) => write!(f, "{index}"),
        }
    }
}

/// What a visit is for.
pub(crate) trait Sink {
    /// A variable that exists, or the place of one that may not be built yet, under the number that stands for it.
    fn variable(&mut self, path: &Path<'_>, id: u64, variable: Option<&Variable>);
    /// Dtype and shape of a tensor.
    fn tensor(&mut self, tensor: &Tensor);
    /// One word of a setting.
    fn word(&mut self, word: u64);
    /// Whether words are wanted at all.
    fn wants_words(&self) -> bool;
}

/// Tells a sink every field of a module.
pub(crate) fn visit(module: &dyn Module, sink: &mut dyn Sink) {
    module.visit(&mut Fields { path: Path::ROOT, sink });
}

#[derive(Default)]
struct Named(Vec<(String, Variable)>);

impl Sink for Named {
    fn variable(&mut self, path: &Path<'_>, _: u64, variable: Option<&Variable>) {
        if let Some(variable) = variable
            && self.0.iter().all(|(_, other)| other.id() != variable.id())
        {
            self.0.push((path.to_string(), variable.clone()));
        }
    }
    fn tensor(&mut self, _: &Tensor) {}
    fn word(&mut self, _: u64) {}
    fn wants_words(&self) -> bool {
        false
    }
}

impl Sink for Signature {
    fn variable(&mut self, _: &Path<'_>, id: u64, _: Option<&Variable>) {
        self.0.push(id);
    }
    fn tensor(&mut self, tensor: &Tensor) {
        self.0.push(tensor.dtype() as u64);
        tensor.shape().hash(&mut Words(self));
    }
    fn word(&mut self, word: u64) {
        self.0.push(word);
    }
    fn wants_words(&self) -> bool {
        true
    }
}

/// Collects what a `Hash` implementation feeds to a hasher, so that settings are compared exactly, not by a hash.
struct Words<'a>(&'a mut dyn Sink);

impl Hasher for Words<'_> {
    fn finish(&self) -> u64 {
        0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0.word(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0.word(u64::from_le_bytes(word));
        }
    }
    fn write_u64(&mut self, word: u64) {
        self.0.word(word);
    }
}

/// What [`Module::visit`] tells its fields to.
pub struct Fields<'a> {
    path: Path<'a>,
    sink: &'a mut dyn Sink,
}

impl Fields<'_> {
    fn inner(&mut self, name: Name<'_>, value: &(impl Module + ?Sized)) {
        let path = Path { above: Some(&self.path), name };
        value.visit(&mut Fields { path, sink: self.sink });
    }

    /// A named field.
    pub fn field(&mut self, name: &str, value: &(impl Module + ?Sized)) {
        self.inner(Name::Field(name), value);
    }

    /// An element of a list, or a field of a tuple.
    pub fn item(&mut self, index: usize, value: &(impl Module + ?Sized)) {
        self.inner(Name::Index(index), value);
    }

    /// This module is a variable.
    pub fn variable(&mut self, variable: &Variable) {
        self.sink.variable(&self.path, variable.id(), Some(variable));
    }

    /// This module is a tensor: what it holds may change from call to call, its dtype and shape count.
    pub fn tensor(&mut self, tensor: &Tensor) {
        self.sink.tensor(tensor);
    }

    /// This module is a setting, compared by value.
    pub fn value(&mut self, value: &(impl Hash + ?Sized)) {
        if self.sink.wants_words() {
            value.hash(&mut Words(self.sink));
        }
    }
}

impl fmt::Debug for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fields({})", self.path)
    }
}

/// A variable that a layer makes when it sees its first input.
///
/// Clones share the place, and with it the variable. Its signature is that of the place, built or not.
///
/// ```
/// use eagerflow as tf;
/// use tf::{LazyVariable, Module, Variable};
/// let kernel = LazyVariable::new();
/// let before = kernel.signature();
/// assert!(kernel.variables().is_empty());
/// let v = kernel.get_or_build(|| Ok(Variable::new([1.0, 2.0]))).unwrap();
/// assert_eq!(kernel.variables()[0].id(), v.id());
/// assert_eq!(kernel.signature(), before);
/// ```
#[derive(Clone)]
pub struct LazyVariable(Arc<Place>);

struct Place {
    id: u64,
    variable: OnceLock<Variable>,
    /// Held while a variable is made, so that two threads do not make two.
    building: Mutex<()>,
}

impl LazyVariable {
    /// An empty place.
    pub fn new() -> Self {
        // Places and tensors count apart; the high bit keeps their numbers from meeting in a signature.
        static NEXT: AtomicU64 = AtomicU64::new(1 << 63);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(Arc::new(Place { id, variable: OnceLock::new(), building: Mutex::new(()) }))
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
        let variable = crate::function::init_scope(build)?;
        Ok(self.0.variable.get_or_init(|| variable))
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
        fields.sink.variable(&fields.path, self.0.id, self.get());
    }
}

impl Module for Variable {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.variable(self);
    }
}

impl Module for Tensor {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.tensor(self);
    }
}

macro_rules! settings {
    ($($t:ty),*) => {$(
        impl Module for $t {
            fn visit(&self, fields: &mut Fields<'_>) {
                fields.value(self);
            }
        }
    )*};
}

settings!(bool, char, u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, str, String, DType, Shape, Dim);
settings!((), std::num::NonZeroUsize, std::time::Duration, std::path::Path, std::path::PathBuf);

macro_rules! floats {
    ($($t:ty),*) => {$(
        impl Module for $t {
            fn visit(&self, fields: &mut Fields<'_>) {
                // By bits: a nan is the same setting as before, and -0.0 is another one than 0.0.
                fields.value(&self.to_bits());
            }
        }
    )*};
}

floats!(f32, f64, crate::f16, crate::bf16);

macro_rules! pointers {
    ($($t:ty),*) => {$(
        impl<T: Module + ?Sized> Module for $t {
            fn visit(&self, fields: &mut Fields<'_>) {
                (**self).visit(fields);
            }
        }
    )*};
}

pointers!(Box<T>, std::rc::Rc<T>, Arc<T>, &T, &mut T);

impl<T: ?Sized> Module for std::marker::PhantomData<T> {
    fn visit(&self, _: &mut Fields<'_>) {}
}

impl<T: Module> Module for Option<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&self.is_some());
        if let Some(value) = self {
            value.visit(fields);
        }
    }
}

impl<T: Module> Module for OnceLock<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&self.get().is_some());
        if let Some(value) = self.get() {
            value.visit(fields);
        }
    }
}

impl<T: Module> Module for Mutex<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.lock().unwrap_or_else(PoisonError::into_inner).visit(fields);
    }
}

impl<T: Copy + Module> Module for std::cell::Cell<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.get().visit(fields);
    }
}

impl<T: Module> Module for [T] {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&self.len());
        for (i, item) in self.iter().enumerate() {
            fields.item(i, item);
        }
    }
}

impl<T: Module> Module for Vec<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.as_slice().visit(fields);
    }
}

impl<T: Module, const N: usize> Module for [T; N] {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.as_slice().visit(fields);
    }
}

impl<K: fmt::Display, T: Module> Module for BTreeMap<K, T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&self.len());
        for (key, item) in self {
            let name = key.to_string();
            fields.value(&name);
            fields.field(&name, item);
        }
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Module),*> Module for ($($name,)*) {
            fn visit(&self, fields: &mut Fields<'_>) {
                $(fields.item($index, &self.$index);)*
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

#[cfg(test)]
mod tests {
    use super::*;
    // The derive macro beside the trait.
    use crate::Module;

    #[derive(Module)]
    struct Dense {
        kernel: LazyVariable,
        bias: Option<Variable>,
        rate: f32,
    }

    #[derive(Module)]
    enum Mode {
        Off,
        Scaled(f32),
        Learned { by: Variable },
    }

    #[derive(Module)]
    struct Net<'a, L, const N: usize, T: ?Sized = str>
    where
        L: Clone,
    {
        layers: Vec<L>,
        pair: (Variable, [L; N]),
        #[module(value)]
        key: std::num::NonZeroU8,
        r#type: Mode,
        name: &'a T,
        #[module(skip)]
        _anything: std::collections::HashMap<String, L>,
        kind: std::marker::PhantomData<fn(L)>,
    }

    #[derive(Module)]
    struct Chain {
        v: Variable,
        next: Option<Box<Chain>>,
    }

    #[derive(Module)]
    struct Unit;

    #[derive(Module)]
    enum Never {}

    fn dense(rate: f32) -> Dense {
        Dense { kernel: LazyVariable::new(), bias: Some(Variable::with(1.0, "b", false)), rate }
    }

    fn paths(module: &impl Module) -> Vec<String> {
        module.named_variables().into_iter().map(|(path, _)| path).collect()
    }

    #[test]
    fn derived_modules_visit_all_fields_in_order() {
        let shared = Variable::new(1.0);
        let net = Net {
            layers: vec![shared.clone(), Variable::new(2.0)],
            pair: (Variable::new(3.0), [shared.clone()]),
            key: std::num::NonZeroU8::MIN,
            r#type: Mode::Learned { by: Variable::with(4.0, "by", false) },
            name: "net",
            _anything: Default::default(),
            kind: std::marker::PhantomData,
        };
        assert_eq!(paths(&net), ["layers/0", "layers/1", "pair/0", "type/by"]);
        assert_eq!(net.variables().len(), 4);
        assert_eq!(net.trainable_variables().len(), 3);
        assert_eq!(net.variables()[0].id(), shared.id());
        let chain = Chain { v: shared.clone(), next: Some(Box::new(Chain { v: Variable::new(0.0), next: None })) };
        assert_eq!(paths(&chain), ["v", "next/v"]);
        assert!(Unit.variables().is_empty() && None::<Never>.variables().is_empty());
    }

    #[test]
    fn the_signature_holds_settings_variables_and_places() {
        let one = dense(0.5);
        let before = one.signature();
        assert_eq!(before, one.signature());
        one.kernel.get_or_build(|| Ok(Variable::new([1.0]))).unwrap();
        assert_eq!(before, one.signature(), "building a lazy variable changes nothing");
        assert_eq!(paths(&one), ["kernel", "bias"]);
        let other = Dense { rate: 0.6, kernel: one.kernel.clone(), bias: one.bias.clone() };
        assert_ne!(before, other.signature());
        let none = Dense { rate: 0.5, kernel: one.kernel.clone(), bias: None };
        assert_ne!(before, none.signature());
        assert_ne!(before, dense(0.5).signature(), "other variables");
        let modes = [Mode::Off.signature(), Mode::Scaled(1.0).signature(), Mode::Scaled(2.0).signature()];
        assert!(modes[0] != modes[1] && modes[1] != modes[2]);
        assert_ne!(vec!["ab", "c"].signature(), vec!["a", "bc"].signature());
        assert_ne!((Some(1u8), None::<u8>).signature(), (None::<u8>, Some(1u8)).signature());
        assert_ne!(0.0f32.signature(), (-0.0f32).signature());
    }

    #[test]
    fn a_failed_build_leaves_the_place_empty_and_two_threads_make_one_variable() {
        let place = LazyVariable::new();
        let refused = place.get_or_build(|| Err(Error::invalid_argument("build", "no")));
        assert!(refused.is_err() && place.built("dense").is_err());
        let ids: Vec<u64> = std::thread::scope(|scope| {
            let build = || place.get_or_build(|| Ok(Variable::new(1.0))).unwrap().id();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(build)).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|&id| id == place.built("dense").unwrap().id()));
    }
}
