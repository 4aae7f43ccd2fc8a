//! `moments`: mean and variance along axes in one call. TensorFlow's `tf.nn.moments`, floats, complex numbers, `int32` and `int64`; 16-bit floats in f32.

use super::axes::IntoAxes;
use super::reduce_mean::mean_axes;
use super::reduction::reduced_shape;
use super::{broadcast_back, functions, public, reshape_to};
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::AxisSet;

#[track_caller]
fn mean_and_variance(x: &Tensor, axes: AxisSet, keep: bool) -> Result<(Tensor, Tensor)> {
    let accepts = DTypes::FLOATING.and(DTypes::COMPLEX).and(DTypes::of(&[DType::I32, DType::I64]));
    if !accepts.has(x.dtype()) {
        return Err(Error::invalid_argument("moments", "no moments are taken of this dtype")
            .got(x.dtype())
            .expected(format!("one of {accepts}"))
            .help("convert it with `cast`"));
    }
    let wide = functions::try_cast(x, x.dtype().compute())?;
    let mean = mean_axes(&wide, axes, true)?;
    // TensorFlow takes the mean for a constant here: its part of the gradient adds up to zero, but not that of second order.
    let repeated = broadcast_back(&mean, x.shape(), axes)?;
    let variance = mean_axes(&functions::try_squared_difference(&wide, &repeated)?, axes, true)?;
    let shape = reduced_shape(x.shape(), axes, keep)?;
    let narrow = |y: &Tensor| functions::try_cast(&reshape_to(y, &shape)?, x.dtype());
    Ok((narrow(&mean)?, narrow(&variance)?))
}

public! {
    /// Mean and variance of the elements along axes: of all for `()`. The variance is that of the population, divided by their number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (mean, variance) = tf::moments(&tf::constant([[1.0, 3.0], [5.0, 5.0]]), 1);
    /// assert_eq!((mean.to_vec::<f32>(), variance.to_vec::<f32>()), (vec![2.0, 5.0], vec![1.0, 0.0]));
    /// ```
    pub fn moments, try_moments(x, axes: impl IntoAxes) -> (Tensor, Tensor) {
        let (axes, keep) = axes.into_axes().resolve("moments", x.rank())?;
        mean_and_variance(x, axes, keep).map_err(|e| e.named("moments"))
    }
}
