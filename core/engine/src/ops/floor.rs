//! `floor`: the greatest whole number not above x; no gradient.
//! TensorFlow's `tf.floor`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Floor;

impl Op for Floor {
    identity!("floor");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Floor) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.floor(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a step function is flat wherever it has a slope")
    }
}

public! {
    /// The greatest whole number that is not above each element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::floor(&tf::constant([1.5, -1.5])).to_vec::<f32>(), [1.0, -2.0]);
    /// ```
    pub fn floor, try_floor(x) -> Tensor {
        execute1(&Floor, &[x])
    }
}
