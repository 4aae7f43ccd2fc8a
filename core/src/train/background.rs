//! Saving by another thread: one at a time, waited for by the next save, by `wait`, and by the end of the checkpoint.
//! `Checkpoint::save_async` starts one.

use kernels::error::{Error, Result};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A save that another thread does; see [`Checkpoint::save_async`](super::Checkpoint::save_async).
///
/// It goes on if this is dropped.
#[must_use = "`wait` tells whether the checkpoint was saved"]
pub struct PendingSave(Arc<Running>);

#[derive(Default)]
struct Running {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    result: Option<Result<PathBuf>>,
    /// Whether anybody knows the result.
    told: bool,
}

impl Running {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, result: Result<PathBuf>) {
        self.state().result = Some(result);
        self.changed.notify_all();
    }

    /// The result, once it is there; `tell` says that whoever asks passes it on.
    fn wait(&self, tell: bool) -> (Result<PathBuf>, bool) {
        let mut state = self.state();
        loop {
            if let Some(result) = state.result.clone() {
                let told = state.told;
                state.told |= tell;
                return (result, told);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl PendingSave {
    /// Waits until the files are written; answers their path.
    ///
    /// # Errors
    /// What the system answered; the newest checkpoint is then the one before.
    pub fn wait(self) -> Result<PathBuf> {
        self.0.wait(true).0
    }

    /// Whether the files are written, or could not be.
    pub fn is_finished(&self) -> bool {
        self.0.state().result.is_some()
    }
}

impl fmt::Debug for PendingSave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingSave").field("is_finished", &self.is_finished()).finish()
    }
}

/// The save of a checkpoint that may be under way.
#[derive(Default)]
pub(super) struct Background(Mutex<Option<Arc<Running>>>);

impl Background {
    /// Waits for a save that is under way. The error of one that nobody else was told of is told here.
    pub fn wait(&self) -> Result<()> {
        let Some(running) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else { return Ok(()) };
        match running.wait(true) {
            (Err(error), false) => Err(error),
            _ => Ok(()),
        }
    }

    /// Starts a save.
    pub fn start(&self, save: impl FnOnce() -> Result<PathBuf> + Send + 'static) -> PendingSave {
        let running = Arc::new(Running::default());
        let its = running.clone();
        let work = move || {
            let panicked = |_| Err(Error::internal("save", "the thread that saves a checkpoint panicked"));
            its.finish(catch_unwind(AssertUnwindSafe(save)).unwrap_or_else(panicked));
        };
        if let Err(error) = std::thread::Builder::new().name("eagerflow-save".into()).spawn(work) {
            let what = "the system gives no thread to save the checkpoint by";
            running.finish(Err(Error::resource_exhausted("save", what).got(error)));
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(running.clone());
        PendingSave(running)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Err(error) = self.wait() {
            eprintln!("warning: a checkpoint was not saved: {error}");
        }
    }
}
