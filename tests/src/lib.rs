//! What the integration tests share: TensorFlow's numbers, comparisons, random inputs, and one row per operation.
//! The tests of this package are its only users.

pub mod child;
pub mod clock;
pub mod code;
pub mod compare;
pub mod cuda;
pub mod golden;
pub mod inputs;
pub mod random;
pub mod rows;
pub mod sources;
pub mod suite;

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
