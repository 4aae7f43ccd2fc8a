//! `softplus`: log(1 + exp(x)), as max(x, 0) + log1p(exp(-|x|)), which never overflows; dx = dy * sigmoid(x).
//! TensorFlow's `tf.math.softplus`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Softplus;

impl Op for Softplus {
    identity!("softplus");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let tail = s.log1p(s.exp(s.neg(s.abs(x[0]))));
        s.add(s.max(x[0], s.number(x[0], 0.0)), tail)
    }

    fn partial(&self, s: &Scalar, x: &[Val], _y: Val, dy: Val, _index: usize) -> Option<Val> {
        // Smooth everywhere, where the two pieces of the meaning meet in kinks.
        Some(s.mul(dy, s.sigmoid(x[0])))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The logarithm of one plus the exponential of each element: a smooth `relu`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::softplus(&tf::constant([100.0, -200.0])).to_vec::<f32>(), [100.0, 0.0]);
    /// ```
    pub fn softplus, try_softplus(x) -> Tensor {
        execute1(&Softplus, &[x])
    }
}
