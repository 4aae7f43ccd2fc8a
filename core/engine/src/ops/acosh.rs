//! `acosh`: the inverse hyperbolic cosine; dx = dy * 1 / sinh(y).
//! TensorFlow's `tf.acosh`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Acosh;

impl Op for Acosh {
    identity!("acosh");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Acosh) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.acosh(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The inverse hyperbolic cosine of each element, which is not negative.
    ///
    /// Rounded once in 32 bits; within 3 units in the last place of `float64`; nan below 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::acosh(&tf::constant(1.5430806)).item::<f32>();
    /// assert!((y - 1.0).abs() < 1e-6);
    /// ```
    pub fn acosh, try_acosh(x) -> Tensor {
        execute1(&Acosh, &[x])
    }
}
