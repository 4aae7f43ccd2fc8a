//! `nextafter`: the neighbour of x on the way to y; dx = dy, and nothing for y.
//! TensorFlow's `tf.math.nextafter`, `float32` and `float64`.

use super::operators::binary;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::dtype::{DType, DTypes};
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct NextAfter;

impl Op for NextAfter {
    identity!("nextafter");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::of(&[DType::F32, DType::F64]), direct: Some(Code::NextAfter) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.nextafter(x[0], x[1])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The next number after each element of the first operand, towards that of the second.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::nextafter(&tf::constant([1.0]), &tf::constant([2.0])).to_vec::<f32>(), [1.0_f32.next_up()]);
    /// ```
    pub fn nextafter, try_nextafter = NextAfter;
}
