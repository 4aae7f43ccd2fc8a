//! `digamma`: the derivative of lgamma; dx = dy * polygamma(1, x).
//! TensorFlow's `tf.math.digamma`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Digamma;

impl Op for Digamma {
    identity!("digamma");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Digamma) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.digamma(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The derivative of the logarithm of the gamma function of each element.
    ///
    /// Rounded once in 32 bits; within 8 units in the last place of `float64` for positive numbers, and within 16 of 1 where the result is near 0
    /// below them. Nan at zero and the negative integers.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::digamma(&tf::constant(1.0)).item::<f32>();
    /// assert!((y - -0.577_215_7).abs() < 1e-6);
    /// ```
    pub fn digamma, try_digamma(x) -> Tensor {
        execute1(&Digamma, &[x])
    }
}
