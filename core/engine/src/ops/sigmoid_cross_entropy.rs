//! `sigmoid_cross_entropy_with_logits` and the weighted one: the cross entropy of independent truths, -z log p - (1 - z) log(1 - p)
//! for p = sigmoid(x), without overflow; dx = p - z. TensorFlow's functions of these names in `tf.nn`, floats.

use super::AsTensor;
use super::operand::ToOperand;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::error::{Error, OrFail, Result};
use kernels::scalar::{Scalar, Val};
use std::panic::Location;

/// log(1 + exp(-|x|)), of which nothing overflows.
fn tail(s: &Scalar, negative: Val) -> Val {
    s.log1p(s.exp(negative))
}

/// Inputs: labels and logits.
#[derive(Clone)]
struct SigmoidCrossEntropy;

impl Op for SigmoidCrossEntropy {
    identity!("sigmoid_cross_entropy");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let (z, x) = (x[0], x[1]);
        let zero = s.number(x, 0.0);
        // Pieces that meet at 0 with one slope, so that the gradient there is that of the whole.
        let above = s.ge(x, zero);
        let (positive, negative) = (s.select(above, x, zero), s.select(above, s.neg(x), x));
        s.add(s.sub(positive, s.mul(x, z)), tail(s, negative))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

/// Inputs: labels, logits and the weight of truths.
#[derive(Clone)]
struct WeightedCrossEntropy;

impl Op for WeightedCrossEntropy {
    identity!("weighted_cross_entropy");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let (z, x, weight) = (x[0], x[1], x[2]);
        let one = s.number(x, 1.0);
        let scale = s.add(one, s.mul(s.sub(weight, one), z));
        let below = s.max(s.neg(x), s.number(x, 0.0));
        let loss = s.add(tail(s, s.neg(s.abs(x))), below);
        s.add(s.mul(s.sub(one, z), x), s.mul(scale, loss))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

/// Labels and logits of one shape: they do not broadcast, as a mistake would go unseen.
fn alike(op: &str, labels: &Tensor, logits: &Tensor) -> Result<()> {
    let fits = labels.rank() == logits.rank()
        && labels.shape().iter().zip(logits.shape().iter()).all(|(a, b)| a.can_equal(b));
    if fits {
        return Ok(());
    }
    Err(Error::invalid_argument(op, "labels and logits have different shapes")
        .got(format!("labels {}, logits {}", labels.ty(), logits.ty()))
        .expected("one shape"))
}

/// The loss of each element for truths that do not exclude each other: labels from 0 to 1, and logits of the same shape.
///
/// ```
/// use eagerflow as tf;
/// let loss = tf::sigmoid_cross_entropy_with_logits(tf::constant([1.0, 0.0]), tf::constant([0.0, -1000.0]));
/// assert_eq!(loss.to_vec::<f32>(), [0.6931472, 0.0]);
/// ```
///
/// # Panics
/// As [`try_sigmoid_cross_entropy_with_logits`] fails.
#[track_caller]
pub fn sigmoid_cross_entropy_with_logits(labels: impl AsTensor, logits: impl AsTensor) -> Tensor {
    try_sigmoid_cross_entropy_with_logits(labels, logits).or_fail()
}

/// The loss of each element for truths that do not exclude each other.
///
/// # Errors
/// InvalidArgument for shapes that differ, and dtypes that differ or are not floats.
#[track_caller]
pub fn try_sigmoid_cross_entropy_with_logits(labels: impl AsTensor, logits: impl AsTensor) -> Result<Tensor> {
    let here = Location::caller();
    sigmoid(&labels.as_tensor(), &logits.as_tensor()).map_err(|e| e.at(here))
}

#[track_caller]
fn sigmoid(labels: &Tensor, logits: &Tensor) -> Result<Tensor> {
    alike("sigmoid_cross_entropy_with_logits", labels, logits)?;
    execute1(&SigmoidCrossEntropy, &[labels, logits])
}

/// As [`sigmoid_cross_entropy_with_logits`], with the loss of truths times `pos_weight`: above 1, fewer of them are missed.
///
/// ```
/// use eagerflow as tf;
/// let (labels, logits) = (tf::constant([1.0, 0.0]), tf::constant([0.0, 0.0]));
/// let loss = tf::weighted_cross_entropy_with_logits(labels, logits, 2.0);
/// assert_eq!(loss.to_vec::<f32>(), [2.0 * 0.6931472, 0.6931472]);
/// ```
///
/// # Panics
/// As [`try_weighted_cross_entropy_with_logits`] fails.
#[track_caller]
pub fn weighted_cross_entropy_with_logits(
    labels: impl AsTensor,
    logits: impl AsTensor,
    pos_weight: impl ToOperand,
) -> Tensor {
    try_weighted_cross_entropy_with_logits(labels, logits, pos_weight).or_fail()
}

/// As [`try_sigmoid_cross_entropy_with_logits`], with the loss of truths times `pos_weight`.
///
/// # Errors
/// As [`try_sigmoid_cross_entropy_with_logits`], and InvalidArgument for a weight that does not broadcast.
#[track_caller]
pub fn try_weighted_cross_entropy_with_logits(
    labels: impl AsTensor,
    logits: impl AsTensor,
    pos_weight: impl ToOperand,
) -> Result<Tensor> {
    let here = Location::caller();
    weighted(&labels.as_tensor(), &logits.as_tensor(), pos_weight).map_err(|e| e.at(here))
}

#[track_caller]
fn weighted(labels: &Tensor, logits: &Tensor, weight: impl ToOperand) -> Result<Tensor> {
    alike("weighted_cross_entropy_with_logits", labels, logits)?;
    let weight = weight.to_operand().tensor("weighted_cross_entropy_with_logits", logits.dtype())?;
    execute1(&WeightedCrossEntropy, &[labels, logits, &weight])
}
