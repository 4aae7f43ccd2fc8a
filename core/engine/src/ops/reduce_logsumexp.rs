//! `reduce_logsumexp`: log(sum(exp(x))) over axes, without overflow; dx = dy times the softmax over the axes.
//! TensorFlow's `tf.reduce_logsumexp`: the row's maximum is taken out first, unless it is not finite.

use super::axes::IntoAxes;
use super::reduction::reduced_shape;
use super::{broadcast_back, public, reshape_to, sum_axes};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use crate::tensor::Tensor;

public! {
    /// The logarithm of the sum of exponentials along axes: over all for `()`. Floating-point only.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1000.0, 1000.0]);
    /// let y = tf::reduce_logsumexp(&x, ()).item::<f32>();
    /// assert!((y - 1000.6931).abs() < 1e-3);
    /// ```
    pub fn reduce_logsumexp, try_reduce_logsumexp(x, axes: impl IntoAxes) -> Tensor {
        floats_only("reduce_logsumexp", x)?;
        let (axes, keep) = axes.into_axes().resolve("reduce_logsumexp", x.rank())?;
        let most = super::reduce_max::max_axes(x, axes)?.try_stop_gradient()?;
        let most = super::select::try_select(&most.try_is_finite()?, &most, 0.0)?;
        let shifted = x.try_subtract(&broadcast_back(&most, x.shape(), axes)?)?;
        let sum = sum_axes(&shifted.try_exp()?, axes, true)?;
        reshape_to(&sum.try_log()?.try_add(&most)?, &reduced_shape(x.shape(), axes, keep)?)
    }
}

/// An error unless the tensor holds floats.
pub(crate) fn floats_only(op: &str, x: &Tensor) -> Result<()> {
    if x.dtype().is_floating() {
        return Ok(());
    }
    Err(Error::invalid_argument(op, "only floating-point tensors have one")
        .got(x.dtype())
        .expected(format!("one of {}", DTypes::FLOATING))
        .help("convert it with `cast`"))
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_edges() {
        check(&|x| tf::reduce_logsumexp(&x[0], [0, 2]), &[numbers(1, &[2, 3, 2])]);
        check(&|x| tf::reduce_logsumexp(&x[0], tf::keep_dims(1)), &[numbers(2, &[2, 3])]);
        let (inf, low) = (f32::INFINITY, f32::NEG_INFINITY);
        let x = tf::constant([[low, low], [inf, 1.0], [low, 3.0], [f32::NAN, 0.0]]);
        let y = tf::reduce_logsumexp(&x, 1).to_vec::<f32>();
        assert_eq!(y[..3], [low, inf, 3.0]);
        assert!(y[3].is_nan());
        assert_eq!(tf::reduce_logsumexp(&tf::zeros([0, 2]), 0).to_vec::<f32>(), [low; 2]);
        assert!(tf::try_reduce_logsumexp(&tf::constant([1]), ()).is_err());
    }
}
