//! A bound on the memory that a reader takes: the size of what it reads and 64 MiB, counted by the allocator of all targets.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts what is allocated, and the most that ever was since it was last asked.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// What a reader may take beside the size of its file.
const ALLOWED: usize = 64 << 20;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: all work is the system's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(now, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(now, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs a reader of so many bytes.
///
/// # Panics
/// If it takes more memory than it may.
pub fn bounded<R>(size: usize, read: impl FnOnce() -> R) -> R {
    let before = NOW.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = read();
    let taken = MOST.load(Relaxed).saturating_sub(before);
    assert!(taken <= size + ALLOWED, "{taken} bytes of memory for {size} bytes of input");
    result
}
