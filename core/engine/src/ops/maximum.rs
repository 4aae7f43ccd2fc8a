//! `maximum`: the larger of x and y, NaN if either is; dy goes to the larger, to x on a tie.
//! TensorFlow's `tf.maximum`, numbers.

use super::operators::binary;
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Maximum;

impl Op for Maximum {
    identity!("maximum");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: Some(Code::Max) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.max(x[0], x[1])
    }

    fn picks_elements(&self) -> bool {
        true
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The larger of two elements; NaN if either is.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::maximum(&tf::constant([-1.0, 2.0]), 0.0).to_vec::<f32>(), [0.0, 2.0]);
    /// ```
    pub fn maximum, try_maximum = Maximum;
}
