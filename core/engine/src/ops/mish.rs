//! `mish`: x * tanh(softplus(x)), as x * n / (n + 2) with n = e^x (e^x + 2); dx is the derivative of that form.
//! Keras' `keras.activations.mish`, floats (Misra, Mish: a self regularized non-monotonic activation function, 2019).

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Scalar, Val};

#[derive(Clone)]
pub(crate) struct Mish;

impl Op for Mish {
    identity!("mish");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let number = |value| s.number(x[0], value);
        // From 40 on the share is 1, and the square of the power would overflow.
        let e = s.exp(s.min(x[0], number(40.0)));
        let n = s.mul(e, s.add(e, number(2.0)));
        s.mul(x[0], s.div(n, s.add(n, number(2.0))))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// Each element times the hyperbolic tangent of its [`softplus`](fn@crate::softplus).
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::mish(&tf::constant([0.0, 100.0])).to_vec::<f32>(), [0.0, 100.0]);
    /// ```
    pub fn mish, try_mish(x) -> Tensor {
        execute1(&Mish, &[x])
    }
}
