//! `truncatediv`: x / y toward zero; no gradient, as in TensorFlow.
//! TensorFlow's `tf.truncatediv`, numbers; an integer zero as divisor is an error.

use super::operators::binary;
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Scalar, Val};

#[derive(Clone)]
pub(crate) struct TruncateDiv;

impl Op for TruncateDiv {
    identity!("truncatediv");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let quotient = s.div(x[0], x[1]);
        if !s.dtype(quotient).is_floating() {
            return quotient;
        }
        let below = s.lt(quotient, s.number(quotient, 0.0));
        s.select(below, s.ceil(quotient), s.floor(quotient))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a step function has no slope")
    }
}

binary! {
    /// The quotient of two elements, rounded toward zero; [`truncatemod`](fn@crate::truncatemod) is what it leaves.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::truncatediv(&tf::constant([7, -7]), 2).to_vec::<i32>(), [3, -3]);
    /// assert_eq!(tf::truncatediv(&tf::constant([-7.0]), 2.0).to_vec::<f32>(), [-3.0]);
    /// ```
    pub fn truncatediv, try_truncatediv = TruncateDiv;
}
