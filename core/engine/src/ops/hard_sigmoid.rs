//! `hard_sigmoid`: relu6(x + 3) / 6, pieces of lines near the logistic function; dx = dy / 6 where -3 < x < 3, else 0.
//! Keras' `keras.activations.hard_sigmoid`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Scalar, Val};

/// relu6(x + 3) / 6.
pub(super) fn share(s: &Scalar, x: Val) -> Val {
    let number = |value| s.number(x, value);
    let moved = s.min(s.max(s.add(x, number(3.0)), number(0.0)), number(6.0));
    s.mul(moved, number(1.0 / 6.0))
}

/// Whether x lies between the kinks, where the share has a slope.
pub(super) fn between(s: &Scalar, x: Val) -> Val {
    s.and(s.gt(x, s.number(x, -3.0)), s.lt(x, s.number(x, 3.0)))
}

#[derive(Clone)]
pub(crate) struct HardSigmoid;

impl Op for HardSigmoid {
    identity!("hard_sigmoid");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        share(s, x[0])
    }

    fn partial(&self, s: &Scalar, x: &[Val], _y: Val, dy: Val, _index: usize) -> Option<Val> {
        Some(s.select(between(s, x[0]), s.mul(dy, s.number(dy, 1.0 / 6.0)), s.number(dy, 0.0)))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// A piecewise linear form of [`sigmoid`](fn@crate::sigmoid) of each element: 0 up to -3, 1 from 3 on.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::hard_sigmoid(&tf::constant([-4.0, 0.0, 4.0])).to_vec::<f32>(), [0.0, 0.5, 1.0]);
    /// ```
    pub fn hard_sigmoid, try_hard_sigmoid(x) -> Tensor {
        execute1(&HardSigmoid, &[x])
    }
}
