//! `ndtri`: the quantile of the standard normal distribution; dx = dy * sqrt(2 pi) * exp(y^2 / 2).
//! TensorFlow's `tf.math.ndtri`, floats.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Ndtri;

impl Op for Ndtri {
    identity!("ndtri");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Ndtri) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.ndtri(x[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The quantile of the standard normal distribution: below which number a variable lies with this probability.
    ///
    /// Rounded once in 32 bits; within 8 units in the last place of `float64`. Infinite at 0 and 1, nan
    /// beyond. Rational functions of algorithm AS 241 (Wichura 1988).
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::ndtri(&tf::constant([0.5, 1.0])).to_vec::<f32>(), [0.0, f32::INFINITY]);
    /// ```
    pub fn ndtri, try_ndtri(x) -> Tensor {
        execute1(&Ndtri, &[x])
    }
}
