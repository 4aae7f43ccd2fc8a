//! `reduce_variance` and `reduce_std`: the mean squared distance from the mean over axes, and its square root.
//! TensorFlow's `tf.math.reduce_variance` and `tf.math.reduce_std`: of the population, so divided by n.

use kernels::error::OnTheWay;
use super::axes::IntoAxes;
use super::reduce_logsumexp::floats_only;
use super::reduce_mean::mean_axes;
use super::{broadcast_back, public};
use crate::meaning::parts;
use crate::tensor::Tensor;

public! {
    /// The variance of the elements along axes: over all for `()`. Floating-point only.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1.0, 3.0], [2.0, 2.0]]);
    /// assert_eq!(tf::reduce_variance(&x, 1).to_vec::<f32>(), [1.0, 0.0]);
    /// ```
    pub fn reduce_variance, try_reduce_variance(x, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes();
        if x.dtype().is_complex() {
            // Of both parts together, and real.
            let (re, im) = parts(x)?;
            return try_reduce_variance(&re, axes.clone())?.try_add(&try_reduce_variance(&im, axes)?);
        }
        let (axes, keep) = axes.resolve("reduce_variance", x.rank())?;
        floats_only("reduce_variance", x)?;
        let mean = mean_axes(x, axes, true)?;
        let distance = x.try_subtract(&broadcast_back(&mean, x.shape(), axes)?)?;
        mean_axes(&distance.try_square()?, axes, keep)
    }

    /// The standard deviation of the elements along axes: over all for `()`. Floating-point only.
    ///
    /// Where all elements are equal, its gradient is NaN, as in TensorFlow.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::reduce_std(&tf::constant([1.0, 5.0]), ()).item::<f32>(), 2.0);
    /// ```
    pub fn reduce_std, try_reduce_std(x, axes: impl IntoAxes) -> Tensor {
        if !x.dtype().is_complex() {
            floats_only("reduce_std", x)?;
        }
        try_reduce_variance(x, axes).map_err(|e| e.named("reduce_std"))?.try_sqrt()
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_edges() {
        check(&|x| tf::reduce_variance(&x[0], [0, 2]), &[numbers(1, &[2, 3, 2])]);
        check(&|x| tf::reduce_std(&x[0], tf::keep_dims(1)), &[numbers(2, &[2, 3])]);
        let x = tf::constant([2.0, 2.0]);
        let mut tape = tf::GradientTape::new();
        tape.watch(&x);
        let y = x.reduce_std(());
        assert_eq!(y.item::<f32>(), 0.0);
        assert!(tape.gradient(&y, &x).to_vec::<f32>().iter().all(|d| d.is_nan()));
        assert!(tf::zeros([0]).reduce_variance(()).item::<f32>().is_nan());
        assert!(tf::try_reduce_std(&tf::constant([1]), ()).is_err());
    }
}
