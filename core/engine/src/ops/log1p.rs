//! `log1p`: log(1 + x) without the loss of digits near 0; dx = dy / (1 + x).
//! TensorFlow's `tf.math.log1p`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Log1p;

impl Op for Log1p {
    identity!("log1p");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Log1p) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.log1p(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].log1p(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].real(s, 1.0).add(s, x[0]).reciprocal(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The logarithm of one plus each element; exact to the last digits also near zero.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::log1p(&tf::constant([0.0, 1e-10])).to_vec::<f32>(), [0.0, 1e-10]);
    /// ```
    pub fn log1p, try_log1p(x) -> Tensor {
        execute1(&Log1p, &[x])
    }
}
