//! `igamma`: the regularized lower incomplete gamma function P(a, x); dx = dy * x^(a - 1) e^-x / gamma(a), da by `igamma_grad_a`.
//! TensorFlow's `tf.math.igamma`, floats.

use super::operators::binary;
use crate::op::{Gradient, Kind, Op, identity};
use kernels::dtype::DTypes;
use kernels::scalar::{Code, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Igamma;

impl Op for Igamma {
    identity!("igamma");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::FLOATING, direct: Some(Code::Igamma) }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.igamma(x[0], x[1])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

binary! {
    /// The regularized lower incomplete gamma function, for `a` in the first operand and `x` in the second.
    ///
    /// Nan unless a > 0 and x >= 0. The gradient by `a` is that of TensorFlow's `IgammaGradA`; its own derivative by `a` is an
    /// error, as there is no formula. Within 2^-44 of the result where
    /// that is above 1e-12 and `a` below 1000. A power series, a continued fraction
    /// (DLMF 8.7, 8.9), and Temme's expansion (DLMF 8.12) between them for large a.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::igamma(&tf::constant(1.0), &tf::constant(1.0)).item::<f32>();
    /// assert!((y - 0.632_120_6).abs() < 1e-6);
    /// ```
    pub fn igamma, try_igamma = Igamma;
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::GradientTape;

    /// d P / d a, d2 P / da dx, and what asking for d2 P / da2 says.
    #[test]
    fn the_first_operand_has_one_derivative_and_no_second() {
        let (a, x) = (tf::constant(2.0).cast(tf::DType::F64), tf::constant(1.5).cast(tf::DType::F64));
        let mut outer = GradientTape::unwatched();
        let mut inner = GradientTape::unwatched();
        outer.watch(&[a.clone(), x.clone()][..]);
        inner.watch(&[a.clone(), x.clone()][..]);
        let y = tf::igamma(&a, &x);
        let by_a = inner.gradient(&y, &a);
        let step = 1e-6;
        let at = |a: f64, x: f64| {
            let [a, x] = [a, x].map(|v| tf::Tensor::from(vec![v]));
            tf::igamma(&a, &x).to_vec::<f64>()[0]
        };
        let slope = (at(2.0 + step, 1.5) - at(2.0 - step, 1.5)) / (2.0 * step);
        assert!((by_a.item::<f64>() - slope).abs() < 1e-9);
        let said = outer.try_gradient(&by_a, &a).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(said.contains("igamma") && said.contains("no gradient"), "{said}");
    }

    #[test]
    fn derivatives_of_both_operands_together() {
        let (a, x) = (tf::constant(2.0).cast(tf::DType::F64), tf::constant(1.5).cast(tf::DType::F64));
        let mut outer = GradientTape::unwatched();
        outer.watch(&x);
        let mut inner = GradientTape::unwatched();
        inner.watch(&[a.clone(), x.clone()][..]);
        let by_a = inner.gradient(&tf::igamma(&a, &x), &a);
        // The density times log(x) - digamma(a).
        let want = 1.5 * (-1.5_f64).exp() * (1.5_f64.ln() - 0.422_784_335_098_467_1);
        assert!((outer.gradient(&by_a, &x).item::<f64>() - want).abs() < 1e-12);
    }
}
