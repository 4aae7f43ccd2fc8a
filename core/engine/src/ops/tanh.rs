//! `tanh`: the hyperbolic tangent; dx = dy * (1 - tanh(x)^2), from the saved result.
//! TensorFlow's `tf.tanh`, floating-point only.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Tanh;

impl Op for Tanh {
    identity!("tanh");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Tanh) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.tanh(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].tanh(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        let y = x[0].tanh(s);
        Some(x[0].real(s, 1.0).sub(s, y.mul(s, y)))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The hyperbolic tangent of each element, between -1 and 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::tanh(&tf::constant([0.0, 100.0])).to_vec::<f32>(), [0.0, 1.0]);
    /// ```
    pub fn tanh, try_tanh(x) -> Tensor {
        execute1(&Tanh, &[x])
    }
}
