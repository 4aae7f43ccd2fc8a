//! `bessel_i1`: the modified Bessel function I1; dx = dy * (bessel_i0(x) - y / x), 1/2 at 0.
//! TensorFlow's `tf.math.bessel_i1`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct BesselI1;

impl Op for BesselI1 {
    identity!("bessel_i1");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::BesselI1) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.bessel_i1(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The modified Bessel function of the first kind and order 1 of each element.
    ///
    /// Rounded once in 32 bits; within 14 units in the last place of `float64`; Chebyshev
    /// series on both sides of 8.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::bessel_i1(&tf::constant(1.0)).item::<f32>();
    /// assert!((y - 0.565_159_1).abs() < 1e-6);
    /// ```
    pub fn bessel_i1, try_bessel_i1(x) -> Tensor {
        execute1(&BesselI1, &[x])
    }
}
