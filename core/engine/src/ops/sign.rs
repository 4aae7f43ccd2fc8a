//! `sign`: -1, 0 or 1, and NaN for NaN; its derivative is 0 everywhere.
//! TensorFlow's `tf.sign`, floats and signed integers; a gradient through it is zeros, not none.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Sign;

impl Op for Sign {
    identity!("sign");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING.and(DTypes::SIGNED_INTEGERS), direct: Some(Code::Sign) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.sign(x[0])
    }

    fn partial(&self, s: &Scalar, _x: &[Val], _y: Val, dy: Val, _index: usize) -> Option<Val> {
        // Zeros that are connected: TensorFlow answers them, where the derivative of the instruction is none.
        Some(s.number(dy, 0.0))
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].sign(s).into())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The sign of each element: -1, 0 or 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::sign(&tf::constant([-3.0, 0.0, 0.5])).to_vec::<f32>(), [-1.0, 0.0, 1.0]);
    /// ```
    pub fn sign, try_sign(x) -> Tensor {
        execute1(&Sign, &[x])
    }
}
