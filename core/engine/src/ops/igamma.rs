//! `igamma`: the regularized lower incomplete gamma function P(a, x); dx = dy * x^(a - 1) e^-x / gamma(a), da by `igamma_grad_a`.
//! TensorFlow's `tf.math.igamma`, floats.

use super::operators::binary;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Igamma;

impl Op for Igamma {
    identity!("igamma");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Igamma) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.igamma(x[0], x[1])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The regularized lower incomplete gamma function, for `a` in the first operand and `x` in the second.
    ///
    /// Nan unless a > 0 and x >= 0. The gradient by `a` is that of TensorFlow's `IgammaGradA`; its own derivative by `a` is an
    /// error, as there is no formula. Within 2^-44 of the result where that is above 1e-12. A power series, a continued fraction
    /// (DLMF 8.7, 8.9), and Temme's expansion (DLMF 8.12) between them for large a.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::igamma(&tf::constant(1.0), &tf::constant(1.0)).item::<f32>();
    /// assert!((y - 0.632_120_6).abs() < 1e-6);
    /// ```
    pub fn igamma, try_igamma = Igamma;
}
