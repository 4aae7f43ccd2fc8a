//! `floormod`: the remainder of `floordiv`, with the sign of y; dx = dy, and -dy * floor(x / y) for y. TensorFlow's
//! `tf.math.floormod` (Python's `%`), numbers; zero divides no integer. Our operator `%` has the sign of x, as
//! Rust's.

use super::operators::binary;
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct FloorMod;

impl Op for FloorMod {
    identity!("floormod");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: Some(Code::FloorMod) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.floor_mod(x[0], x[1])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    #[doc(alias = "mod")]
    /// The remainder of two elements, with the sign of the second.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::floormod(&tf::constant([7, -7]), 4).to_vec::<i32>(), [3, 1]);
    /// assert!(tf::try_floormod(&tf::constant([7, -7]), 0).is_err());
    /// ```
    pub fn floormod, try_floormod = FloorMod;
}
