//! `xlog1py`: x * log1p(y), and 0 where x is 0; the gradients there are 0 too.
//! TensorFlow's `tf.math.xlog1py`, floats.

use super::operators::binary;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::dtype::DTypes;
use kernels::scalar::{Scalar, Val};

#[derive(Clone)]
pub(crate) struct Xlog1py;

impl Op for Xlog1py {
    identity!("xlog1py");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let zero = s.eq(x[0], s.number(x[0], 0.0));
        // Where x is 0, y stands aside: no infinity or nan of it comes into result or gradient.
        let y = s.select(zero, s.number(x[0], 1.0), x[1]);
        s.select(zero, s.number(x[0], 0.0), s.mul(x[0], s.log1p(y)))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The first operand times the logarithm of one plus the second, or zero where the first is zero.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::xlog1py(&tf::constant([0.0, 2.0]), &tf::constant([-1.0, 0.0])).to_vec::<f32>(), [0.0, 0.0]);
    /// ```
    pub fn xlog1py, try_xlog1py = Xlog1py;
}
