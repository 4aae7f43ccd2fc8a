//! How much memory the work of a thread touches: bytes given out, moved and folded, and how many steps did it.
//! Kernels, plans and lists note it while a test counts; the tests of how costs grow compare the counts, which never vary.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the work of a thread took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Bytes that were given out, written or read by kernels, copies and passes, on the CPU or a GPU.
    pub bytes: u64,
    /// Kernels, copies and passes.
    pub steps: u64,
}

/// Set once somebody counts; without, a note costs a single load.
static IN_USE: AtomicBool = AtomicBool::new(false);

thread_local! {
    static MOVED: Cell<Option<Moved>> = const { Cell::new(None) };
}

/// Runs `body` and answers what this thread's work in it took.
pub fn moved<R>(body: impl FnOnce() -> R) -> (R, Moved) {
    struct Restore(Option<Moved>);
    impl Drop for Restore {
        fn drop(&mut self) {
            MOVED.set(self.0);
        }
    }
    IN_USE.store(true, Ordering::Relaxed);
    let _restore = Restore(MOVED.replace(Some(Moved::default())));
    let result = body();
    (result, MOVED.get().unwrap_or_default())
}

/// Notes one step over so many bytes; the number is asked for only while somebody counts.
#[inline]
pub fn note(bytes: impl FnOnce() -> usize) {
    if IN_USE.load(Ordering::Relaxed) {
        add(bytes(), 1);
    }
}

/// Notes memory that was given out.
#[inline]
pub fn note_memory(bytes: usize) {
    if IN_USE.load(Ordering::Relaxed) {
        add(bytes, 0);
    }
}

#[cold]
fn add(bytes: usize, steps: u64) {
    // A thread that ends may still free and take memory.
    let _ = MOVED.try_with(|moved| {
        if let Some(all) = moved.get() {
            moved.set(Some(Moved { bytes: all.bytes + bytes as u64, steps: all.steps + steps }));
        }
    });
}
