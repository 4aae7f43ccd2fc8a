//! `abs`: |x|; dx = dy * sign(x), which is 0 at 0. Of complex numbers it is real, without overflow on the way.
//! TensorFlow's `tf.abs`: floats, signed integers and complex numbers; the least integer stays as it is.

use super::public;
use kernels::dtype::DTypes;
use kernels::error::Result;
use crate::execute::execute1;
use crate::meaning::parts;
use crate::op::{Gradient, Kind, Op, Outputs, identity};
use kernels::scalar::{Code, ComplexVal, Scalar, Val};
use crate::tensor::Tensor;
use smallvec::smallvec;

#[derive(Clone)]
pub(crate) struct Abs;

impl Op for Abs {
    identity!("abs");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING.and(DTypes::SIGNED_INTEGERS), direct: Some(Code::Abs) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.abs(x[0])
    }

    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        let (re, im) = parts(inputs[0])?;
        Ok(Some(smallvec![execute1(&AbsOfParts, &[&re, &im])?]))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

/// The absolute value of the complex number with these two parts.
#[derive(Clone)]
struct AbsOfParts;

impl Op for AbsOfParts {
    identity!("abs_of_parts");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        ComplexVal::new(x[0], x[1]).abs(s)
    }

    fn partial(&self, s: &Scalar, x: &[Val], y: Val, dy: Val, index: usize) -> Option<Val> {
        // A part of the sign, which is 0 at 0.
        let zero = s.number(y, 0.0);
        let size = s.select(s.eq(y, zero), s.number(y, 1.0), y);
        Some(s.mul(s.div(x[index], size), dy))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The absolute value of each element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::abs(&tf::constant([-3, 4])).to_vec::<i32>(), [3, 4]);
    /// ```
    pub fn abs, try_abs(x) -> Tensor {
        execute1(&Abs, &[x])
    }
}
