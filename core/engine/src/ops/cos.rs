//! `cos`: the cosine of an angle in radians; dx = -dy * sin(x).
//! TensorFlow's `tf.cos`, floats; exact also for huge angles.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Cos;

impl Op for Cos {
    identity!("cos");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Cos) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.cos(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].cos(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].sin(s).neg(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The cosine of each element, an angle in radians.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::cos(&tf::constant([0.0, std::f32::consts::PI])).to_vec::<f32>(), [1.0, -1.0]);
    /// ```
    pub fn cos, try_cos(x) -> Tensor {
        execute1(&Cos, &[x])
    }
}
