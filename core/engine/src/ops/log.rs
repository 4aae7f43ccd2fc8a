//! `log`: the natural logarithm; dx = dy / x.
//! TensorFlow's `tf.math.log`, floats; -inf at 0, NaN below.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Log;

impl Op for Log {
    identity!("log");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Log) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.log(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].log(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].reciprocal(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The natural logarithm of each element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::log(&tf::constant([1.0, 0.0])).to_vec::<f32>(), [0.0, f32::NEG_INFINITY]);
    /// ```
    pub fn log, try_log(x) -> Tensor {
        execute1(&Log, &[x])
    }
}
