//! `is_non_decreasing` and `is_strictly_increasing`: whether each element, in row-major order, follows the one before it; no gradient.
//! TensorFlow's `tf.math.is_non_decreasing` and `is_strictly_increasing`; fewer than two elements are both.

use super::compare::{Greater, GreaterEqual};
use super::{functions, public, reshape_to, run_comparison, slice_axis};
use crate::op::Op;
use crate::tensor::Tensor;
use kernels::error::{OnTheWay, Result};
use kernels::shape::{Dim, Shape};

/// Whether a comparison of each element with the one before it holds throughout.
#[track_caller]
fn throughout(op: &dyn Op, x: &Tensor) -> Result<Tensor> {
    let count = x.shape().element_count();
    let flat = reshape_to(x, &Shape::from_dims(&[count])?)?;
    let pairs = count.max(Dim::ONE) - Dim::ONE;
    let (before, behind) = (slice_axis(&flat, 0, Dim::ZERO, pairs)?, slice_axis(&flat, 0, count.min(Dim::ONE), pairs)?);
    functions::try_reduce_all(&run_comparison(op, &behind, &before)?, ())
}

public! {
    /// Whether no element is less than the one before it, in row-major order.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert!(tf::is_non_decreasing(&tf::constant([1.0, 1.0, 3.0])).item::<bool>());
    /// ```
    pub fn is_non_decreasing, try_is_non_decreasing(x) -> Tensor {
        throughout(&GreaterEqual, x).map_err(|e| e.named("is_non_decreasing"))
    }

    /// Whether each element is greater than the one before it, in row-major order.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert!(!tf::is_strictly_increasing(&tf::constant([1.0, 1.0, 3.0])).item::<bool>());
    /// ```
    pub fn is_strictly_increasing, try_is_strictly_increasing(x) -> Tensor {
        throughout(&Greater, x).map_err(|e| e.named("is_strictly_increasing"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn few_elements_and_nan() {
        for x in [tf::zeros([0]), tf::constant(5.0), tf::constant([[1.0, 2.0], [3.0, 4.0]])] {
            assert!(tf::is_non_decreasing(&x).item::<bool>() && tf::is_strictly_increasing(&x).item::<bool>());
        }
        assert!(!tf::is_non_decreasing(&tf::constant([1.0, f32::NAN])).item::<bool>());
        assert!(tf::try_is_non_decreasing(&tf::constant([true, true])).is_err());
    }
}
