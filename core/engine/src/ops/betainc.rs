//! `betainc`: the regularized incomplete beta function I_x(a, b); dx = dy * x^(a - 1) (1 - x)^(b - 1) / B(a, b), and no gradient
//! for a and b. TensorFlow's `tf.math.betainc`, floats.

use super::{AsTensor, public};
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Scalar, Val};

#[derive(Clone)]
pub(crate) struct Betainc;

impl Op for Betainc {
    identity!("betainc");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.betainc(x[0], x[1], x[2])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The regularized incomplete beta function of `x`, for the parameters in the tensor itself and in `b`; shapes broadcast.
    ///
    /// Nan unless both parameters are positive and finite and `x` lies in [0, 1]. There is no gradient by the parameters, as in
    /// TensorFlow. Within 2^-44 of the result or 2^-50, whichever is larger, for parameters up to 1e4, and 2^-41 up to
    /// 1e6: a continued fraction (DLMF 8.17.22).
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (a, b, x) = (tf::constant(2.0), tf::constant(1.0), tf::constant([0.0, 0.5, 1.0]));
    /// assert_eq!(tf::betainc(&a, &b, &x).to_vec::<f32>(), [0.0, 0.25, 1.0]);
    /// ```
    pub fn betainc, try_betainc(a, b: impl AsTensor, x: impl AsTensor) -> Tensor {
        execute1(&Betainc, &[a, &b.as_tensor(), &x.as_tensor()])
    }
}
