//! `truediv`: x / y as real numbers; dx = dy / y, and -dy * (x / y) / y for y. TensorFlow's `tf.truediv`, Python's
//! `/`: integers of 8 and 16 bits become `float32`, wider ones `float64`, then divide.

use super::divide::Divide;
use super::operators::binary;
use kernels::dtype::{DType, DTypes};
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{ComplexVal, Meant, Scalar, Val};

/// A number as a real one: integers become the float that TensorFlow's division takes.
pub(crate) fn as_real(s: &Scalar, x: Val) -> Val {
    let dtype = s.dtype(x);
    match dtype.is_integer() {
        true if dtype.size() <= 2 => s.cast(x, DType::F32),
        true => s.cast(x, DType::F64),
        false => x,
    }
}

#[derive(Clone)]
pub(crate) struct TrueDiv;

impl Op for TrueDiv {
    identity!("truediv");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.div(as_real(s, x[0]), as_real(s, x[1]))
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].div(s, x[1]).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], index: usize) -> Option<ComplexVal> {
        Divide.complex_slope(s, x, index)
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The quotient of two elements as a real number, also of integers.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::truediv(&tf::constant([7, -7]), 2);
    /// assert_eq!(x.to_vec::<f64>(), [3.5, -3.5]);
    /// ```
    pub fn truediv, try_truediv = TrueDiv;
}
