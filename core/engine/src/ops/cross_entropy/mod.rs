//! Cross entropies of softmax(logits): -sum(labels * log p), with labels as distributions or as class numbers.
//! dlogits = (p - labels) * dy, dlabels = -log(p) * dy. TensorFlow's `softmax_cross_entropy_with_logits` and
//! `sparse_softmax_cross_entropy_with_logits`, whose gradients also take labels to add up to 1.

mod dense;
mod sparse;
#[cfg(test)]
mod tests;

use super::normalise::{REAL, check};
use super::softmax::SoftmaxGradient;
use super::{AsTensor, add_owned};
use kernels::error::{Error, OrFail, Result};
use crate::execute::{execute, execute1};
use crate::op::{Infer, Op};
use kernels::shape::Shape;
use crate::tape::Backward;
use crate::tensor::Tensor;
use dense::dense;
use sparse::SparseCrossEntropy;
use std::panic::Location;

/// The two output types of a cross entropy with these logits.
fn outputs(cx: &mut Infer<'_>, op: &str) -> Result<Shape> {
    cx.check_dtype(1, REAL)?;
    let logits = *cx.shape(1);
    let Some(last) = logits.rank().checked_sub(1) else {
        return Err(Error::invalid_argument(op, "logits must have a dimension of classes").got(logits));
    };
    let loss = logits.remove(last);
    cx.output(cx.dtype(1), loss);
    cx.output(cx.dtype(1), logits);
    Ok(loss)
}

/// Adds what comes through the second output, which gradients of higher order read.
fn with_softmax(g: &Backward<'_>, dx: Tensor) -> Result<Tensor> {
    match g.dy_or_none(1) {
        None => Ok(dx),
        Some(dp) => {
            let axis = dp.rank() - 1;
            add_owned(dx, &execute1(&SoftmaxGradient { axis }, &[g.output(1)?, dp])?)
        }
    }
}

/// The losses of an operation with two outputs.
#[track_caller]
fn losses(op: &dyn Op, labels: &Tensor, logits: &Tensor) -> Result<Tensor> {
    let mut outputs = execute(op, &[labels, logits])?;
    match outputs.len() {
        2 => Ok(outputs.swap_remove(0)),
        _ => Err(Error::internal(op.name(), "two results were expected")),
    }
}

/// The cross entropy between distributions `labels` and the softmax of `logits`, along the last axis.
///
/// The softmax is never taken apart, so large logits neither overflow nor lose digits. The gradient by the logits is
/// TensorFlow's `softmax - labels`, which takes each row of labels to add up to 1.
///
/// ```
/// use eagerflow as tf;
/// let (labels, logits) = (tf::constant([[0.0, 1.0]]), tf::constant([[1000.0, 1000.0]]));
/// let loss = tf::softmax_cross_entropy_with_logits(&labels, &logits);
/// assert_eq!(loss.to_vec::<f32>(), [2f32.ln()]);
/// ```
///
/// # Panics
/// As [`try_softmax_cross_entropy_with_logits`] fails.
#[track_caller]
pub fn softmax_cross_entropy_with_logits(labels: impl AsTensor, logits: impl AsTensor) -> Tensor {
    try_softmax_cross_entropy_with_logits(labels, logits, -1).or_fail()
}

/// The cross entropy between distributions `labels` and the softmax of `logits` along an axis.
///
/// # Errors
/// InvalidArgument for dtypes that are not floating-point or differ, shapes that do not broadcast, or a wrong axis.
#[track_caller]
pub fn try_softmax_cross_entropy_with_logits(
    labels: impl AsTensor,
    logits: impl AsTensor,
    axis: isize,
) -> Result<Tensor> {
    let here = Location::caller();
    dense(&labels.as_tensor(), &logits.as_tensor(), axis).map_err(|e| e.at(here))
}

/// The cross entropy between class numbers `labels` and the softmax of `logits` along the last axis.
///
/// ```
/// use eagerflow as tf;
/// let loss = tf::sparse_softmax_cross_entropy_with_logits(&tf::constant([1]), &tf::constant([[0.0, 0.0]]));
/// assert_eq!(loss.to_vec::<f32>(), [2f32.ln()]);
/// ```
///
/// # Panics
/// As [`try_sparse_softmax_cross_entropy_with_logits`] fails.
#[track_caller]
pub fn sparse_softmax_cross_entropy_with_logits(labels: impl AsTensor, logits: impl AsTensor) -> Tensor {
    try_sparse_softmax_cross_entropy_with_logits(labels, logits).or_fail()
}

/// The cross entropy between class numbers `labels` and the softmax of `logits` along the last axis.
///
/// # Errors
/// InvalidArgument for a label that is no class (as TensorFlow's CPU refuses it), labels that are not `int32` or
/// `int64`, logits that are not floating-point, or shapes that do not fit.
#[track_caller]
pub fn try_sparse_softmax_cross_entropy_with_logits(
    labels: impl AsTensor,
    logits: impl AsTensor,
) -> Result<Tensor> {
    #[track_caller]
    fn run(labels: &Tensor, logits: &Tensor) -> Result<Tensor> {
        check("sparse_softmax_cross_entropy_with_logits", logits)?;
        losses(&SparseCrossEntropy, labels, logits)
    }
    let here = Location::caller();
    run(&labels.as_tensor(), &logits.as_tensor()).map_err(|e| e.at(here))
}
