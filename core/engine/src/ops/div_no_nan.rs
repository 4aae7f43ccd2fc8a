//! `div_no_nan`: x / y, and 0 where y is 0; the gradients there are 0 too.
//! TensorFlow's `tf.math.divide_no_nan`, numbers; integers become floats first, as in `truediv`.

use super::operators::binary;
use super::truediv::real;
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Scalar, Val};

#[derive(Clone)]
pub(crate) struct DivNoNan;

impl Op for DivNoNan {
    identity!("div_no_nan");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let (x, y) = (real(s, x[0]), real(s, x[1]));
        let zero = s.eq(y, s.number(y, 0.0));
        // Dividing by 1 there keeps infinities out of the gradient as well.
        let quotient = s.div(x, s.select(zero, s.number(y, 1.0), y));
        s.select(zero, s.number(y, 0.0), quotient)
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    #[doc(alias = "divide_no_nan")]
    /// The quotient of two elements, or zero where the divisor is zero.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::div_no_nan(&tf::constant([3.0, 3.0]), &tf::constant([2.0, 0.0])).to_vec::<f32>(), [1.5, 0.0]);
    /// ```
    pub fn div_no_nan, try_div_no_nan = DivNoNan;
}
