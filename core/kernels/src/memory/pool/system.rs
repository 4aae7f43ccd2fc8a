//! Where blocks come from and go to in the end: the program's global allocator, with a hint for huge pages.
//! The depot alone calls this, and counts the bytes.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

use super::class::Class;

/// The size of a huge page. A block of at least this size starts on such a boundary and asks for huge pages: first
/// use of 40 MiB then costs 1.5 ms, not 14.
pub(super) const HUGE: usize = 2 << 20;

fn layout(class: Class) -> Option<Layout> {
    // Fails for sizes that, rounded up to the alignment, do not fit the address space.
    Layout::from_size_align(class.size(), class.align()).ok()
}

/// A new block, or `None` when there is no memory.
pub(super) fn allocate(class: Class) -> Option<NonNull<u8>> {
    let layout = layout(class)?;
    // SAFETY: the layout's size is at least 64.
    let block = NonNull::new(unsafe { alloc(layout) })?;
    if class.size() >= HUGE {
        advise_huge(block, class.size());
    }
    Some(block)
}

/// Ends a block's life.
///
/// # Safety
///
/// `block` came from [`allocate`] with the same class, and this is its last use.
pub(super) unsafe fn free(block: NonNull<u8>, class: Class) {
    if let Some(layout) = layout(class) {
        // SAFETY: by the caller's promise the block was allocated with this layout.
        unsafe { dealloc(block.as_ptr(), layout) };
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
fn advise_huge(block: NonNull<u8>, bytes: usize) {
    use std::ffi::{c_int, c_void};

    unsafe extern "C" {
        // From the C library that `std` itself is linked to.
        fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
    }
    const MADV_HUGEPAGE: c_int = 14;
    // Whole huge pages only: the last one, if cut, may belong to a neighbour in part.
    // SAFETY: the range lies in memory that is ours, starts on a page, and the advice changes no content. A refusal
    // leaves small pages, which work as well.
    unsafe { madvise(block.as_ptr().cast(), bytes & !(HUGE - 1), MADV_HUGEPAGE) };
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn advise_huge(_: NonNull<u8>, _: usize) {}
