//! `neg`: -x; dx = -dy.
//! TensorFlow's `tf.negative`, floats and signed integers; the least integer stays as it is, as wrapping does.

use super::{operators::unary_operator, public};
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Code, ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Neg;

impl Op for Neg {
    identity!("neg");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING.and(DTypes::SIGNED_INTEGERS), direct: Some(Code::Neg) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.neg(x[0])
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].neg(s).into())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    #[doc(alias = "negative")]
    /// The negative of each element; integers wrap. Also the operator `-`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!((-tf::constant([1.0, -2.0])).to_vec::<f32>(), [-1.0, 2.0]);
    /// ```
    pub fn neg, try_neg(x) -> Tensor {
        execute1(&Neg, &[x])
    }
}

unary_operator!(Neg::neg = Neg);
