//! `tan`: the tangent; dx = dy * (1 + y^2).
//! TensorFlow's `tf.tan`, floats and complex numbers.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Tan;

impl Op for Tan {
    identity!("tan");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Tan) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.tan(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].tan(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        let y = x[0].tan(s);
        Some(y.mul(s, y).add(s, x[0].real(s, 1.0)))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The tangent of each element, an angle in radians.
    ///
    /// Rounded once in 32 bits; within 3 units in the last place of `float64`; nan for infinities.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::tan(&tf::constant([0.0, 0.7853982])).to_vec::<f32>(), [0.0, 1.0]);
    /// ```
    pub fn tan, try_tan(x) -> Tensor {
        execute1(&Tan, &[x])
    }
}
