//! `multiply`: x * y, element by element with broadcasting; dx = dy * y.
//! TensorFlow's `tf.multiply`, numbers only.

use super::operators::{binary, operator};
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Multiply;

impl Op for Multiply {
    identity!("multiply");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: Some(Code::Mul) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.mul(x[0], x[1])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].mul(s, x[1]).into())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The product, element by element; shapes broadcast and integers wrap. Also the operator `*`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::multiply(&tf::constant([1.0, 2.0]), 3.0).to_vec::<f32>(), [3.0, 6.0]);
    /// ```
    pub fn multiply, try_multiply = Multiply;
}

operator!(Mul::mul = Multiply; assign MulAssign::mul_assign);
