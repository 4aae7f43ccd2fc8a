//! `selu`: s * x above 0, else s * a * (exp(x) - 1); dx = dy * s above 0, else dy * (y + s * a), from the saved
//! result. TensorFlow's `tf.nn.selu`, floats; s = 1.0507... and a = 1.6732... keep mean 0 and variance 1 (Klambauer
//! et al. 2017).

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Scalar, Val};
use crate::tensor::Tensor;

/// `s` and `s * a` of the formula.
const SCALE: f64 = 1.050_700_987_355_480_5;
const SCALE_ALPHA: f64 = 1.758_099_340_847_376_6;

#[derive(Clone)]
pub(crate) struct Selu;

impl Op for Selu {
    identity!("selu");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let negative = s.lt(x[0], s.number(x[0], 0.0));
        let low = s.mul(s.number(x[0], SCALE_ALPHA), s.expm1(x[0]));
        s.select(negative, low, s.mul(s.number(x[0], SCALE), x[0]))
    }

    fn partial(&self, s: &Scalar, _x: &[Val], y: Val, dy: Val, _index: usize) -> Option<Val> {
        let negative = s.lt(y, s.number(dy, 0.0));
        let low = s.mul(dy, s.add(y, s.number(dy, SCALE_ALPHA)));
        Some(s.select(negative, low, s.mul(dy, s.number(dy, SCALE))))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The scaled exponential linear unit.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::selu(&tf::constant([0.0, 1.0])).to_vec::<f32>(), [0.0, 1.050701]);
    /// ```
    pub fn selu, try_selu(x) -> Tensor {
        execute1(&Selu, &[x])
    }
}
