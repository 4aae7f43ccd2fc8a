//! `atan`: the arc tangent; dx = dy * 1 / (1 + x^2).
//! TensorFlow's `tf.atan`, floats and complex numbers.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Atan;

impl Op for Atan {
    identity!("atan");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Atan) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.atan(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].atan(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].mul(s, x[0]).add(s, x[0].real(s, 1.0)).reciprocal(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The arc tangent of each element, an angle between -pi/2 and pi/2.
    ///
    /// Rounded once in 32 bits; within 3 units in the last place of `float64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::atan(&tf::constant([0.0, 1.0])).to_vec::<f32>(), [0.0, std::f32::consts::FRAC_PI_4]);
    /// ```
    pub fn atan, try_atan(x) -> Tensor {
        execute1(&Atan, &[x])
    }
}
