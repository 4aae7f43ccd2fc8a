//! `lgamma`: log |gamma(x)|; dx = dy * digamma(x).
//! TensorFlow's `tf.math.lgamma`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Lgamma;

impl Op for Lgamma {
    identity!("lgamma");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Lgamma) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.lgamma(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The logarithm of the absolute value of the gamma function of each element.
    ///
    /// Rounded once in 32 bits; within 8 units in the last place of `float64` for positive numbers, and of 1 where the result is near 0
    /// below them. Infinite at zero and the negative integers. Chebyshev series between the zeros, and Stirling's from 10 on.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::lgamma(&tf::constant([1.0, 3.0, 0.0])).to_vec::<f32>(), [0.0, 2.0_f32.ln(), f32::INFINITY]);
    /// ```
    pub fn lgamma, try_lgamma(x) -> Tensor {
        execute1(&Lgamma, &[x])
    }
}
