//! `pow`: x to the power y; dx = dy * y * x^(y - 1), and dy * x^y * log(x) for y, 0 where x is not positive.
//! TensorFlow's `tf.pow`, floats and signed integers; a negative integer power is an error.

use super::operators::binary;
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Pow;

impl Op for Pow {
    identity!("pow");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING.and(DTypes::SIGNED_INTEGERS), direct: Some(Code::Pow) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.pow(x[0], x[1])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].pow(s, x[1]).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], index: usize) -> Option<ComplexVal> {
        // y * x^(y - 1), and x^y * log(x), 0 at x = 0.
        let (x, y) = (x[0], x[1]);
        if index == 0 {
            return Some(y.mul(s, x.pow(s, y.sub(s, y.real(s, 1.0)))));
        }
        let zero = x.is_zero(s);
        let base = ComplexVal::select(s, zero, x.real(s, 1.0), x);
        Some(x.pow(s, y).mul(s, base.log(s)))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// Each element of the first operand raised to the power of the second.
    ///
    /// Integers wrap; a negative integer exponent is an error.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::pow(&tf::constant([2.0, 3.0]), 2.0).to_vec::<f32>(), [4.0, 9.0]);
    /// assert!(tf::try_pow(&tf::constant([2, 3]), -1).is_err());
    /// ```
    pub fn pow, try_pow = Pow;
}
