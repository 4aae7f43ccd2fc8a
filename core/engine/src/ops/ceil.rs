//! `ceil`: the least whole number not below x; no gradient.
//! TensorFlow's `tf.math.ceil`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Ceil;

impl Op for Ceil {
    identity!("ceil");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Ceil) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.ceil(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a step function is flat wherever it has a slope")
    }
}

public! {
    /// The least whole number that is not below each element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::ceil(&tf::constant([1.5, -1.5])).to_vec::<f32>(), [2.0, -1.0]);
    /// ```
    pub fn ceil, try_ceil(x) -> Tensor {
        execute1(&Ceil, &[x])
    }
}
