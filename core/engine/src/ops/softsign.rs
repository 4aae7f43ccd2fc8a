//! `softsign`: x / (1 + |x|); dx = dy / (1 + |x|)^2.
//! TensorFlow's `tf.nn.softsign`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Softsign;

impl Op for Softsign {
    identity!("softsign");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.div(x[0], s.add(s.number(x[0], 1.0), s.abs(x[0])))
    }

    fn partial(&self, s: &Scalar, x: &[Val], _y: Val, dy: Val, _index: usize) -> Option<Val> {
        // One term, where the quotient rule has two that cancel for large |x|.
        let base = s.add(s.number(dy, 1.0), s.abs(x[0]));
        Some(s.div(s.div(dy, base), base))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// Each element divided by one plus its absolute value: between -1 and 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::softsign(&tf::constant([-1.0, 3.0])).to_vec::<f32>(), [-0.5, 0.75]);
    /// ```
    pub fn softsign, try_softsign(x) -> Tensor {
        execute1(&Softsign, &[x])
    }
}
