//! `relu6`: min(max(x, 0), 6); dx = dy where 0 < y < 6, else 0.
//! TensorFlow's `tf.nn.relu6`, numbers (Krizhevsky, Convolutional deep belief networks on CIFAR-10, 2010).

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Scalar, Val};

#[derive(Clone)]
pub(crate) struct Relu6;

impl Op for Relu6 {
    identity!("relu6");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.min(s.max(x[0], s.number(x[0], 0.0)), s.number(x[0], 6.0))
    }

    fn partial(&self, s: &Scalar, _x: &[Val], y: Val, dy: Val, _index: usize) -> Option<Val> {
        let zero = s.number(dy, 0.0);
        let inside = s.and(s.gt(y, zero), s.lt(y, s.number(y, 6.0)));
        Some(s.select(inside, dy, zero))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// Each element, moved to the nearest number from 0 to 6.
    ///
    /// The gradient is zero at both ends, as in TensorFlow.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::relu6(&tf::constant([-1.0, 2.0, 9.0])).to_vec::<f32>(), [0.0, 2.0, 6.0]);
    /// ```
    pub fn relu6, try_relu6(x) -> Tensor {
        execute1(&Relu6, &[x])
    }
}
