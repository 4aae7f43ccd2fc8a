//! `floordiv`: the quotient rounded toward minus infinity; no gradient. TensorFlow's `tf.math.floordiv` (Python's
//! `//`), numbers; an integer divided by zero is an error. Our `/` truncates, as Rust's.

use super::operators::binary;
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct FloorDiv;

impl Op for FloorDiv {
    identity!("floordiv");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: Some(Code::FloorDiv) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.floor_div(x[0], x[1])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a step function is flat wherever it has a slope")
    }
}

binary! {
    /// The quotient of two elements, rounded toward minus infinity.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::floordiv(&tf::constant([7, -7]), 2).to_vec::<i32>(), [3, -4]);
    /// assert!(tf::try_floordiv(&tf::constant([7, -7]), 0).is_err());
    /// ```
    pub fn floordiv, try_floordiv = FloorDiv;
}
