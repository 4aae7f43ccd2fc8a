//! `square`: x * x; dx = 2 * dy * x.
//! TensorFlow's `tf.square`, numbers; integers wrap.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Square;

impl Op for Square {
    identity!("square");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: Some(Code::Mul) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        // The instruction gets the only operand twice.
        s.mul(x[0], x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].mul(s, x[0]).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].times(s, 2.0))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The square of each element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::square(&tf::constant([-3.0, 4.0])).to_vec::<f32>(), [9.0, 16.0]);
    /// ```
    pub fn square, try_square(x) -> Tensor {
        execute1(&Square, &[x])
    }
}
