//! `minimum`: the smaller of x and y, NaN if either is; dy goes to the smaller, to x on a tie.
//! TensorFlow's `tf.minimum`, numbers.

use super::operators::binary;
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Minimum;

impl Op for Minimum {
    identity!("minimum");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: Some(Code::Min) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.min(x[0], x[1])
    }

    fn picks_elements(&self) -> bool {
        true
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The smaller of two elements; NaN if either is.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::minimum(&tf::constant([-1.0, 2.0]), 0.0).to_vec::<f32>(), [-1.0, 0.0]);
    /// ```
    pub fn minimum, try_minimum = Minimum;
}
