//! `reduce_euclidean_norm`: the square root of the sum of squares along axes; dx = dy * x / y, NaN where all elements are zero.
//! TensorFlow's `tf.math.reduce_euclidean_norm`, numbers, complex ones too.

use super::axes::IntoAxes;
use super::{functions, public, sum_axes};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{OnTheWay, Result};

#[track_caller]
fn norm(x: &Tensor, axes: kernels::shape::AxisSet, keep: bool) -> Result<Tensor> {
    let squares = match x.dtype().is_complex() {
        true => functions::try_multiply(x, &functions::try_conj(x)?)?,
        // Integers as TensorFlow has them: the root of the sum, rounded toward zero.
        false if x.dtype().is_integer() => {
            let wide = functions::try_cast(x, DType::F64)?;
            return functions::try_cast(&norm(&wide, axes, keep)?, x.dtype());
        }
        false => functions::try_square(x)?,
    };
    functions::try_sqrt(&sum_axes(&squares, axes, keep)?)
}

public! {
    /// The Euclidean length of the elements along axes: of all for `()`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::reduce_euclidean_norm(&tf::constant([[3.0, 4.0], [0.0, 2.0]]), 1).to_vec::<f32>(), [5.0, 2.0]);
    /// ```
    pub fn reduce_euclidean_norm, try_reduce_euclidean_norm(x, axes: impl IntoAxes) -> Tensor {
        let (axes, keep) = axes.into_axes().resolve("reduce_euclidean_norm", x.rank())?;
        norm(x, axes, keep).map_err(|e| e.named("reduce_euclidean_norm"))
    }
}
