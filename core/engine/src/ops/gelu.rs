//! `gelu`: x * P(X < x) for a standard normal X; exact, 0.5 x erfc(-x / sqrt 2), or by its approximation with tanh.
//! TensorFlow's `tf.nn.gelu`, floats; dx is the derivative of the form that was chosen, in one kernel.

use super::public;
use kernels::dtype::DTypes;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::scalar::{Scalar, Val};
use crate::tensor::Tensor;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

#[derive(Clone)]
pub(crate) struct Gelu {
    pub approximate: bool,
}

impl Op for Gelu {
    identity!("gelu", { "approximate": Bool = |this| this.approximate });

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        let x = x[0];
        let number = |value| s.number(x, value);
        let share = match self.approximate {
            // tanh(sqrt(2 / pi) * (x + 0.044715 x^3)).
            true => {
                let cubic = s.mul(x, s.add(number(1.0), s.mul(number(0.044_715), s.mul(x, x))));
                s.add(number(1.0), s.tanh(s.mul(number(FRAC_2_SQRT_PI * FRAC_1_SQRT_2), cubic)))
            }
            // 1 + erf(x / sqrt 2), which would cancel far below zero.
            false => s.erfc(s.mul(x, number(-FRAC_1_SQRT_2))),
        };
        s.mul(s.mul(x, number(0.5)), share)
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

public! {
    /// The Gaussian error linear unit of each element.
    ///
    /// With `approximate`, the form with `tanh` of the original paper, which many published models were trained with.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([0.0, 1.0, 40.0]);
    /// assert_eq!(tf::gelu(&x, false).to_vec::<f32>(), [0.0, 0.8413447, 40.0]);
    /// assert!((tf::gelu(&x, true).to_vec::<f32>()[1] - 0.841192).abs() < 1e-6);
    /// ```
    /// The exact form keeps its digits far below zero, where 1 + erf has none left.
    ///
    /// ```
    /// # use eagerflow as tf;
    /// let far = tf::gelu(&tf::constant(-6.0), false).item::<f32>();
    /// assert!((far / -5.919e-9 - 1.0).abs() < 1e-3);
    /// ```
    pub fn gelu, try_gelu(x, approximate: bool) -> Tensor {
        execute1(&Gelu { approximate }, &[x])
    }
}
