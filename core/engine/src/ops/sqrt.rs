//! `sqrt`: the square root, NaN below zero; dx = dy / (2 * sqrt(x)), and 0 for dy = 0 also where x is 0 or has no root.
//! TensorFlow's `tf.sqrt`, floats; the guard keeps `where(x > 0, sqrt(x), 0)` free of NaN in the gradient.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Sqrt;

impl Op for Sqrt {
    identity!("sqrt");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Sqrt) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.sqrt(x[0])
    }

    fn partial(&self, s: &Scalar, _x: &[Val], y: Val, dy: Val, _index: usize) -> Option<Val> {
        let zero = s.number(dy, 0.0);
        // Only where the slope is not finite does dy decide, so that higher derivatives keep their dependence on dy.
        let plain = s.or(s.gt(y, zero), s.ne(dy, zero));
        Some(s.select(plain, s.div(s.mul(dy, s.number(dy, 0.5)), y), zero))
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].sqrt(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        Some(x[0].sqrt(s).reciprocal(s).times(s, 0.5))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The square root of each element; NaN for negative ones.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::sqrt(&tf::constant([4.0, 2.25])).to_vec::<f32>(), [2.0, 1.5]);
    /// ```
    pub fn sqrt, try_sqrt(x) -> Tensor {
        execute1(&Sqrt, &[x])
    }
}
