//! The run-time side of `#[tf_function]`: what the macro's generated code calls. Types, shapes and staging are decided
//! here, by traits on the values; the macro decides names, liveness and structure.

pub(crate) mod dispatch;
mod native;
pub mod rt;

pub use dispatch::{Leaves, Nest};
