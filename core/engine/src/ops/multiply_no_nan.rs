//! `multiply_no_nan`: x * y, and 0 where y is 0, whatever x is; dx = multiply_no_nan(dy, y), and dy' = multiply_no_nan(x, dy).
//! TensorFlow's `tf.math.multiply_no_nan`, floats and complex numbers.

use super::operators::binary;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::dtype::DTypes;
use kernels::scalar::{ComplexVal, Meant, Scalar, Val};

/// x y, or 0 where y is 0.
fn product(s: &Scalar, x: Val, y: Val) -> Val {
    let zero = s.number(y, 0.0);
    s.select(s.eq(y, zero), zero, s.mul(x, y))
}

#[derive(Clone)]
pub(crate) struct MultiplyNoNan;

impl Op for MultiplyNoNan {
    identity!("multiply_no_nan");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        product(s, x[0], x[1])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        let zero = x[1].is_zero(s);
        Some(ComplexVal::select(s, zero, x[1].real(s, 0.0), x[0].mul(s, x[1])).into())
    }

    fn complex_slope(&self, _: &Scalar, x: &[ComplexVal], index: usize) -> Option<ComplexVal> {
        Some(x[1 - index])
    }

    fn partial(&self, s: &Scalar, x: &[Val], _y: Val, dy: Val, index: usize) -> Option<Val> {
        if index == 0 {
            return Some(product(s, dy, x[1]));
        }
        // Where x is finite the zero is the product's own, and the form linear in dy, as tangents need it.
        Some(s.select(s.is_finite(x[0]), s.mul(x[0], dy), product(s, x[0], dy)))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The product of two elements, or zero where the second is zero, even if the first is infinite or nan.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::multiply_no_nan(&tf::constant([f32::NAN, 3.0]), &tf::constant([0.0, 2.0])).to_vec::<f32>(), [0.0, 6.0]);
    /// ```
    pub fn multiply_no_nan, try_multiply_no_nan = MultiplyNoNan;
}
