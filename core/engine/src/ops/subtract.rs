//! `subtract`: x - y, element by element with broadcasting; dx = dy and -dy.
//! TensorFlow's `tf.subtract`, numbers only.

use super::operators::{binary, operator};
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Subtract;

impl Op for Subtract {
    identity!("subtract");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: Some(Code::Sub) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.sub(x[0], x[1])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].sub(s, x[1]).into())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The difference, element by element; shapes broadcast and integers wrap. Also the operator `-`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::subtract(5, &tf::constant([1, 2])).to_vec::<i32>(), [4, 3]);
    /// ```
    pub fn subtract, try_subtract = Subtract;
}

operator!(Sub::sub = Subtract; assign SubAssign::sub_assign);
