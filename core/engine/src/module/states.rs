//! The states of a module's objects on the host: saved, read and checked, and taken back, by their numbers.
//! Checkpoints visit a module with these, since a visit lends such objects only while it lasts.

use super::fields::{Path, Sink, visit};
use super::{Module, Prepared, SavedState, StateValue};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::Result;
use std::collections::HashMap;

/// Calls a function for each such object.
struct Each<F>(F);

impl<F: FnMut(&Path<'_>, &dyn SavedState)> Sink for Each<F> {
    fn state(&mut self, path: &Path<'_>, state: &dyn SavedState) {
        (self.0)(path, state);
    }
    fn variable(&mut self, _: &Path<'_>, _: u64, _: Option<&Variable>) {}
    fn part(&mut self, _: &Path<'_>, _: &Variable) {}
    fn tensor(&mut self, _: &Tensor) {}
    fn word(&mut self, _: u64) {}
    fn wants_words(&self) -> bool {
        false
    }
}

/// What `of` makes of each object, by its number; the first error ends it.
fn each<T>(module: &dyn Module, mut of: impl FnMut(&dyn SavedState) -> Result<Option<T>>) -> Result<HashMap<u64, T>> {
    let (mut all, mut failed) = (HashMap::new(), None);
    visit(
        module,
        &mut Each(|path: &Path<'_>, state: &dyn SavedState| {
            if failed.is_some() || all.contains_key(&state.id()) {
                return;
            }
            match of(state) {
                Ok(Some(value)) => drop(all.insert(state.id(), value)),
                Ok(None) => {}
                Err(error) => failed = Some(error.variable(path.to_string())),
            }
        }),
    );
    failed.map_or(Ok(all), Err)
}

/// The states as they are now.
///
/// # Errors
/// What an object answers that cannot be saved.
pub fn save_states(module: &dyn Module) -> Result<HashMap<u64, StateValue>> {
    each(module, |state| state.save().map(Some))
}

/// Reads and checks states; nothing changes.
///
/// # Errors
/// What an object answers whose state is damaged, or that of another object.
pub fn prepare_states(module: &dyn Module, saved: &HashMap<u64, StateValue>) -> Result<HashMap<u64, Prepared>> {
    each(module, |state| saved.get(&state.id()).map(|value| state.prepare(value)).transpose())
}

/// Takes back what was prepared.
pub fn commit_states(module: &dyn Module, mut prepared: HashMap<u64, Prepared>) {
    visit(
        module,
        &mut Each(|_: &Path<'_>, state: &dyn SavedState| {
            if let Some(prepared) = prepared.remove(&state.id()) {
                state.commit(prepared);
            }
        }),
    );
}
