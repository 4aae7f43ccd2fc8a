//! `erf`: the error function; dx = dy * 2 / sqrt(pi) * exp(-x^2).
//! TensorFlow's `tf.math.erf`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Erf;

impl Op for Erf {
    identity!("erf");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Erf) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.erf(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The error function of each element, between -1 and 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::erf(&tf::constant([0.0, 10.0])).to_vec::<f32>(), [0.0, 1.0]);
    /// ```
    pub fn erf, try_erf(x) -> Tensor {
        execute1(&Erf, &[x])
    }
}
