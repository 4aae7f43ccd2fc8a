//! Memory below the tensors: the caching allocator for buffers and the counted storage that owns one.
//! The tensor handle and the variables use it; kernels never do, because they do not allocate.

pub(crate) mod pool;
mod storage;

pub use pool::MemoryStats;
pub(crate) use storage::StorageRef;
