//! `div_no_nan`: x / y, and 0 where y is 0; the gradients there are 0 too.
//! TensorFlow's `tf.math.divide_no_nan`, numbers; integers become floats first, as in `truediv`.

use super::operators::binary;
use super::truediv::as_real;
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct DivNoNan;

impl Op for DivNoNan {
    identity!("div_no_nan");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let (x, y) = (as_real(s, x[0]), as_real(s, x[1]));
        let zero = s.eq(y, s.number(y, 0.0));
        // Dividing by 1 there keeps infinities out of the gradient as well.
        let quotient = s.div(x, s.select(zero, s.number(y, 1.0), y));
        s.select(zero, s.number(y, 0.0), quotient)
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        let (x, y) = (x[0], x[1]);
        let zero = y.is_zero(s);
        let quotient = x.div(s, ComplexVal::select(s, zero, y.real(s, 1.0), y));
        Some(ComplexVal::select(s, zero, y.real(s, 0.0), quotient).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], index: usize) -> Option<ComplexVal> {
        let (x, y) = (x[0], x[1]);
        let (zero, none) = (y.is_zero(s), y.real(s, 0.0));
        let divisor = ComplexVal::select(s, zero, y.real(s, 1.0), y);
        let inverse = divisor.reciprocal(s);
        let slope = if index == 0 { inverse } else { x.div(s, divisor).mul(s, inverse).neg(s) };
        Some(ComplexVal::select(s, zero, none, slope))
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
