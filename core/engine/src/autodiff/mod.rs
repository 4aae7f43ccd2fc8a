//! Differentiation: tapes that users hold, the backward pass over their logs, and forward mode.
//! Users start tapes and ask them for gradients; traced functions differentiate their graphs with the same backward pass.

mod active_tape;
pub(crate) mod driver;
mod forward;
mod functional;
mod gradient_list;
mod gradient_tape;
mod jacobian;
pub(crate) mod outer_tape;
mod pause;
mod reasons;
mod sources;
pub(crate) mod staged;
mod sums;
#[cfg(test)]
mod tests;

pub use forward::ForwardAccumulator;
pub use functional::{
    LossFunction, TensorFunction, gradients_function, implicit_gradients, implicit_value_and_gradients,
    value_and_gradients_function,
};
pub use gradient_list::{gradient_at, map_gradients, pick_gradients};
pub use gradient_tape::{GradientOptions, GradientTape, PersistentTape, UnconnectedGradients};
pub use pause::StopRecording;
pub use sources::{Differentiable, EMPTY, Source, Sources, Watch};
