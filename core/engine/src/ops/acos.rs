//! `acos`: the arc cosine; dx = dy * -1 / sqrt(1 - x^2).
//! TensorFlow's `tf.acos`, floats and complex numbers.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Acos;

impl Op for Acos {
    identity!("acos");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Acos) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.acos(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].acos(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        let one = x[0].real(s, 1.0);
        Some(one.sub(s, x[0].mul(s, x[0])).sqrt(s).reciprocal(s).neg(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The arc cosine of each element, an angle between 0 and pi.
    ///
    /// Rounded once in 32 bits; within 3 units in the last place of `float64`; nan outside [-1, 1].
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::acos(&tf::constant([1.0, 0.0])).to_vec::<f32>(), [0.0, std::f32::consts::FRAC_PI_2]);
    /// ```
    pub fn acos, try_acos(x) -> Tensor {
        execute1(&Acos, &[x])
    }
}
