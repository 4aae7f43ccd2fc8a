//! `det`, `slogdet` and `logdet`: determinants of matrices and their logarithms, by LU; of det, dA = dy det(A)* A⁻ᴴ.
//! TensorFlow's `tf.linalg.det`, `slogdet` and `logdet`; the sign has no gradient, and `logdet` is that of a Cholesky factor.

use super::inv::inverse;
use super::matrices::{Numbers, OnMatrices, Rule, Sizes, Tail, rows_axis, run, run1, scaled, times, together};
use super::reshape::expand_last;
use super::{functions, public, sum_axes};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{AxisSet, Dim};
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};

/// The cotangent of a number times A⁻ᴴ.
fn times_inverse(rule: &mut Rule<'_, '_>, factor: &Tensor) -> Result<()> {
    let inverse = inverse(&rule.x(0)?, true)?;
    let factor = expand_last(&expand_last(factor)?)?;
    rule.give(0, times(&factor, &inverse)?)
}

#[derive(Clone)]
struct Det;

impl OnMatrices for Det {
    const NAME: &'static str = "det";

    fn tails(&self, x: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        sizes.square(x[0])?;
        Ok(smallvec![smallvec![]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract.
        unsafe { linalg::determinant(field, &x[0], &y[0], None, together) }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        (&[0], &[0])
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let factor = times(&rule.dy(0)?, &super::conj::conjugate(&rule.y(0)?)?)?;
        times_inverse(rule, &factor)
    }
}

/// The sign and the logarithm of the modulus.
#[derive(Clone)]
struct Slogdet;

impl OnMatrices for Slogdet {
    const NAME: &'static str = "slogdet";

    fn numbers(&self) -> SmallVec<[Numbers; 3]> {
        smallvec![Numbers::Same, Numbers::Same]
    }

    fn tails(&self, x: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        sizes.square(x[0])?;
        Ok(smallvec![smallvec![], smallvec![]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract.
        unsafe { linalg::determinant(field, &x[0], &y[0], Some(&y[1]), together) }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        (&[0], &[])
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let factor = rule.dy(1)?;
        times_inverse(rule, &factor)
    }
}

public! {
    /// The determinants of the matrices in the last two axes.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::linalg::det(&tf::constant([[2.0, 1.0], [0.0, 3.0]])).item::<f32>(), 6.0);
    /// ```
    pub fn det, try_det(x) -> Tensor {
        run1(Det, &[x])
    }

    /// The signs of the determinants, and the logarithms of their absolute values: 0 and minus infinity for a singular matrix.
    ///
    /// Of complex matrices the sign is a number of modulus 1, and the logarithm has no imaginary part. The sign has no gradient.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (sign, logarithm) = tf::linalg::slogdet(&tf::constant([[0.0, 1.0], [1.0, 0.0]]));
    /// assert_eq!((sign.item::<f32>(), logarithm.item::<f32>()), (-1.0, 0.0));
    /// ```
    pub fn slogdet, try_slogdet(x) -> (Tensor, Tensor) {
        let mut both = run(Slogdet, &[x])?;
        match (both.pop(), both.pop()) {
            (Some(logarithm), Some(sign)) => Ok((sign, logarithm)),
            _ => Err(Error::internal("slogdet", "two results were expected")),
        }
    }

    /// The logarithms of the determinants of Hermitian, positive definite matrices; NaN for others.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::linalg::logdet(&tf::constant([[1.0, 0.0], [0.0, 1.0]]));
    /// assert_eq!(y.item::<f32>(), 0.0);
    /// ```
    pub fn logdet, try_logdet(x) -> Tensor {
        let named = |e: Error| e.named("logdet");
        rows_axis("logdet", x)?;
        let l = functions::try_cholesky(x).map_err(named)?;
        let diagonal = functions::try_real(&functions::try_diag_part(&l)?)?;
        let sum = sum_axes(&functions::try_log(&diagonal)?, AxisSet::of(&[diagonal.rank() - 1]), false).map_err(named)?;
        scaled(&sum, 2.0).map_err(named)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_both_orders() {
        check(&|x| tf::det(&x[0]), &[numbers(4, &[2, 3, 3])]);
        check(&|x| tf::slogdet(&x[0]).1, &[numbers(4, &[2, 3, 3])]);
        let definite = |x: &tf::Tensor| tf::matmul(x, tf::adjoint(x)) + tf::try_eye([3, 3], tf::DType::F64).unwrap();
        check(&|x| tf::logdet(&definite(&x[0])), &[numbers(4, &[2, 3, 3])]);
    }

    #[test]
    fn edges() {
        assert_eq!(tf::det(&tf::zeros([2, 0, 0])).to_vec::<f32>(), [1.0, 1.0]);
        let (sign, logarithm) = tf::slogdet(&tf::ones([2, 2]));
        assert_eq!((sign.item::<f32>(), logarithm.item::<f32>()), (0.0, f32::NEG_INFINITY));
        let large = numbers(1, &[24, 24]);
        let (sign, logarithm) = tf::slogdet(&large);
        let got = sign.item::<f64>() * logarithm.item::<f64>().exp();
        assert!((got / tf::det(&large).item::<f64>() - 1.0).abs() < 1e-9);
    }
}
