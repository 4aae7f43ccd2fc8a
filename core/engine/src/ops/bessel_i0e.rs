//! `bessel_i0e`: exp(-|x|) * I0(x); dx = dy * (bessel_i1e(x) - sign(x) * y).
//! TensorFlow's `tf.math.bessel_i0e`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct BesselI0e;

impl Op for BesselI0e {
    identity!("bessel_i0e");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::BesselI0e) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.bessel_i0e(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The modified Bessel function of order 0 of each element, scaled by exp(-|x|) so that it cannot overflow.
    ///
    /// Rounded once in 32 bits; within 8 units in the last place of `float64`; Chebyshev
    /// series on both sides of 8.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::bessel_i0e(&tf::constant(1.0)).item::<f32>();
    /// assert!((y - 0.465_759_6).abs() < 1e-6);
    /// ```
    pub fn bessel_i0e, try_bessel_i0e(x) -> Tensor {
        execute1(&BesselI0e, &[x])
    }
}
