//! `sin`: the sine of an angle in radians; dx = dy * cos(x).
//! TensorFlow's `tf.sin`, floats; exact also for huge angles.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Sin;

impl Op for Sin {
    identity!("sin");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Sin) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.sin(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].sin(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].cos(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The sine of each element, an angle in radians.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::sin(&tf::constant([0.0, std::f32::consts::FRAC_PI_2])).to_vec::<f32>(), [0.0, 1.0]);
    /// ```
    pub fn sin, try_sin(x) -> Tensor {
        execute1(&Sin, &[x])
    }
}
