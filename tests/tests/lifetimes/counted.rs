//! A counting allocator, and with it how much memory the process holds, the library's own blocks included.
//! The tests of this binary measure with it, one after the other.

use eagerflow as tf;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls go to the system's allocator as they come.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is the callee's condition.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is the callee's condition.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes of the heap that are alive now. The library's blocks come from there too; those it keeps for reuse do not count.
pub fn bytes() -> usize {
    LIVE.load(Ordering::Relaxed) - tf::memory::stats().cached
}

/// Lets one test run at a time.
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many bytes more are alive after `body` has run so often again than after it ran a tenth as often.
pub fn growth(times: usize, mut body: impl FnMut(usize)) -> isize {
    (0..times / 10).for_each(&mut body);
    let before = bytes();
    (0..times).for_each(&mut body);
    bytes() as isize - before as isize
}
