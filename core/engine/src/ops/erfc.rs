//! `erfc`: 1 - erf(x), exact also where erf is nearly 1; dx = -dy * 2 / sqrt(pi) * exp(-x^2).
//! TensorFlow's `tf.math.erfc`, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Erfc;

impl Op for Erfc {
    identity!("erfc");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Erfc) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.erfc(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The complementary error function of each element, 1 - erf(x), between 0 and 2.
    ///
    /// Its small values keep all their digits, which a subtraction from 1 would lose.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::erfc(&tf::constant([0.0, -10.0, 5.0])).to_vec::<f32>(), [1.0, 2.0, 1.5374598e-12]);
    /// ```
    pub fn erfc, try_erfc(x) -> Tensor {
        execute1(&Erfc, &[x])
    }
}
