//! `atanh`: the inverse hyperbolic tangent; dx = dy * 1 / (1 - x^2).
//! TensorFlow's `tf.atanh`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

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
