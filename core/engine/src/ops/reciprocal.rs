//! `reciprocal`: 1 / x, correctly rounded; dx = -dy / x^2, and 0 for dy = 0 also where that is not finite.
//! TensorFlow's `tf.math.reciprocal`, floats; its vectorised form is off by a unit in the last place, ours is exact.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Reciprocal;

impl Op for Reciprocal {
    identity!("reciprocal");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.div(s.number(x[0], 1.0), x[0])
    }

    fn partial(&self, s: &Scalar, _x: &[Val], y: Val, dy: Val, _index: usize) -> Option<Val> {
        let zero = s.number(dy, 0.0);
        let plain = s.or(s.is_finite(y), s.ne(dy, zero));
        Some(s.select(plain, s.neg(s.mul(y, s.mul(dy, y))), zero))
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].reciprocal(s).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        let inverse = x[0].reciprocal(s);
        Some(inverse.mul(s, inverse).neg(s))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// One divided by each element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::reciprocal(&tf::constant([4.0, -0.5])).to_vec::<f32>(), [0.25, -2.0]);
    /// ```
    pub fn reciprocal, try_reciprocal(x) -> Tensor {
        execute1(&Reciprocal, &[x])
    }
}
