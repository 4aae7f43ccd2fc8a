//! `sigmoid`: 1 / (1 + exp(-x)); dx = dy * y * (1 - y), from the saved result.
//! TensorFlow's `tf.sigmoid`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Sigmoid;

impl Op for Sigmoid {
    identity!("sigmoid");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Sigmoid) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.sigmoid(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].sigmoid(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        let y = x[0].sigmoid(s);
        Some(y.mul(s, x[0].real(s, 1.0).sub(s, y)))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The logistic function of each element, between 0 and 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::sigmoid(&tf::constant([0.0, 1000.0])).to_vec::<f32>(), [0.5, 1.0]);
    /// ```
    pub fn sigmoid, try_sigmoid(x) -> Tensor {
        execute1(&Sigmoid, &[x])
    }
}
