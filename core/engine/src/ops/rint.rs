//! `rint`: to the nearest whole number, halves to the even one; no slope anywhere.
//! TensorFlow's `tf.math.rint`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Rint;

impl Op for Rint {
    identity!("rint");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Round) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.round(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a step function has no slope")
    }
}

public! {
    /// Each element rounded to the nearest whole number, halves to the even one, as [`round`](fn@crate::round) does.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::rint(&tf::constant([0.5, 1.5, -2.7])).to_vec::<f32>(), [0.0, 2.0, -3.0]);
    /// ```
    pub fn rint, try_rint(x) -> Tensor {
        execute1(&Rint, &[x])
    }
}
