//! `exp`: e to the power x; dx = dy * exp(x), from the saved result.
//! TensorFlow's `tf.exp`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Exp;

impl Op for Exp {
    identity!("exp");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Exp) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.exp(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].exp(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].exp(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The exponential of each element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::exp(&tf::constant([0.0, f32::NEG_INFINITY])).to_vec::<f32>(), [1.0, 0.0]);
    /// ```
    pub fn exp, try_exp(x) -> Tensor {
        execute1(&Exp, &[x])
    }
}
