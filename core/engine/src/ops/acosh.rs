//! `acosh`: the inverse hyperbolic cosine; dx = dy * 1 / sinh(y).
//! TensorFlow's `tf.acosh`, floats and complex numbers.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Acosh;

impl Op for Acosh {
    identity!("acosh");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Acosh) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.acosh(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].acosh(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        let one = x[0].real(s, 1.0);
        Some(x[0].sub(s, one).sqrt(s).mul(s, x[0].add(s, one).sqrt(s)).reciprocal(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The inverse hyperbolic cosine of each element, which is not negative.
    ///
    /// Rounded once in 32 bits; within 3 units in the last place of `float64`; nan below 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::acosh(&tf::constant(1.5430806)).item::<f32>();
    /// assert!((y - 1.0).abs() < 1e-6);
    /// ```
    pub fn acosh, try_acosh(x) -> Tensor {
        execute1(&Acosh, &[x])
    }
}
