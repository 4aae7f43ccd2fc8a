//! `polygamma`: derivative number a of digamma; dx = dy * polygamma(a + 1, x), and no gradient for a.
//! TensorFlow's `tf.math.polygamma`, floats.

use super::operators::binary;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Polygamma;

impl Op for Polygamma {
    identity!("polygamma");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Polygamma) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.polygamma(x[0], x[1])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The derivatives of [`digamma`](fn@crate::digamma) whose numbers the first operand has, at the second.
    ///
    /// Nan where the number is no integer from 0 to 170. There is no gradient by it, as in TensorFlow. Within 16 units in the last
    /// place of `float64` for positive x.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::polygamma(&tf::constant(1.0), &tf::constant(1.0)).item::<f32>();
    /// assert!((y - 1.644_934).abs() < 1e-6);
    /// ```
    pub fn polygamma, try_polygamma = Polygamma;
}
