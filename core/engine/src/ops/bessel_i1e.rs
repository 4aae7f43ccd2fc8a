//! `bessel_i1e`: exp(-|x|) * I1(x); dx = dy * (bessel_i0e(x) - y * (sign(x) + 1 / x)), 1/2 at 0.
//! TensorFlow's `tf.math.bessel_i1e`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct BesselI1e;

impl Op for BesselI1e {
    identity!("bessel_i1e");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::BesselI1e) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.bessel_i1e(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The modified Bessel function of order 1 of each element, scaled by exp(-|x|) so that it cannot overflow.
    ///
    /// Rounded once in 32 bits; within 14 units in the last place of `float64`; Chebyshev
    /// series on both sides of 8.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::bessel_i1e(&tf::constant(1.0)).item::<f32>();
    /// assert!((y - 0.207_910_4).abs() < 1e-6);
    /// ```
    pub fn bessel_i1e, try_bessel_i1e(x) -> Tensor {
        execute1(&BesselI1e, &[x])
    }
}
