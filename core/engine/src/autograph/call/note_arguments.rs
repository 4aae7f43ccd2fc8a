//! What a call notes of its arguments: tensors, host values, modules, and what nothing is known of.
//! The code that the attribute writes at the head of a function calls these through [`rt`](crate::autograph::rt).

use super::Call;
use crate::module::Module;
use crate::structure::{Nest, visit_slice};
use crate::tensor::Tensor;
use std::any::Any;
use std::hash::Hash;

impl<'v> Call<'v> {
    pub(crate) fn note_nest<T: Nest>(&mut self, name: &'static str, value: &T) {
        if self.notes() {
            self.arguments.nest(name, |leaves| value.visit(leaves));
        }
    }

    /// As [`note_nest`](Self::note_nest); of a tensor the call takes no handle.
    #[inline]
    pub(crate) fn note_reference<T: Nest>(&mut self, name: &'static str, value: &'v T) {
        let any: &'v dyn Any = value;
        match any.downcast_ref::<Tensor>() {
            // SAFETY: the tensor lives for `'v`, which outlives the call and so its arguments.
            Some(tensor) if self.notes() => unsafe { self.arguments.lend(name, tensor) },
            Some(_) => {}
            None => self.note_nest(name, value),
        }
    }

    pub(crate) fn note_slice<T: Nest>(&mut self, name: &'static str, values: &[T]) {
        if self.notes() {
            self.arguments.nest(name, |leaves| visit_slice(values, leaves));
        }
    }

    pub(crate) fn note_option<T: Nest>(&mut self, name: &'static str, value: Option<&T>) {
        if self.notes() {
            self.arguments.nest(name, |leaves| {
                leaves.value(&value.is_some());
                if let Some(value) = value {
                    value.visit(leaves);
                }
            });
        }
    }

    pub(crate) fn note_module(&mut self, name: &'static str, module: &dyn Module) {
        if self.notes() {
            self.arguments.module(name, module);
        }
    }

    pub(crate) fn note_words(&mut self, name: &'static str, value: &impl Hash) {
        if self.notes() {
            self.arguments.nest(name, |leaves| leaves.value(value));
        }
    }

    pub(crate) fn note_opaque<T>(&mut self, name: &'static str) {
        if self.notes() {
            self.arguments.opaque::<T>(name);
        }
    }

    /// A copy of argument `index` whose tensors are symbols, while a trace is made.
    pub(crate) fn symbols<T: Nest>(&self, index: usize, value: &T) -> Option<T> {
        let session = self.session()?;
        let mut leaf = self.arguments.first[index];
        Some(value.map(&mut |_| session.symbol(&mut leaf)))
    }

    pub(crate) fn symbols_of_slice<T: Nest>(&self, index: usize, values: &[T]) -> Option<Vec<T>> {
        let session = self.session()?;
        let mut leaf = self.arguments.first[index];
        Some(values.iter().map(|value| value.map(&mut |_| session.symbol(&mut leaf))).collect())
    }
}
