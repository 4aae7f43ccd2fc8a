//! The visit of a module's fields: where it stands, and what is collected on the way, names or a signature.
//! Derived code and hand-written `visit`s tell [`Fields`] of each field.

use super::freezing::word_of;
use super::lazy::LazyVariable;
use super::list_errors::{is_borrowed, not_built, one_path_each};
use super::objects::SlotTable;
use super::{Module, SavedState};
use crate::tape::IdMap;
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::Result;
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
    /// Names that the field had before, by which an older checkpoint may know it.
    pub former: &'a [&'a str],
    /// Whether this field, or one above it, leaves what lies below out of training.
    pub not_trainable: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Name<'a> {
    Root,
    Field(&'a str),
    Index(usize),
}

impl Path<'_> {
    pub const ROOT: Path<'static> = Path { above: None, name: Name::Root, former: &[], not_trainable: false };
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
    /// The place of a variable that may not be made yet.
    fn lazy(&mut self, path: &Path<'_>, place: &LazyVariable) {
        self.variable(path, place.id(), place.get());
    }
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
    /// A cell that somebody is changing, so that it cannot be looked at.
    fn busy(&mut self, path: &Path<'_>) {
        panic!("the field `{path}` of a module is mutably borrowed while the module is looked at")
    }
    /// An object of the host that checkpoints hold. Signatures leave it out: a trace takes nothing of it in.
    fn state(&mut self, _path: &Path<'_>, _state: &dyn SavedState) {}
    /// The values that an optimizer keeps for each variable, in Keras's order.
    fn slots(&mut self, path: &Path<'_>, slots: &Arc<dyn SlotTable>) {
        let (all, rows) = (path.below(Name::Field("slots")), slots.all());
        let last = slots.names().iter().map(|name| name.stage).max().unwrap_or(0);
        for stage in 0..=last {
            for (i, (_, values)) in rows.iter().enumerate() {
                let item = all.below(Name::Index(i));
                for (name, value) in slots.names().iter().zip(values).filter(|(name, _)| name.stage == stage) {
                    if let Some(value) = value {
                        self.part(&item.below(Name::Field(name.slot)), value);
                    }
                }
            }
        }
    }
    /// Whether anybody asks for the parts within.
    fn wants_parts(&self) -> bool {
        false
    }
    /// A field or an element begins, with the name of its type if it is a module; what comes until it is left lies in it.
    fn enter(&mut self, _path: &Path<'_>, _module: Option<&'static str>) {}
    /// The part that was entered last is left.
    fn leave(&mut self) {}
}

/// Tells a sink every field of a module.
pub(crate) fn visit(module: &dyn Module, sink: &mut dyn Sink) {
    if sink.wants_words()
        && let Some(name) = module.module_name()
    {
        sink.word(word_of_type(name));
    }
    module.visit(&mut Fields { path: Path::ROOT, sink });
}

/// Variables by their paths, and the paths of those that are not made yet. Variables without a name are told where they are.
#[derive(Default)]
pub(super) struct Named {
    /// The module's type.
    of: &'static str,
    pub built: Vec<(String, Variable)>,
    pub missing: Vec<String>,
    /// A cell that somebody was changing, so that its variables are not known.
    busy: Option<String>,
    /// Those that a field on the way leaves out of training.
    pub left_out: IdMap<()>,
}

impl Named {
    pub fn of<M: Module + ?Sized>(module: &M) -> Self {
        let mut named = Self { of: std::any::type_name::<M>(), ..Self::default() };
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
        self.check(list).map(|()| self.built)
    }

    fn check(&self, list: &str) -> Result<()> {
        match (&self.busy, self.missing.is_empty()) {
            (Some(path), _) => Err(is_borrowed(list, path)),
            (None, true) => one_path_each(list, &self.built),
            (None, false) => Err(not_built(list, &self.missing)),
        }
    }

    /// All variables that are trained, or all that are not.
    pub fn trained(self, list: &str, trained: bool) -> Result<Vec<Variable>> {
        self.check(list)?;
        let left_out = |v: &Variable| self.left_out.contains_key(&v.id());
        let all = self.built.into_iter().map(|(_, variable)| variable);
        Ok(all.filter(|v| (v.trainable() && !left_out(v)) == trained).collect())
    }
}

impl Sink for Named {
    fn variable(&mut self, path: &Path<'_>, _: u64, variable: Option<&Variable>) {
        if let Some(variable) = variable.filter(|_| path.not_trainable) {
            self.left_out.insert(variable.id(), ());
        }
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
    fn busy(&mut self, path: &Path<'_>) {
        self.busy.get_or_insert_with(|| path.to_string());
    }
    fn tensor(&mut self, _: &Tensor) {}
    fn word(&mut self, _: u64) {}
    fn wants_words(&self) -> bool {
        false
    }
}

impl Sink for Signature {
    fn variable(&mut self, _: &Path<'_>, id: u64, variable: Option<&Variable>) {
        self.0.push(variable.map_or(id, word_of));
    }
    fn lazy(&mut self, _: &Path<'_>, place: &LazyVariable) {
        self.0.push(place.word());
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

/// What [`Module::visit`] tells its fields to.
pub struct Fields<'a> {
    pub(super) path: Path<'a>,
    pub(super) sink: &'a mut dyn Sink,
}

/// Tells a sink a field or item, at its place.
pub(super) fn visit_at(path: Path<'_>, sink: &mut dyn Sink, value: &(impl Module + ?Sized)) {
    let wanted = sink.wants_parts();
    if wanted {
        sink.enter(&path, value.module_name());
    }
    if sink.wants_words()
        && let Some(name) = value.module_name()
    {
        sink.word(word_of_type(name));
    }
    value.visit(&mut Fields { path, sink });
    if wanted {
        sink.leave();
    }
}

/// A word for a module's type: behind a `dyn` two types may have the same settings, and yet compute something else.
pub(super) fn word_of_type(name: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for chunk in name.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    }
    hash
}

impl Fields<'_> {
    fn inner(&mut self, name: Name<'_>, value: &(impl Module + ?Sized)) {
        visit_at(self.path.below(name), self.sink, value);
    }

    /// A named field.
    pub fn field(&mut self, name: &str, value: &(impl Module + ?Sized)) {
        self.inner(Name::Field(name), value);
    }

    /// An element of a list, or a field of a tuple.
    pub fn item(&mut self, index: usize, value: &(impl Module + ?Sized)) {
        self.inner(Name::Index(index), value);
    }

    /// This module is a cell that somebody is changing.
    pub(super) fn busy(&mut self) {
        if !self.looks_on() {
            self.sink.busy(&self.path);
        }
    }

    /// Whether the visit looks at a module in the middle of its use.
    pub(super) fn looks_on(&self) -> bool {
        self.sink.wants_skipped()
    }

    /// A field that is left out, by what it holds.
    pub(super) fn skipped(&mut self, name: &str, tell: impl FnOnce(&mut dyn FnMut(u64))) {
        if self.sink.wants_skipped() {
            let path = self.path.below(Name::Field(name));
            tell(&mut |word| self.sink.skipped(&path, word));
        }
    }

    /// A field that is left out and cannot be looked at.
    pub(super) fn unseen(&mut self, name: &str) {
        if self.sink.wants_skipped() {
            self.sink.unseen(&self.path.below(Name::Field(name)));
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

    /// This module keeps values for variables.
    pub(crate) fn slots(&mut self, slots: &Arc<dyn SlotTable>) {
        self.sink.slots(&self.path, slots);
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
