//! `stateless_parameterized_truncated_normal`: normal numbers between bounds, each set of parameters with its own.
//! User code calls it with seeds of its own; `ops/random_draw` draws.

use super::IntoSeed;
use crate::execute::execute1;
use crate::ops::{self, BoundedNormalDraw, Operand, ToOperand};
use crate::tensor::Tensor;
use kernels::error::{OnTheWay, OrFail, Result};
use kernels::shape::{Constraints, IntoShape, Shape, broadcast};
use std::panic::Location;

/// Normal numbers between `minvals` and `maxvals`, of which one may be infinite.
///
/// Means, deviations and bounds are plain numbers or tensors of `float16`, `float32` or `float64` that broadcast together, and `shape` must
/// end with the shape that they have then. The numbers are those of TensorFlow with one thread: with several its draws depend on how
/// many there are. They are drawn on the host, one after the other. Gradients flow to all parameters by TensorFlow's rule, in which a
/// mean moves its numbers as a whole, whatever the bounds.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::random::stateless_parameterized_truncated_normal([2, 3], [1, 2], 0.0, 1.0, &tf::constant([3.0, -1.0, -9.0]), 10.0);
/// let x = x.to_vec::<f32>();
/// assert!(x[0] > 3.0 && x[1] > -1.0 && x[3] > 3.0);
/// ```
///
/// # Panics
/// As [`try_stateless_parameterized_truncated_normal`] fails.
#[track_caller]
pub fn stateless_parameterized_truncated_normal(
    shape: impl IntoShape,
    seed: impl IntoSeed,
    means: impl ToOperand,
    stddevs: impl ToOperand,
    minvals: impl ToOperand,
    maxvals: impl ToOperand,
) -> Tensor {
    try_stateless_parameterized_truncated_normal(shape, seed, means, stddevs, minvals, maxvals).or_fail()
}

/// Normal numbers between `minvals` and `maxvals`.
///
/// # Errors
/// InvalidArgument for a bad shape, seed or dtype, a deviation that is not positive, bounds that are not apart or both infinite, and a
/// shape that does not end with that of the parameters; Internal where all that is proposed is refused.
#[track_caller]
pub fn try_stateless_parameterized_truncated_normal(
    shape: impl IntoShape,
    seed: impl IntoSeed,
    means: impl ToOperand,
    stddevs: impl ToOperand,
    minvals: impl ToOperand,
    maxvals: impl ToOperand,
) -> Result<Tensor> {
    const OP: &str = "stateless_parameterized_truncated_normal";
    let here = Location::caller();
    let given = [means.to_operand(), stddevs.to_operand(), minvals.to_operand(), maxvals.to_operand()];
    let drawn = || {
        let dtype = Operand::common_dtype(&given.iter().collect::<Vec<_>>());
        let mut parameters = Vec::new();
        let mut whole = Shape::SCALAR;
        for operand in given {
            let tensor = operand.tensor(OP, dtype)?;
            whole = broadcast(&whole, tensor.shape(), &mut Constraints::default()).map_err(|e| e.in_op(OP))?;
            parameters.push((*tensor).clone());
        }
        for parameter in &mut parameters {
            *parameter = ops::broadcast_to_shape(parameter, &whole)?;
        }
        let op = BoundedNormalDraw { shape: shape.into_shape()? };
        execute1(&op, &[&seed.seed_tensor(), &parameters[0], &parameters[1], &parameters[2], &parameters[3]])
    };
    drawn().map_err(|e: kernels::error::Error| e.named(OP).at(here))
}
