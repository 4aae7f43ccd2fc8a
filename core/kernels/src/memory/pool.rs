//! The caching allocator for tensor buffers: blocks in size classes, kept for reuse by each thread and, above that, by
//! the process. The tensor storage, the arenas of plans and the kernels' scratch take their memory here.
//!
//! Why a cache of our own: a fresh page costs the system more than the arithmetic on it, and a pair of calls to the
//! general allocator more than a small kernel. `class` knows the sizes, `magazine` the thread's own blocks, `depot`
//! those of the process, `system` where blocks come from.

use std::ptr::NonNull;

mod class;
mod depot;
mod magazine;
mod system;

pub use class::Class;

/// What the memory behind tensors amounts to; see [`stats`].
///
/// ```
/// let stats = eagerflow::memory::stats();
/// println!("{} MiB in use, {} MiB kept", stats.in_use >> 20, stats.cached >> 20);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryStats {
    /// Bytes of the blocks in use.
    pub in_use: usize,
    /// Bytes of the blocks kept for reuse.
    pub cached: usize,
    /// The largest `in_use` seen whenever a thread's own cache did not serve a request. Exact up to the blocks which
    /// threads keep for themselves, a few megabytes each.
    pub peak: usize,
    /// How often a block was asked for.
    pub acquired: u64,
    /// How often that needed new memory from the system.
    pub from_system: u64,
}

/// A block of at least `bytes` bytes, aligned to 64 and uninitialised, with its capacity and its class.
///
/// `None` when the system has no more memory, even after the cache was given back to it, or when the size is absurd.
#[inline]
pub fn acquire(bytes: usize) -> Option<(NonNull<u8>, usize, Class)> {
    let class = Class::holding(bytes)?;
    let block = magazine::acquire(class)?;
    Some((block, class.size(), class))
}

/// Gives a block back, from any thread.
///
/// # Safety
///
/// `block` came from [`acquire`] together with `class`, and is not used, nor released again, after this call.
#[inline]
pub unsafe fn release(block: NonNull<u8>, class: Class) {
    // SAFETY: the caller's promise is the callee's condition.
    unsafe { magazine::release(block, class) }
}

/// What the memory behind tensors amounts to at this moment, over all threads.
///
/// Threads count for themselves, so that counting costs them nothing; while others allocate, the sums may be off by
/// the blocks in flight. Adopted memory, such as that of a vector or an ndarray array, is not counted; tensors of up to
/// 64 bytes need none.
///
/// ```
/// use eagerflow as tf;
/// let before = tf::memory::stats();
/// let x = tf::ones([1024, 1024]);
/// let after = tf::memory::stats();
/// assert!(after.in_use >= before.in_use + (4 << 20));
/// assert!(after.peak >= after.in_use);
/// # drop(x);
/// ```
pub fn stats() -> MemoryStats {
    depot::stats()
}

/// Caps the bytes kept for reuse; 0 turns the cache off.
///
/// The default is 1 GiB, or what the environment variable `EAGERFLOW_CACHE_LIMIT` says in bytes. What the process and
/// this thread keep in excess is given back at once; other threads give up theirs when they next reach their limit, or
/// when they end.
///
/// ```
/// use eagerflow as tf;
/// tf::memory::set_cache_limit(64 << 20);
/// drop(tf::ones([8 << 20, 4]));
/// assert!(tf::memory::stats().cached <= 64 << 20);
/// ```
pub fn set_cache_limit(bytes: usize) {
    depot::set_limit(bytes);
    magazine::shrink();
    depot::shrink();
}

/// Gives the memory kept by the process and by this thread back to the system.
///
/// ```
/// use eagerflow as tf;
/// drop(tf::ones([1024, 1024]));
/// tf::memory::trim();
/// assert!(tf::memory::stats().cached < 4 << 20);
/// ```
pub fn trim() {
    magazine::empty();
    depot::trim();
}

#[cfg(test)]
mod tests;
