//! `l2_loss`: half of the sum of squares of all elements; dx = dy * x.
//! TensorFlow's `tf.nn.l2_loss`, floats.

use super::multiply::Multiply;
use super::square::Square;
use super::{public, scalar_of, sum_axes};
use crate::execute::execute1;
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::error::{Error, OnTheWay};
use kernels::shape::AxisSet;

public! {
    /// Half of the sum of the squares of all elements, a scalar.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::l2_loss(&tf::constant([3.0, 4.0])).item::<f32>(), 12.5);
    /// ```
    pub fn l2_loss, try_l2_loss(x) -> Tensor {
        if !DTypes::FLOATING.has(x.dtype()) {
            return Err(Error::invalid_argument("l2_loss", "input 0 has a dtype this operation does not take")
                .got(x.dtype())
                .expected(format!("one of {}", DTypes::FLOATING))
                .help("convert it with `cast`"));
        }
        let squares = execute1(&Square, &[x]).map_err(|e| e.named("l2_loss"))?;
        let sum = sum_axes(&squares, AxisSet::all(x.rank()), false).map_err(|e| e.named("l2_loss"))?;
        execute1(&Multiply, &[&sum, &scalar_of(x.dtype(), kernels::scalar::encode(x.dtype(), 0.5))?])
    }
}
