//! The CUDA side of the ground: kernel text generated from the scalar language.
//! The device backend compiles it at run time; until that stands, golden tests keep the text honest.

mod text;

#[cfg_attr(not(test), allow(unused_imports, reason = "the device backend compiles this text"))]
pub(crate) use text::elementwise_kernel;
