//! The library's own sources as a structure that tests can ask: modules of a crate, what their names mean, and which paths they write.
//! The test `floors` follows every path with it to the module that defines what the path names.

pub mod macros;
pub mod modules;
pub mod paths;
pub mod scope;
