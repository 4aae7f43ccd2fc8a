//! `relu`: max(x, 0), NaN for NaN; dx = dy where the result is above 0, else 0 (so 0 at 0 and at NaN).
//! TensorFlow's `tf.nn.relu`, numbers.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Relu;

impl Op for Relu {
    identity!("relu");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.max(x[0], s.number(x[0], 0.0))
    }

    fn partial(&self, s: &Scalar, _x: &[Val], y: Val, dy: Val, _index: usize) -> Option<Val> {
        let zero = s.number(dy, 0.0);
        Some(s.select(s.gt(y, zero), dy, zero))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// Each element, or zero where it is negative.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::relu(&tf::constant([-1.0, 2.0])).to_vec::<f32>(), [0.0, 2.0]);
    /// ```
    pub fn relu, try_relu(x) -> Tensor {
        execute1(&Relu, &[x])
    }
}
