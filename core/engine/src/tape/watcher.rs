//! Which variables a stretch of code reads: a function with a gradient of its own must not hide variables from tapes.
//! `custom` starts a watcher around the function's body, and every noted read tells the watchers.

use crate::tensor::local::{LOCAL, mode};
use crate::tensor::{Resource, Tensor};
use std::cell::RefCell;

thread_local! {
    /// Trainable variables read since each watcher started.
    static WATCHERS: RefCell<Vec<(u64, Vec<Tensor>)>> = const { RefCell::new(Vec::new()) };
}

/// Collects the trainable variables that are read while it lives and tapes or accumulators are active.
pub(crate) struct Watcher(u64);

impl Watcher {
    pub fn start() -> Self {
        let id = LOCAL.with(|local| {
            local.set_mode(mode::WATCH, true);
            local.fresh_id()
        });
        WATCHERS.with_borrow_mut(|all| all.push((id, Vec::new())));
        Self(id)
    }

    /// The handles, each once, in the order of the first read.
    pub fn finish(self) -> Vec<Tensor> {
        WATCHERS.with_borrow_mut(|all| {
            all.iter_mut().find(|(id, _)| *id == self.0).map(|(_, seen)| std::mem::take(seen)).unwrap_or_default()
        })
    }

    /// Tells the watchers that a variable is read.
    #[inline]
    pub fn see(handle: &Tensor) {
        if LOCAL.with(|local| local.has(mode::WATCH)) {
            Self::tell(handle);
        }
    }

    #[cold]
    fn tell(handle: &Tensor) {
        let _ = WATCHERS.try_with(|all| {
            let mut all = all.borrow_mut();
            if !handle.as_object::<Resource>().is_some_and(|r| r.trainable()) {
                return;
            }
            for (_, seen) in all.iter_mut() {
                if seen.iter().all(|other| other.id() != handle.id()) {
                    seen.push(handle.clone());
                }
            }
        });
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // Dropped handles may free a variable, so they leave the list before they go.
        let _gone = WATCHERS.try_with(|all| {
            let mut all = all.borrow_mut();
            let at = all.iter().position(|(id, _)| *id == self.0);
            let gone = at.map(|at| all.remove(at));
            LOCAL.with(|local| local.set_mode(mode::WATCH, !all.is_empty()));
            gone
        });
    }
}
