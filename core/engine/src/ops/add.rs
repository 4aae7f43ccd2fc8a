//! `add`: x + y, element by element with broadcasting; dx = dy, each summed back to its operand's shape.
//! TensorFlow's `tf.add`, numbers only.

use super::operators::{binary, operator};
use kernels::dtype::DTypes;
use kernels::error::Result;
use crate::execute::execute1_reusing;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Add;

impl Op for Add {
    identity!("add");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: Some(Code::Add) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.add(x[0], x[1])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].add(s, x[1]).into())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The sum, element by element; shapes broadcast and integers wrap. Also the operator `+`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let sum = tf::add(&tf::constant([[1.0], [2.0]]), &tf::constant([10.0, 20.0]));
    /// assert_eq!(sum.to_vec::<f32>(), [11.0, 21.0, 12.0, 22.0]);
    /// ```
    pub fn add, try_add = Add;
}

operator!(Add::add = Add; assign AddAssign::add_assign);

/// `a + b` where `a` is given up: the sum of cotangents.
#[track_caller]
pub(crate) fn add_owned(a: Tensor, b: &Tensor) -> Result<Tensor> {
    execute1_reusing(&Add, &[&a, b], 1)
}
