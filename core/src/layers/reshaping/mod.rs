//! Layers that give their input another shape: `Reshape`, `Permute` and `RepeatVector`.
//! They have no variables; the batch stays as it is.

mod permute;
mod repeat_vector;
mod reshape;

pub use permute::Permute;
pub use repeat_vector::RepeatVector;
pub use reshape::Reshape;
