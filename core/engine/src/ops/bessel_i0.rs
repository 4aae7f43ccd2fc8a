//! `bessel_i0`: the modified Bessel function I0; dx = dy * bessel_i1(x).
//! TensorFlow's `tf.math.bessel_i0`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct BesselI0;

impl Op for BesselI0 {
    identity!("bessel_i0");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::BesselI0) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.bessel_i0(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The modified Bessel function of the first kind and order 0 of each element.
    ///
    /// Rounded once in 32 bits; within 8 units in the last place of `float64`; Chebyshev
    /// series on both sides of 8.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::bessel_i0(&tf::constant(1.0)).item::<f32>();
    /// assert!((y - 1.266_065_9).abs() < 1e-6);
    /// ```
    pub fn bessel_i0, try_bessel_i0(x) -> Tensor {
        execute1(&BesselI0, &[x])
    }
}
