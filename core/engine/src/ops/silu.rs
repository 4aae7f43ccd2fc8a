//! `silu`, also called swish: x * sigmoid(x); dx = dy * s * (1 + x * (1 - s)) with s = sigmoid(x).
//! TensorFlow's `tf.nn.silu` with `beta` 1, floats.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{ComplexVal, Meant, Scalar, Val};
use crate::tensor::Tensor;

#[derive(Clone)]
pub(crate) struct Silu;

impl Op for Silu {
    identity!("silu");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.mul(x[0], s.sigmoid(x[0]))
    }

    fn partial(&self, s: &Scalar, x: &[Val], _y: Val, dy: Val, _index: usize) -> Option<Val> {
        // In this order large |x| meets a factor that is exactly 0 or 1, not a difference of large numbers.
        let sigmoid = s.sigmoid(x[0]);
        let one = s.number(dy, 1.0);
        let slope = s.mul(sigmoid, s.add(one, s.mul(x[0], s.sub(one, sigmoid))));
        Some(s.mul(dy, slope))
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].mul(s, x[0].sigmoid(s)).into())
    }

    fn complex_slope(&self, s: &Scalar, x: &[ComplexVal], _index: usize) -> Option<ComplexVal> {
        let (sigmoid, one) = (x[0].sigmoid(s), x[0].real(s, 1.0));
        Some(sigmoid.mul(s, one.add(s, x[0].mul(s, one.sub(s, sigmoid)))))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    #[doc(alias = "swish")]
    /// Each element times its logistic function.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::silu(&tf::constant([0.0, 50.0])).to_vec::<f32>(), [0.0, 50.0]);
    /// ```
    pub fn silu, try_silu(x) -> Tensor {
        execute1(&Silu, &[x])
    }
}
