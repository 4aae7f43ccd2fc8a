//! The run time of `#[custom_gradient]`: what the function's parameters, outputs and closure must be, and the tape entry.
//! Generated code calls [`Call`] through the hidden module `__rt`; it could as well be written by hand.

mod call;
mod cotangents;
mod inputs;
mod outputs;
mod renamed;

pub use call::*;
pub use cotangents::*;
pub use inputs::*;
pub use outputs::*;
