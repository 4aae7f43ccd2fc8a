//! `hard_swish`: x * hard_sigmoid(x); dx = dy * (hard_sigmoid(x) + x / 6 where -3 < x < 3).
//! Keras' `keras.activations.hard_swish`, floats (Howard et al., Searching for MobileNetV3, 2019).

use super::hard_sigmoid::{between, share};
use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Scalar, Val};

#[derive(Clone)]
pub(crate) struct HardSwish;

impl Op for HardSwish {
    identity!("hard_swish");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.mul(x[0], share(s, x[0]))
    }

    fn partial(&self, s: &Scalar, x: &[Val], _y: Val, dy: Val, _index: usize) -> Option<Val> {
        let slope = s.select(between(s, x[0]), s.mul(x[0], s.number(dy, 1.0 / 6.0)), s.number(dy, 0.0));
        Some(s.mul(dy, s.add(share(s, x[0]), slope)))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    #[doc(alias = "hard_silu")]
    /// Each element times its [`hard_sigmoid`](fn@crate::hard_sigmoid); Keras also calls it `hard_silu`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::hard_swish(&tf::constant([-4.0, 1.5, 4.0])).to_vec::<f32>(), [0.0, 1.125, 4.0]);
    /// ```
    pub fn hard_swish, try_hard_swish(x) -> Tensor {
        execute1(&HardSwish, &[x])
    }
}
