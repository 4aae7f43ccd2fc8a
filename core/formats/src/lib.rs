//! The byte formats of TensorFlow's ecosystem: checkpoints, their state file, safetensors, records, event files, arrays, JPEG, and what
//! these are made of. Nothing here knows a tensor: values come and go as bytes. The crate above makes files of models with it.
//!
//! This crate is a part of [eagerflow](https://docs.rs/eagerflow), which saves and restores with it; it changes without notice.

// Hidden modules are documented for those who work on them.
#![allow(rustdoc::private_intra_doc_links)]

#[cfg(target_endian = "big")]
compile_error!("values go to files as they lie in memory, little-endian; big-endian targets are not supported");

pub mod bundle;
pub mod checksum;
pub mod events;
pub mod examples;
pub mod files;
pub mod jpeg;
pub mod messages;
pub mod npy;
pub mod pieces;
pub mod records;
pub mod safetensors;
pub mod state;
pub mod table;
#[cfg(test)]
mod testing;
mod transfer;

#[cfg(test)]
kernels::unit_tests_are_users!();
