//! `clip_by_norm`: x * c / max(|x|, c), so that the Euclidean norm along axes is at most c; its gradient is that of
//! its parts. TensorFlow's `tf.clip_by_norm`, floats; composed of other operations.

use super::operand::ToOperand;
use super::public;
use super::{IntoAxes, sum_axes};
use kernels::error::{Error, Result};
use crate::ops::functions::{try_divide, try_greater, try_maximum, try_multiply, try_select, try_sqrt, try_square};
use crate::tensor::Tensor;

/// An error unless the tensor is floating-point.
pub(super) fn check_floating(op: &str, x: &Tensor) -> Result<()> {
    if x.dtype().is_floating() {
        return Ok(());
    }
    Err(Error::invalid_argument(op, "a norm needs floating-point numbers")
        .got(x.ty())
        .expected("float16, bfloat16, float32 or float64")
        .help("convert it with `cast`"))
}

public! {
    /// The tensor, scaled down where its Euclidean norm along `axes` (all for `()`) exceeds `clip_norm`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([3.0, 4.0]);
    /// assert_eq!(tf::clip_by_norm(&x, 1.0, ()).to_vec::<f32>(), [0.6, 0.8]);
    /// assert_eq!(tf::clip_by_norm(&x, 10.0, ()).to_vec::<f32>(), [3.0, 4.0]);
    /// ```
    pub fn clip_by_norm, try_clip_by_norm(x, clip_norm: impl ToOperand, axes: impl IntoAxes) -> Tensor {
        check_floating("clip_by_norm", x)?;
        let clip_norm = clip_norm.to_operand().tensor("clip_by_norm", x.dtype())?;
        let (axes, _) = axes.into_axes().resolve("clip_by_norm", x.rank())?;
        let sum = sum_axes(&try_square(x)?, axes, true)?;
        // A root at 0 has no slope, so zeros go past it.
        let positive = try_greater(&sum, 0.0)?;
        let root = try_sqrt(try_select(&positive, &sum, 1.0)?)?;
        let norm = try_select(&positive, root, sum)?;
        try_divide(try_multiply(x, &*clip_norm)?, try_maximum(norm, &*clip_norm)?)
    }
}
