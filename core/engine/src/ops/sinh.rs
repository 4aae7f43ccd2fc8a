//! `sinh`: the hyperbolic sine; dx = dy * cosh(x).
//! TensorFlow's `tf.sinh`, floats and complex numbers.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Sinh;

impl Op for Sinh {
    identity!("sinh");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Sinh) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.sinh(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].sinh(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].cosh(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The hyperbolic sine of each element.
    ///
    /// Rounded once in 32 bits; within 3 units in the last place of `float64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::sinh(&tf::constant(1.0)).item::<f32>();
    /// assert!((y - 1.1752012).abs() < 1e-6);
    /// ```
    pub fn sinh, try_sinh(x) -> Tensor {
        execute1(&Sinh, &[x])
    }
}
