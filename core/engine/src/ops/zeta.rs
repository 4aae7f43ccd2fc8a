//! `zeta`: Hurwitz's, the sum of (q + k)^-x over k = 0, 1, ...; dq = -dy * x * zeta(x + 1, q), and no gradient for x.
//! TensorFlow's `tf.math.zeta`, floats.

use super::operators::binary;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Zeta;

impl Op for Zeta {
    identity!("zeta");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Zeta) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.zeta(x[0], x[1])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The Hurwitz zeta function of the exponents in the first operand and the beginnings in the second.
    ///
    /// Infinite at x = 1 and nan below. Where q is not positive there is a value only for integer x and fractional q. There is no
    /// gradient by x, as in TensorFlow. Within 40 units in the last place of `float64` for positive q.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::zeta(&tf::constant(2.0), &tf::constant(1.0)).item::<f32>();
    /// assert!((y - 1.644_934).abs() < 1e-6);
    /// ```
    pub fn zeta, try_zeta = Zeta;
}
