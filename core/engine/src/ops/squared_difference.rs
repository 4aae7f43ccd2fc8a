//! `squared_difference`: (x - y)^2; dx = 2 * dy * (x - y), and its negative for y.
//! TensorFlow's `tf.math.squared_difference`, floats, `int32` and `int64`.

use super::operators::binary;
use kernels::dtype::{DType, DTypes};
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct SquaredDifference;

impl Op for SquaredDifference {
    identity!("squared_difference");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING.and(DTypes::of(&[DType::I32, DType::I64])), direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let difference = s.sub(x[0], x[1]);
        s.mul(difference, difference)
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        let difference = x[0].sub(s, x[1]);
        Some(difference.mul(s, difference.conj(s)).into())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The square of the difference, element by element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::squared_difference(&tf::constant([1.0, 5.0]), 3.0).to_vec::<f32>(), [4.0, 4.0]);
    /// ```
    pub fn squared_difference, try_squared_difference = SquaredDifference;
}
