//! `xdivy`: x / y, and 0 where x is 0; the gradients there are 0 too.
//! TensorFlow's `tf.math.xdivy`, floats and complex numbers.

use super::operators::binary;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::dtype::DTypes;
use kernels::scalar::{ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Xdivy;

impl Op for Xdivy {
    identity!("xdivy");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let zero = s.eq(x[0], s.number(x[0], 0.0));
        // Where x is 0, y stands aside: no infinity or nan of it comes into result or gradient.
        let y = s.select(zero, s.number(x[0], 1.0), x[1]);
        s.select(zero, s.number(x[0], 0.0), s.div(x[0], y))
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        let (x, zero, y) = (x[0], x[0].is_zero(s), x[1]);
        let y = ComplexVal::select(s, zero, y.real(s, 1.0), y);
        Some(ComplexVal::select(s, zero, x.real(s, 0.0), x.div(s, y)).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], index: usize) -> Option<ComplexVal> {
        let (x, zero, y) = (x[0], x[0].is_zero(s), x[1]);
        let y = ComplexVal::select(s, zero, y.real(s, 1.0), y);
        let slope = if index == 0 { y.reciprocal(s) } else { x.div(s, y).div(s, y).neg(s) };
        Some(ComplexVal::select(s, zero, x.real(s, 0.0), slope))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The quotient of two elements, or zero where the dividend is zero.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::xdivy(&tf::constant([0.0, 3.0]), &tf::constant([0.0, 2.0])).to_vec::<f32>(), [0.0, 1.5]);
    /// ```
    pub fn xdivy, try_xdivy = Xdivy;
}
