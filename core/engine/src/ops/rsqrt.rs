//! `rsqrt`: 1 / sqrt(x); dx = -dy * rsqrt(x)^3 / 2, and 0 for dy = 0 also where that is not finite.
//! TensorFlow's `tf.math.rsqrt`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Rsqrt;

impl Op for Rsqrt {
    identity!("rsqrt");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Rsqrt) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.rsqrt(x[0])
    }

    fn partial(&self, s: &Scalar, _x: &[Val], y: Val, dy: Val, _index: usize) -> Option<Val> {
        let zero = s.number(dy, 0.0);
        let plain = s.or(s.is_finite(y), s.ne(dy, zero));
        let cube = s.mul(s.mul(y, y), y);
        Some(s.select(plain, s.mul(s.mul(dy, s.number(dy, -0.5)), cube), zero))
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].sqrt(s).reciprocal(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].sqrt(s).reciprocal(s).div(s, x[0]).times(s, -0.5))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// One divided by the square root of each element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::rsqrt(&tf::constant([4.0, 0.25])).to_vec::<f32>(), [0.5, 2.0]);
    /// ```
    pub fn rsqrt, try_rsqrt(x) -> Tensor {
        execute1(&Rsqrt, &[x])
    }
}
