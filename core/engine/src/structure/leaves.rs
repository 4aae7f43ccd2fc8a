//! What a [`Nest`](super::Nest) tells its parts to: tensors and variables in order, host values as exact words.
//! Traces compare structures by it, and name a leaf by its path: `state.h`.

use crate::module::{Name, Path};
use crate::tensor::Tensor;
use crate::variable::Variable;
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;

/// What a visit of a nest is for.
pub(crate) trait LeafSink {
    /// A tensor: its value may change, its place in the structure may not.
    fn tensor(&mut self, path: &dyn fmt::Display, tensor: &Tensor);
    /// A variable, which is the same one in every call.
    fn variable(&mut self, path: &dyn fmt::Display, variable: &Variable);
    /// One word of a host value.
    fn word(&mut self, path: &dyn fmt::Display, word: u64);
    /// Which of its forms a value has, such as `None`, in the user's words: for messages.
    fn form(&mut self, _path: &dyn fmt::Display, _form: &dyn fmt::Display) {}
    /// The value is the error side of a `Result`.
    fn error(&mut self, _error: &dyn Any) {}
    /// Where the value was made whose last word was told just now.
    fn made_at(&mut self, _line: &'static Location<'static>) {}
}

/// The leaves of a nest, in order.
pub struct Leaves<'a> {
    path: Path<'a>,
    sink: &'a mut dyn LeafSink,
}

impl<'a> Leaves<'a> {
    pub(crate) fn new(sink: &'a mut dyn LeafSink) -> Self {
        Self { path: Path::ROOT, sink }
    }
}

impl Leaves<'_> {
    fn inner(&mut self, name: Name<'_>, value: &(impl super::Nest + ?Sized)) {
        let path = self.path.below(name);
        value.visit(&mut Leaves { path, sink: self.sink });
    }

    /// A named field.
    pub fn field(&mut self, name: &str, value: &(impl super::Nest + ?Sized)) {
        self.inner(Name::Field(name), value);
    }

    /// An element of a list, or a field of a tuple.
    pub fn item(&mut self, index: usize, value: &(impl super::Nest + ?Sized)) {
        self.inner(Name::Index(index), value);
    }

    /// An element that tells its leaves itself.
    pub(crate) fn part(&mut self, index: usize, visit: impl FnOnce(&mut Leaves<'_>)) {
        let path = self.path.below(Name::Index(index));
        visit(&mut Leaves { path, sink: self.sink });
    }

    /// This nest is a tensor.
    pub fn tensor(&mut self, tensor: &Tensor) {
        self.sink.tensor(&self.path, tensor);
    }

    /// This nest is a variable.
    pub fn variable(&mut self, variable: &Variable) {
        self.sink.variable(&self.path, variable);
    }

    /// Which of its forms this nest has, such as `None`: what messages call it. [`value`](Self::value) tells forms apart.
    pub fn form(&mut self, form: &dyn fmt::Display) {
        self.sink.form(&self.path, form);
    }

    pub(crate) fn error(&mut self, error: &dyn Any) {
        self.sink.error(error);
    }

    /// This nest is a closure, told from others by a number.
    pub(crate) fn closure(&mut self, id: u64, made: &'static Location<'static>) {
        self.value(&id);
        self.sink.made_at(made);
    }

    /// This nest is, or begins with, a host value: it is part of the structure, compared exactly.
    pub fn value(&mut self, value: &(impl Hash + ?Sized)) {
        value.hash(&mut Words(self));
    }
}

impl fmt::Debug for Leaves<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Leaves({})", self.path)
    }
}

/// Passes on what a `Hash` implementation feeds to a hasher: values are compared exactly, not by a hash.
struct Words<'a, 'b>(&'a mut Leaves<'b>);

impl Hasher for Words<'_, '_> {
    fn finish(&self) -> u64 {
        0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.write_u64(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
    fn write_u64(&mut self, word: u64) {
        self.0.sink.word(&self.0.path, word);
    }
}
