//! `erfinv`: the inverse of erf; dx = dy * sqrt(pi) / 2 * exp(y^2).
//! TensorFlow's `tf.math.erfinv`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Erfinv;

impl Op for Erfinv {
    identity!("erfinv");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Erfinv) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.erfinv(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The inverse of the error function of each element.
    ///
    /// Rounded once in 32 bits; within 8 units in the last place of `float64`. Infinite at 1 and -1, nan
    /// beyond. TensorFlow loses digits near 0 and -1; this keeps them. Rational functions of algorithm AS 241 (Wichura 1988).
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::erfinv(&tf::constant(0.842_700_8)).item::<f32>();
    /// assert!((y - 1.0).abs() < 1e-5);
    /// ```
    pub fn erfinv, try_erfinv(x) -> Tensor {
        execute1(&Erfinv, &[x])
    }
}
