//! `l2_normalize`: x / sqrt(max(sum of squares along axes, epsilon)), vectors of length 1; its gradient is that of its
//! parts. TensorFlow's `tf.math.l2_normalize`, floats; composed of other operations.

use super::clip_by_norm::check_floating;
use super::{IntoAxes, public, sum_axes};
use crate::meaning::{joined, parts};
use crate::ops::functions::{try_add, try_maximum, try_multiply, try_rsqrt, try_square};
use crate::tensor::Tensor;

public! {
    /// The tensor, scaled to a Euclidean norm of 1 along `axes` (all for `()`).
    ///
    /// Sums of squares below `epsilon` (TensorFlow's default is 1e-12) count as `epsilon`, so that zeros stay zeros.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[3.0, 4.0], [0.0, 0.0]]);
    /// let y = tf::l2_normalize(&x, -1, 1e-12);
    /// assert!((y - tf::constant([[0.6, 0.8], [0.0, 0.0]])).abs().to_vec::<f32>().iter().all(|d| *d < 1e-6));
    /// ```
    pub fn l2_normalize, try_l2_normalize(x, axes: impl IntoAxes, epsilon: f64) -> Tensor {
        let (axes, _) = axes.into_axes().resolve("l2_normalize", x.rank())?;
        if x.dtype().is_complex() {
            let (re, im) = parts(x)?;
            let squares = sum_axes(&try_add(try_square(&re)?, try_square(&im)?)?, axes, true)?;
            let length = try_rsqrt(try_maximum(&squares, epsilon)?)?;
            return joined(&try_multiply(&re, &length)?, &try_multiply(&im, &length)?);
        }
        check_floating("l2_normalize", x)?;
        let squares = sum_axes(&try_square(x)?, axes, true)?;
        try_multiply(x, try_rsqrt(try_maximum(&squares, epsilon)?)?)
    }
}
