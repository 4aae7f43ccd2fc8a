//! `cosh`: the hyperbolic cosine; dx = dy * sinh(x).
//! TensorFlow's `tf.cosh`, floats and complex numbers.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Cosh;

impl Op for Cosh {
    identity!("cosh");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Cosh) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.cosh(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].cosh(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].sinh(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The hyperbolic cosine of each element.
    ///
    /// Rounded once in 32 bits; within 3 units in the last place of `float64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::cosh(&tf::constant(1.0)).item::<f32>();
    /// assert!((y - 1.5430806).abs() < 1e-6);
    /// ```
    pub fn cosh, try_cosh(x) -> Tensor {
        execute1(&Cosh, &[x])
    }
}
