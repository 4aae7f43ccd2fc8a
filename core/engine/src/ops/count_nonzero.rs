//! `count_nonzero`: how many elements along axes are not zero; no gradient flows. TensorFlow's `tf.math.count_nonzero`, `int64`.

use super::axes::IntoAxes;
use super::support::zeros_of;
use super::{functions, public, sum_axes};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{OnTheWay, Result};
use kernels::shape::Shape;

#[track_caller]
fn is_set(x: &Tensor) -> Result<Tensor> {
    match x.dtype() {
        DType::Bool => Ok(x.clone()),
        // The empty string counts as zero.
        _ => functions::try_not_equal(x, &zeros_of(&TensorType::new(x.dtype(), Shape::SCALAR))?),
    }
}

public! {
    /// How many elements along axes are not zero, `int64`: of all for `()`. NaN is not zero, the empty string is.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[0, 7, 1], [0, 0, 3]]);
    /// assert_eq!(tf::count_nonzero(&x, ()).item::<i64>(), 3);
    /// assert_eq!(tf::count_nonzero(&x, 1).to_vec::<i64>(), [2, 1]);
    /// ```
    pub fn count_nonzero, try_count_nonzero(x, axes: impl IntoAxes) -> Tensor {
        let (axes, keep) = axes.into_axes().resolve("count_nonzero", x.rank())?;
        let set = is_set(x).map_err(|e| e.named("count_nonzero"))?;
        sum_axes(&functions::try_cast(&set, DType::I64)?, axes, keep)
    }
}
