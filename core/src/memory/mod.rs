//! Memory below the tensors: the caching allocator for buffers and the counted storage that owns one.
//! The tensor handle and the variables use it; kernels never do, because they do not allocate.

pub(crate) mod pool;
mod storage;

pub use pool::MemoryStats;
pub(crate) use storage::StorageRef;

/// What the memory behind the tensors of this process amounts to at this moment, over all threads.
///
/// ```
/// use eagerflow as tf;
/// let before = tf::memory_stats().in_use;
/// let x = tf::zeros([1000, 1000]);
/// assert!(tf::memory_stats().in_use >= before + 4_000_000);
/// # drop(x);
/// ```
pub fn memory_stats() -> MemoryStats {
    pool::stats()
}

/// Gives the memory that the process and this thread keep for reuse back to the system.
///
/// ```
/// use eagerflow as tf;
/// drop(tf::zeros([1000, 1000]));
/// tf::trim_memory();
/// ```
pub fn trim_memory() {
    pool::trim();
}
