//! `divide`: x / y; dx = dy / y, and -dy * (x / y) / y for y. The operator `/` also divides integers, toward zero as
//! Rust does. TensorFlow's `tf.divide` for floats; its integer division is `truediv`, `floordiv` or, for our
//! operator, `tf.truncatediv`.

use super::operators::{binary, operator};
use kernels::dtype::DTypes;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Divide;

impl Op for Divide {
    identity!("divide");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Div) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.div(x[0], x[1])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].div(s, x[1]).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], index: usize) -> Option<ComplexVal> {
        // 1 / y, and -x / y / y.
        let inverse = x[1].reciprocal(s);
        Some(if index == 0 { inverse } else { x[0].div(s, x[1]).mul(s, inverse).neg(s) })
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The quotient of floating-point tensors, element by element with broadcasting.
    ///
    /// Integers are refused, because TensorFlow and Rust disagree on what their quotient is: choose between
    /// `truediv`, `floordiv` and the operator `/`, which truncates.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::divide(&tf::constant([3.0, 1.0]), 2.0).to_vec::<f32>(), [1.5, 0.5]);
    /// assert_eq!((&tf::constant([7, -7]) / 2).to_vec::<i32>(), [3, -3]);
    /// assert!(tf::try_divide(&tf::constant([7, -7]), 2).is_err());
    /// ```
    pub fn divide, try_divide = Divide;
}

/// The operator `/`: as [`Divide`] for floats, Rust's truncating division for integers, where zero is an error.
#[derive(Clone)]
pub(crate) struct Div;

impl Op for Div {
    identity!("div");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: Some(Code::Div) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.div(x[0], x[1])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].div(s, x[1]).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], index: usize) -> Option<ComplexVal> {
        Divide.complex_slope(s, x, index)
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

operator!(Div::div = Div; assign DivAssign::div_assign);
