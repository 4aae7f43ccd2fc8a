//! What lies below eagerflow's tensors: element types, sizes, errors, memory, devices, the scalar language, and kernels for CPU
//! and CUDA. Nothing here knows a tensor or an operation by name.
//!
//! This crate is a part of [eagerflow](https://docs.rs/eagerflow), which re-exports what users need of it; the rest is for its
//! engine and changes without notice.

// Hidden modules are documented for those who work on them.
#![allow(rustdoc::private_intra_doc_links)]
// All bodies of kernels are compiled alike, for each set of instructions.
#![allow(clippy::extra_unused_type_parameters)]

#[cfg(target_endian = "big")]
compile_error!("eagerflow keeps constants as little-endian words; big-endian targets are not supported");

#[doc(hidden)]
pub mod backend;
pub mod config;
pub mod device;
pub mod devices;
pub mod dtype;
pub mod error;
pub mod memory;
#[doc(hidden)]
pub mod moved;
#[doc(hidden)]
pub mod scalar;
pub mod shape;
