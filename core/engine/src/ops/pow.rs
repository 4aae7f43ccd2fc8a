//! `pow`: x to the power y; dx = dy * y * x^(y - 1), and dy * x^y * log(x) for y, 0 where x is not positive.
//! TensorFlow's `tf.pow`, floats and signed integers; a negative integer power is an error.

use super::operators::binary;
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Pow;

impl Op for Pow {
    identity!("pow");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING.and(DTypes::SIGNED_INTEGERS), direct: Some(Code::Pow) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.pow(x[0], x[1])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// Each element of the first operand raised to the power of the second.
    ///
    /// Integers wrap; a negative integer exponent is an error.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::pow(&tf::constant([2.0, 3.0]), 2.0).to_vec::<f32>(), [4.0, 9.0]);
    /// assert!(tf::try_pow(&tf::constant([2, 3]), -1).is_err());
    /// ```
    pub fn pow, try_pow = Pow;
}
