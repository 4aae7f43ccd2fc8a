//! `eig` and `eigvals`: complex eigenvalues and right eigenvectors of any square matrices; the rule is that of distinct eigenvalues.
//! TensorFlow's `tf.linalg.eig` and `eigvals`. (Boeddeker and others, On the computation of complex-valued gradients, 4.77.)

use super::matrices::{Numbers, OnMatrices, Rule, Sizes, Tail, adj, gaps, minus, mm, plus, run, times};
use super::solve::solved;
use super::{cast_to, functions, public};
use crate::op::Attr;
use crate::tensor::Tensor;
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};

#[derive(Clone)]
struct Eig {
    vectors: bool,
}

impl OnMatrices for Eig {
    const NAME: &'static str = "eig";

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("compute_v", Attr::Bool(self.vectors));
    }

    fn numbers(&self) -> SmallVec<[Numbers; 3]> {
        if self.vectors { smallvec![Numbers::Complex, Numbers::Complex] } else { smallvec![Numbers::Complex] }
    }

    fn tails(&self, x: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        let n = sizes.square(x[0])?;
        let mut tails: SmallVec<[Tail; 3]> = smallvec![smallvec![n]];
        if self.vectors {
            tails.push(smallvec![x[0][0], x[0][1]]);
        }
        Ok(tails)
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract.
        unsafe { linalg::eig(field, &x[0], &y[0], y.get(1)) }
    }

    fn refusal(&self) -> &'static str {
        "the eigenvalues were not found: the matrix may hold numbers that are not finite"
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        if self.vectors { (&[], &[0, 1]) } else { (&[0], &[]) }
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let mut middle = functions::try_diag(&rule.dy(0)?)?;
        let v = match self.vectors {
            true => rule.y(1)?,
            false => decomposed(&rule.x(0)?)?.1,
        };
        let vt = adj(&v)?;
        if self.vectors {
            let f = super::conj::conjugate(&gaps(&rule.y(0)?)?)?;
            let along = mm(&vt, &rule.dy(1)?)?;
            // The vectors stay of norm 1.
            let kept = functions::try_real(&functions::try_diag_part(&along)?)?;
            let kept = functions::try_diag(&cast_to(&kept, v.dtype())?)?;
            middle = plus(&middle, &times(&f, &minus(&along, &mm(&mm(&vt, &v)?, &kept)?)?)?)?;
        }
        let da = solved(&vt, &mm(&middle, &vt)?, false)?;
        rule.give(0, da)
    }
}

#[track_caller]
fn decomposed(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let mut both = run(Eig { vectors: true }, &[x])?;
    match (both.pop(), both.pop()) {
        (Some(v), Some(e)) => Ok((e, v)),
        _ => Err(Error::internal("eig", "two results were expected")),
    }
}

public! {
    /// The eigenvalues of square matrices, complex numbers in no particular order, and their right eigenvectors as columns of norm 1.
    ///
    /// ```
    /// use eagerflow::{self as tf, Complex};
    /// let (e, v) = tf::linalg::eig(&tf::constant([[0.0, 1.0], [-1.0, 0.0]]));
    /// assert_eq!(e.to_vec::<Complex<f32>>(), [Complex::new(0.0, 1.0), Complex::new(0.0, -1.0)]);
    /// assert_eq!(v.shape(), [2, 2]);
    /// ```
    pub fn eig, try_eig(x) -> (Tensor, Tensor) {
        decomposed(x)
    }

    /// The eigenvalues of square matrices, complex numbers in no particular order.
    ///
    /// ```
    /// use eagerflow::{self as tf, Complex};
    /// let e = tf::linalg::eigvals(&tf::constant([[1.0, 0.0], [0.0, 2.0]]));
    /// assert_eq!(e.to_vec::<Complex<f32>>(), [Complex::new(1.0, 0.0), Complex::new(2.0, 0.0)]);
    /// ```
    pub fn eigvals, try_eigvals(x) -> Tensor {
        Ok(run(Eig { vectors: false }, &[x])?.swap_remove(0))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_both_orders() {
        let parts = |z: &tf::Tensor| tf::real(z) + tf::imag(z) * 0.7;
        check(&|x| parts(&tf::eigvals(&x[0])), &[numbers(3, &[2, 3, 3])]);
        check(&|x| parts(&tf::eig(&x[0]).0), &[numbers(3, &[3, 3])]);
        check(&|x| tf::abs(&tf::eig(&x[0]).1).square(), &[numbers(3, &[2, 3, 3])]);
    }

    #[test]
    fn vectors_are_those_of_their_values() {
        for n in [1, 2, 5, 60, 200] {
            let a = numbers(1, &[n, n]);
            let (e, v) = tf::eig(&a);
            let a = tf::cast(&a, tf::DType::C128);
            assert!(tf::abs(&(tf::matmul(&a, &v) - &v * &e)).to_vec::<f64>().iter().all(|x| x.abs() < 1e-11));
        }
        assert!(tf::try_eig(&tf::fill([2, 2], f32::NAN)).unwrap_err().to_string().contains("not finite"));
    }
}
