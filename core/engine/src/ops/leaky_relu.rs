//! `leaky_relu`: x above 0, else alpha * x; dx = dy above 0, else alpha * dy (so at 0 and at NaN too).
//! TensorFlow's `tf.nn.leaky_relu`, numbers; alpha is an `f32` attribute, and integers become `float32` first.

use super::public;
use kernels::dtype::{DType, DTypes};
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct LeakyRelu {
    alpha: f32,
}

impl Op for LeakyRelu {
    identity!("leaky_relu", { "alpha": Float = |this| f64::from(this.alpha) });

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let x = match s.dtype(x[0]).is_integer() {
            true => s.cast(x[0], DType::F32),
            false => x[0],
        };
        let leak = s.mul(x, s.number(x, f64::from(self.alpha)));
        s.select(s.gt(x, s.number(x, 0.0)), x, leak)
    }

    fn partial(&self, s: &Scalar, x: &[Val], _: Val, dy: Val, _: usize) -> Option<Val> {
        let positive = s.gt(x[0], s.number(dy, 0.0));
        Some(s.select(positive, dy, s.mul(dy, s.number(dy, f64::from(self.alpha)))))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// Each element, or `alpha` times it where it is negative. TensorFlow's default for `alpha` is 0.2.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::leaky_relu(&tf::constant([-1.0, 2.0]), 0.25);
    /// assert_eq!(x.to_vec::<f32>(), [-0.25, 2.0]);
    /// ```
    pub fn leaky_relu, try_leaky_relu(x, alpha: f32) -> Tensor {
        execute1(&LeakyRelu { alpha }, &[x])
    }
}
