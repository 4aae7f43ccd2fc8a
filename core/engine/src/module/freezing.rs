//! Freezing: what `set_trainable` of a module does to its variables and to the places of those to come, and how signatures show it.
//! `Module` calls it; places ask it when their variable is made.

use super::fields::{Path, Sink};
use super::lazy::LazyVariable;
use crate::tensor::Tensor;
use crate::variable::Variable;
use std::sync::atomic::{Ordering, fence};

/// In the word of a variable in a signature, beside its number: it is not trained. Numbers stay far below.
const NOT_TRAINED: u64 = 1 << 60;
/// In the word of a place: its variable is trained, or not, by itself, unlike the layer.
const BY_ITSELF: u64 = 1 << 61;

/// Whether two words of signatures differ in whether a variable is trained, and in nothing else.
pub(crate) fn differ_in_training(one: u64, other: u64) -> bool {
    one != other && (one ^ other) & !(NOT_TRAINED | BY_ITSELF) == 0
}

/// What a signature says of a variable.
pub(crate) fn word_of(variable: &Variable) -> u64 {
    variable.id() | if variable.trainable() { 0 } else { NOT_TRAINED }
}

impl LazyVariable {
    /// What a signature says of the place. It is the same before its variable is made and after.
    pub(crate) fn word(&self) -> u64 {
        let frozen = self.0.frozen.load(Ordering::Relaxed);
        let by_itself = |v: &Variable| v.trainable() != (v.made_trainable() && !frozen);
        let layer = if frozen { NOT_TRAINED } else { 0 };
        let own = if self.get().is_some_and(by_itself) { BY_ITSELF } else { 0 };
        self.id() | layer | own
    }

    /// Freezes the variable, now or when it is made; or takes that back.
    fn set_frozen(&self, frozen: bool) {
        self.0.frozen.store(frozen, Ordering::Relaxed);
        // Either this sees the variable, or whoever makes it sees the mark: see `freeze_what_was_made`.
        fence(Ordering::SeqCst);
        if let Some(variable) = self.get() {
            variable.set_frozen(frozen);
        }
    }

    /// The variable is there: freezes it where the layer is frozen.
    pub(super) fn freeze_what_was_made(&self, variable: &Variable) {
        fence(Ordering::SeqCst);
        if self.0.frozen.load(Ordering::Relaxed) {
            variable.set_frozen(true);
        }
    }
}

/// Freezes all that a visit comes to, or takes that back.
pub(super) struct Freeze(pub bool);

impl Sink for Freeze {
    fn variable(&mut self, path: &Path<'_>, _: u64, variable: Option<&Variable>) {
        if !path.not_trainable {
            variable.into_iter().for_each(|variable| variable.set_frozen(self.0));
        }
    }
    fn lazy(&mut self, path: &Path<'_>, place: &LazyVariable) {
        if !path.not_trainable {
            place.set_frozen(self.0);
        }
    }
    fn part(&mut self, _: &Path<'_>, _: &Variable) {}
    fn tensor(&mut self, _: &Tensor) {}
    fn word(&mut self, _: u64) {}
    fn wants_words(&self) -> bool {
        false
    }
}
