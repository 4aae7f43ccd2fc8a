//! `round`: the nearest whole number, halves to the even one; no gradient.
//! TensorFlow's `tf.round`, numbers; integers come back as they are.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Round;

impl Op for Round {
    identity!("round");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: Some(Code::Round) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        match s.dtype(x[0]).is_floating() {
            true => s.round(x[0]),
            false => x[0],
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a step function is flat wherever it has a slope")
    }
}

public! {
    /// The whole number nearest to each element; a half goes to the even neighbour.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::round(&tf::constant([0.5, 1.5, -2.7])).to_vec::<f32>(), [0.0, 2.0, -3.0]);
    /// ```
    pub fn round, try_round(x) -> Tensor {
        execute1(&Round, &[x])
    }
}
