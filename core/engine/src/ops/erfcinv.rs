//! `erfcinv`: the inverse of erfc, by the quantile of the normal distribution; dx = -dy * sqrt(pi) / 2 * exp(y^2).
//! TensorFlow's `tf.math.erfcinv`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Scalar, Val};

#[derive(Clone)]
pub(crate) struct Erfcinv;

impl Op for Erfcinv {
    identity!("erfcinv");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let half = s.mul(x[0], s.number(x[0], 0.5));
        s.mul(s.neg(s.ndtri(half)), s.number(x[0], std::f64::consts::FRAC_1_SQRT_2))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The inverse of the complementary error function of each element.
    ///
    /// Infinite at 0 and 2, nan beyond; small numbers keep their digits.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::erfcinv(&tf::constant([1.0, 0.0])).to_vec::<f32>(), [0.0, f32::INFINITY]);
    /// ```
    pub fn erfcinv, try_erfcinv(x) -> Tensor {
        execute1(&Erfcinv, &[x])
    }
}
