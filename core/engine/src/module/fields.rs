//! The visit of a module's fields: where it stands, and what is collected on the way, names or a signature.
//! Derived code and hand-written `visit`s tell [`Fields`] of each field.

use super::objects::SlotTable;
use super::{LazyVariable, Module, SavedState};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{Error, Result};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The identity of a module's state; see [`Module::signature`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature(pub(super) Vec<u64>);

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
    /// A part begins, a field or an element; what comes until it is left lies in it.
    fn enter(&mut self, _path: &Path<'_>, _type_name: &'static str) {}
    /// The part is what a pointer leads to.
    fn points_to(&mut self, _type_name: &'static str) {}
    /// The part is one setting, not a module.
    fn setting(&mut self) {}
    /// The part is a module, whatever it holds.
    fn object(&mut self) {}
    /// The part that was entered last ends.
    fn leave(&mut self) {}
    /// The place of a variable that a layer makes when it is called first.
    fn place(&mut self, path: &Path<'_>, place: &LazyVariable) {
        self.variable(path, place.id(), place.get());
    }
    /// The values that an optimizer keeps for each variable.
    fn slots(&mut self, path: &Path<'_>, slots: &Arc<dyn SlotTable>) {
        let all = Path { above: Some(path), name: Name::Field("slots") };
        for (i, (_, values)) in slots.all().iter().enumerate() {
            let item = Path { above: Some(&all), name: Name::Index(i) };
            for (name, value) in slots.names().iter().zip(values) {
                self.part(&Path { above: Some(&item), name: Name::Field(name.slot) }, value);
            }
        }
    }
    /// A variable that exists, or the place of one that may not be built yet, under the number that stands for it.
    fn variable(&mut self, path: &Path<'_>, id: u64, variable: Option<&Variable>);
    /// A variable of an object that stands for all it makes, one after the other, under one number.
    fn part(&mut self, path: &Path<'_>, variable: &Variable);
    /// Dtype and shape of a tensor.
    fn tensor(&mut self, tensor: &Tensor);
    /// One word of a setting.
    fn word(&mut self, word: u64);
    /// Whether words are wanted at all.
    fn wants_words(&self) -> bool;
    /// Whether anybody asks what is left out.
    fn wants_skipped(&self) -> bool {
        false
    }
    /// One word of a cell that is left out.
    fn skipped(&mut self, _path: &Path<'_>, _word: u64) {}
    /// A field that is left out, may change, and cannot be looked at.
    fn unseen(&mut self, _path: &Path<'_>) {}
    /// An object of the host that checkpoints hold. Signatures leave it out: a trace takes nothing of it in.
    fn state(&mut self, _path: &Path<'_>, _state: &dyn SavedState) {}
}

/// Tells a sink every field of a module.
pub(crate) fn visit(module: &dyn Module, sink: &mut dyn Sink) {
    module.visit(&mut Fields { path: Path::ROOT, sink });
}

/// Variables by their paths, and the paths of those that are not made yet. Variables without a name are told where they are.
pub(super) struct Named {
    /// The module's type.
    of: &'static str,
    pub built: Vec<(String, Variable)>,
    pub missing: Vec<String>,
}

impl Named {
    pub fn of<M: Module + ?Sized>(module: &M) -> Self {
        let mut named = Self { of: std::any::type_name::<M>(), built: Vec::new(), missing: Vec::new() };
        module.visit(&mut Fields { path: Path::ROOT, sink: &mut named });
        named
    }

    /// A path as messages have it: `Net.hidden.kernel`, without the type where that has no name of its own.
    #[cold]
    fn spoken(&self, path: &str) -> String {
        let plain = self.of.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
        let root = self.of.rsplit("::").next().filter(|_| plain);
        root.into_iter().chain(path.split('/')).collect::<Vec<_>>().join(".")
    }

    /// All variables, or an error where layers have yet to make some: a list without them would go unnoticed.
    pub fn complete(self, list: &str) -> Result<Vec<(String, Variable)>> {
        match self.missing.is_empty() {
            true => Ok(self.built),
            false => Err(not_built(list, &self.missing)),
        }
    }
}

/// How many missing variables a message names.
const NAMED: usize = 4;

#[cold]
fn not_built(list: &str, missing: &[String]) -> Error {
    let layer = |path: &String| path.rsplit_once('/').map(|(layer, _)| layer.to_owned());
    let what = match layer(&missing[0]) {
        Some(layer) => format!("the layer `{layer}` is not built yet"),
        None => "the layer is not built yet".to_owned(),
    };
    let names: Vec<String> = missing.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    let more = missing.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    Error::failed_precondition(list, what)
        .got(match missing[0].is_empty() {
            true => "a variable that is not made yet".to_owned(),
            false => format!("no variable yet for {}{more}", names.join(", ")),
        })
        .expected("a module whose layers are all built, so that no variable is missing in the list")
        .help(
            "call the model once on an input, or the layer's `build(input_shape)`, and ask then; `built_variables()` lists what is \
             there so far",
        )
}

impl Sink for Named {
    fn variable(&mut self, path: &Path<'_>, _: u64, variable: Option<&Variable>) {
        match variable {
            None => self.missing.push(path.to_string()),
            Some(variable) if self.built.iter().all(|(_, other)| other.id() != variable.id()) => {
                let path = path.to_string();
                // A variable by itself is in no module, and one in a list by itself has but a number there.
                if path.contains(|c: char| !c.is_ascii_digit() && c != '/') {
                    variable.note_path(|| self.spoken(&path));
                }
                self.built.push((path, variable.clone()));
            }
            Some(_) => {}
        }
    }
    fn part(&mut self, path: &Path<'_>, variable: &Variable) {
        self.variable(path, variable.id(), Some(variable));
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
    fn part(&mut self, _: &Path<'_>, _: &Variable) {}
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

fn type_name_of<T: ?Sized>(_: &T) -> &'static str {
    std::any::type_name::<T>()
}

/// What [`Module::visit`] tells its fields to.
pub struct Fields<'a> {
    pub(super) path: Path<'a>,
    pub(super) sink: &'a mut dyn Sink,
}

impl Fields<'_> {
    fn inner(&mut self, name: Name<'_>, value: &(impl Module + ?Sized)) {
        let path = Path { above: Some(&self.path), name };
        self.sink.enter(&path, type_name_of(value));
        value.visit(&mut Fields { path, sink: self.sink });
        self.sink.leave();
    }

    /// This module is what a pointer leads to.
    pub(super) fn pointed(&mut self, value: &(impl Module + ?Sized)) {
        self.sink.points_to(type_name_of(value));
        value.visit(&mut Fields { path: self.path, sink: self.sink });
    }

    /// This module keeps values for variables.
    pub(crate) fn slots(&mut self, slots: &Arc<dyn SlotTable>) {
        self.sink.slots(&self.path, slots);
    }

    /// What this module holds, such as the length of a list: part of the signature, no setting of the user's.
    pub(super) fn structure(&mut self, value: &(impl Hash + ?Sized)) {
        if self.sink.wants_words() {
            value.hash(&mut Words(self.sink));
        }
    }

    /// Settings of this module itself, such as the options of a layer, compared by value.
    pub fn settings(&mut self, value: &(impl Hash + ?Sized)) {
        self.sink.object();
        self.structure(value);
    }

    /// A named field.
    pub fn field(&mut self, name: &str, value: &(impl Module + ?Sized)) {
        self.inner(Name::Field(name), value);
    }

    /// An element of a list, or a field of a tuple.
    pub fn item(&mut self, index: usize, value: &(impl Module + ?Sized)) {
        self.inner(Name::Index(index), value);
    }

    /// Whether the visit looks at a module in the middle of its use.
    pub(super) fn looks_on(&self) -> bool {
        self.sink.wants_skipped()
    }

    /// A field that is left out, by what it holds.
    pub(super) fn skipped(&mut self, name: &str, tell: impl FnOnce(&mut dyn FnMut(u64))) {
        if self.sink.wants_skipped() {
            let path = Path { above: Some(&self.path), name: Name::Field(name) };
            tell(&mut |word| self.sink.skipped(&path, word));
        }
    }

    /// A field that is left out and cannot be looked at.
    pub(super) fn unseen(&mut self, name: &str) {
        if self.sink.wants_skipped() {
            self.sink.unseen(&Path { above: Some(&self.path), name: Name::Field(name) });
        }
    }

    /// This module is a variable.
    pub fn variable(&mut self, variable: &Variable) {
        self.sink.variable(&self.path, variable.id(), Some(variable));
    }

    /// This module is a tensor: what it holds may change from call to call, its dtype and shape count.
    pub fn tensor(&mut self, tensor: &Tensor) {
        self.sink.tensor(tensor);
    }

    /// This module is an object of the host with a state of its own.
    #[doc(hidden)]
    pub fn state(&mut self, state: &dyn SavedState) {
        self.sink.state(&self.path, state);
    }

    /// This module is a setting, compared by value.
    pub fn value(&mut self, value: &(impl Hash + ?Sized)) {
        self.sink.setting();
        self.structure(value);
    }
}

impl fmt::Debug for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fields({})", self.path)
    }
}
