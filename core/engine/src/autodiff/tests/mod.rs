//! Tests of the tapes, by topic; TensorFlow's behaviour is the measure where it has one.

mod custom;
mod custom_variables;
mod forward;
mod functional;
mod gradients;
mod jacobians;
mod products;
mod sanity;

use crate::Tensor;

/// The number in a scalar.
fn item(x: &Tensor) -> f32 {
    x.item::<f32>()
}

/// The gradient of `f` at `x` by a tape of its own.
fn grad(x: &Tensor, f: impl Fn(&Tensor) -> Tensor) -> Tensor {
    let mut tape = crate::GradientTape::new();
    tape.watch(x);
    let y = f(x);
    tape.gradient(&y, x)
}
