//! Memory below the tensors: the caching allocator for buffers and the counted storage that owns one.
//! Users ask [`stats`] what tensors hold and give kept memory back with [`trim`]; kernels never allocate.

pub mod pool;
mod storage;

pub use pool::{MemoryStats, set_cache_limit, stats, trim};
pub use storage::StorageRef;
