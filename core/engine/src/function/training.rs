//! Whether the code that this thread runs belongs to a call of a model that is trained: what layers inherit that are not told.
//! Calls of models set it, layers read it, and calls of traced functions have it in their signature.

use super::ReusedArguments;
use std::cell::Cell;

thread_local! {
    static TRAINING: Cell<Option<bool>> = const { Cell::new(None) };
}

/// What the innermost call of a model was told, if one is under way.
pub fn training() -> Option<bool> {
    TRAINING.get()
}

/// While it lives, what this thread runs is a part of a call that was told whether the model is trained.
#[must_use]
pub struct Training(Option<bool>);

/// Begins a part of a call that is told `training`.
pub fn begin_training(training: bool) -> Training {
    Training(TRAINING.replace(Some(training)))
}

// Put back also where the body panics.
impl Drop for Training {
    fn drop(&mut self) {
        TRAINING.set(self.0);
    }
}

/// Runs `body` as a part of a call that is told `training`.
pub fn with_training<R>(training: bool, body: impl FnOnce() -> R) -> R {
    let _told = begin_training(training);
    body()
}

/// The word of a signature whose owner this is.
pub(super) const OWNER: usize = usize::MAX;

impl ReusedArguments {
    /// A trace that was made while a model was trained serves no other calls, and the other way round.
    #[inline]
    pub fn note_training(&mut self) {
        if let Some(training) = TRAINING.get() {
            self.words.push(0x7472_6169_6e00 + u64::from(training));
            self.owners.push(OWNER);
        }
    }
}
