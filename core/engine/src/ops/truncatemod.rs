//! `truncatemod`, the operator `%`: the remainder with the sign of x, as in Rust and C; dx = dy, and -dy * trunc(x /
//! y) for y. TensorFlow's `tf.truncatemod`; Python's `%` there is `floormod`, whose result has the sign of y. Zero
//! divides no integer.

use super::operators::{binary, operator};
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct TruncateMod;

impl Op for TruncateMod {
    identity!("truncatemod");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: Some(Code::Rem) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.rem(x[0], x[1])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The remainder of truncating division, with the sign of the first operand: Rust's operator `%`, for integers and floats.
    /// TensorFlow's `%` is [`floormod`](fn@crate::floormod), with the sign of the second.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::truncatemod(&tf::constant([7, -7]), 4).to_vec::<i32>(), [3, -3]);
    /// assert_eq!((&tf::constant([5.5, -1.0]) % 2.0).to_vec::<f32>(), [1.5, -1.0]);
    /// assert!(tf::try_truncatemod(&tf::constant([1]), 0).is_err());
    /// ```
    pub fn truncatemod, try_truncatemod = TruncateMod;
}

operator!(Rem::rem = TruncateMod; assign RemAssign::rem_assign);
