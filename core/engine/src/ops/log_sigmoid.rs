//! `log_sigmoid`: log(sigmoid(x)), as min(x, 0) - log1p(exp(-|x|)), which never underflows; dx = dy * sigmoid(-x).
//! TensorFlow's `tf.math.log_sigmoid`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Scalar, Val};

#[derive(Clone)]
pub(crate) struct LogSigmoid;

impl Op for LogSigmoid {
    identity!("log_sigmoid");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let tail = s.log1p(s.exp(s.neg(s.abs(x[0]))));
        s.sub(s.min(x[0], s.number(x[0], 0.0)), tail)
    }

    fn partial(&self, s: &Scalar, x: &[Val], _y: Val, dy: Val, _index: usize) -> Option<Val> {
        // Smooth everywhere, where the two pieces of the meaning meet in kinks.
        Some(s.mul(dy, s.sigmoid(s.neg(x[0]))))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The logarithm of the logistic function of each element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::log_sigmoid(&tf::constant([200.0, -200.0])).to_vec::<f32>(), [0.0, -200.0]);
    /// ```
    pub fn log_sigmoid, try_log_sigmoid(x) -> Tensor {
        execute1(&LogSigmoid, &[x])
    }
}
