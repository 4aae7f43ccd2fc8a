//! `abs`: |x|; dx = dy * sign(x), which is 0 at 0.
//! TensorFlow's `tf.abs`, floats and signed integers; the least integer stays as it is.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Abs;

impl Op for Abs {
    identity!("abs");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING.and(DTypes::SIGNED_INTEGERS), direct: Some(Code::Abs) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.abs(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The absolute value of each element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::abs(&tf::constant([-3, 4])).to_vec::<i32>(), [3, 4]);
    /// ```
    pub fn abs, try_abs(x) -> Tensor {
        execute1(&Abs, &[x])
    }
}
