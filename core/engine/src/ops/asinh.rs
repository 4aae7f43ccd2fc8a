//! `asinh`: the inverse hyperbolic sine; dx = dy * 1 / cosh(y).
//! TensorFlow's `tf.asinh`, floats and complex numbers.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Asinh;

impl Op for Asinh {
    identity!("asinh");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Asinh) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.asinh(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].asinh(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].mul(s, x[0]).add(s, x[0].real(s, 1.0)).sqrt(s).reciprocal(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The inverse hyperbolic sine of each element.
    ///
    /// Rounded once in 32 bits; within 3 units in the last place of `float64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::asinh(&tf::constant(1.1752012)).item::<f32>();
    /// assert!((y - 1.0).abs() < 1e-6);
    /// ```
    pub fn asinh, try_asinh(x) -> Tensor {
        execute1(&Asinh, &[x])
    }
}
