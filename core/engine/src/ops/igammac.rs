//! `igammac`: the regularized upper incomplete gamma function Q(a, x) = 1 - P(a, x), without cancellation; gradients are those
//! of `igamma` with the other sign. TensorFlow's `tf.math.igammac`, floats.

use super::operators::binary;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Igammac;

impl Op for Igammac {
    identity!("igammac");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Igammac) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.igammac(x[0], x[1])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The regularized upper incomplete gamma function, for `a` in the first operand and `x` in the second.
    ///
    /// Nan unless a > 0 and x >= 0. The gradient by `a` is that of TensorFlow's `IgammaGradA`; its own derivative by `a` is an
    /// error, as there is no formula. Within 2^-44 of the result where
    /// that is above 1e-12 and `a` below 1000. A power series, a continued fraction
    /// (DLMF 8.7, 8.9), and Temme's expansion (DLMF 8.12) between them for large a.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::igammac(&tf::constant(1.0), &tf::constant(1.0)).item::<f32>();
    /// assert!((y - 0.367_879_4).abs() < 1e-6);
    /// ```
    pub fn igammac, try_igammac = Igammac;
}
