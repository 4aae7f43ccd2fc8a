//! `expm1`: exp(x) - 1 without the loss of digits near 0; dx = dy * exp(x).
//! TensorFlow's `tf.math.expm1`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Expm1;

impl Op for Expm1 {
    identity!("expm1");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Expm1) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.expm1(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].expm1(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].exp(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The exponential of each element, less one; exact to the last digits also near zero.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::expm1(&tf::constant([0.0, 1e-10])).to_vec::<f32>(), [0.0, 1e-10]);
    /// ```
    pub fn expm1, try_expm1(x) -> Tensor {
        execute1(&Expm1, &[x])
    }
}
