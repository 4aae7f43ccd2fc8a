//! `lbeta`: log |Beta(x)| over the last axis, the sum of lgamma less lgamma of the sum; gradients are those of its parts.
//! TensorFlow's `tf.math.lbeta`, floats.

use super::lgamma::Lgamma;
use super::subtract::Subtract;
use super::{public, sum_axes};
use crate::execute::execute1;
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay};
use kernels::shape::AxisSet;

public! {
    /// The logarithm of the absolute value of the beta function of the numbers along the last axis.
    ///
    /// Minus infinity for no numbers, as in TensorFlow.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::lbeta(&tf::constant([[1.0, 2.0, 3.0]])).to_vec::<f32>();
    /// assert!((y[0] - (1.0_f32 / 60.0).ln()).abs() < 1e-6);
    /// ```
    pub fn lbeta, try_lbeta(x) -> Tensor {
        let Some(last) = x.rank().checked_sub(1) else {
            return Err(Error::invalid_argument("lbeta", "a scalar has no last axis")
                .got(x.shape())
                .expected("at least one dimension"));
        };
        let named = |e: Error| e.named("lbeta");
        let each = execute1(&Lgamma, &[x]).map_err(named)?;
        let sum = sum_axes(&each, AxisSet::of(&[last]), false).map_err(named)?;
        let whole = sum_axes(x, AxisSet::of(&[last]), false).map_err(named)?;
        execute1(&Subtract, &[&sum, &execute1(&Lgamma, &[&whole]).map_err(named)?])
    }
}
