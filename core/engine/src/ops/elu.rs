//! `elu`: x above 0, else exp(x) - 1; dx = dy above 0, else dy * (y + 1), from the saved result.
//! TensorFlow's `tf.nn.elu`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Elu;

impl Op for Elu {
    identity!("elu");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.select(s.lt(x[0], s.number(x[0], 0.0)), s.expm1(x[0]), x[0])
    }

    fn partial(&self, s: &Scalar, _x: &[Val], y: Val, dy: Val, _index: usize) -> Option<Val> {
        // The derivative of the meaning would form exp(x) of large x too, and zero times infinity.
        let negative = s.lt(y, s.number(dy, 0.0));
        Some(s.select(negative, s.mul(dy, s.add(y, s.number(dy, 1.0))), dy))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The exponential linear unit: each element, or the exponential less one where it is negative.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::elu(&tf::constant([2.0, -100.0])).to_vec::<f32>(), [2.0, -1.0]);
    /// ```
    pub fn elu, try_elu(x) -> Tensor {
        execute1(&Elu, &[x])
    }
}
