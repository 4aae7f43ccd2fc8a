//! `atan2`: the angle of the point (x, y); dy' = dy * x / (x^2 + y^2), and -dy * y / (x^2 + y^2) for x.
//! TensorFlow's `tf.atan2`, floats.

use super::operators::binary;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Atan2;

impl Op for Atan2 {
    identity!("atan2");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Atan2) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.atan2(x[0], x[1])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The angle of the point whose second coordinate is the first operand, between -pi and pi.
    ///
    /// Zeros count with their signs. Rounded once in 32 bits; within 2 units in the last place of `float64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::atan2(&tf::constant([1.0, 0.0]), &tf::constant([0.0, 1.0])).to_vec::<f32>(), [std::f32::consts::FRAC_PI_2, 0.0]);
    /// ```
    pub fn atan2, try_atan2 = Atan2;
}
