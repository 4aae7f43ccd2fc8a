//! Threads and memory: handles are Send and Sync, eight threads use everything at once, and training steps do not grow.
//! What is freed on another thread than the one that made it counts as well.

mod growth;
mod shared;
mod tracing;
