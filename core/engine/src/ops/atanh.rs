//! `atanh`: the inverse hyperbolic tangent; dx = dy * 1 / (1 - x^2).
//! TensorFlow's `tf.atanh`, floats and complex numbers.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Atanh;

impl Op for Atanh {
    identity!("atanh");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Atanh) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.atanh(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].atanh(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].real(s, 1.0).sub(s, x[0].mul(s, x[0])).reciprocal(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The inverse hyperbolic tangent of each element.
    ///
    /// Rounded once in 32 bits; within 3 units in the last place of `float64`; nan outside [-1, 1].
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::atanh(&tf::constant([0.0, 1.0])).to_vec::<f32>(), [0.0, f32::INFINITY]);
    /// ```
    pub fn atanh, try_atanh(x) -> Tensor {
        execute1(&Atanh, &[x])
    }
}
