//! `eigh` and `eigvalsh`: eigenvalues and eigenvectors of Hermitian matrices; dA = V (diag dE + F ∘ Vᴴ dV) Vᴴ, folded onto the lower triangle.
//! TensorFlow's `tf.linalg.eigh` and `eigvalsh`; only the lower triangle is read.

use super::matrices::{
    Numbers, OnMatrices, Rule, Sizes, Tail, adj, gaps, half_diagonal, mm, plus, run, times, triangle, together};
use super::{cast_to, functions, public};
use crate::op::Attr;
use crate::tensor::Tensor;
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};

#[derive(Clone)]
struct Eigh {
    vectors: bool,
}

impl OnMatrices for Eigh {
    const NAME: &'static str = "eigh";

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("compute_v", Attr::Bool(self.vectors));
    }

    fn numbers(&self) -> SmallVec<[Numbers; 3]> {
        // TensorFlow's values have the dtype of the matrix.
        if self.vectors { smallvec![Numbers::Same, Numbers::Same] } else { smallvec![Numbers::Same] }
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
        unsafe { linalg::eigh(field, &x[0], &y[0], y.get(1), together) }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        if self.vectors { (&[], &[0, 1]) } else { (&[0], &[]) }
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let mut inner = functions::try_diag(&rule.dy(0)?)?;
        let v = match self.vectors {
            true => rule.y(1)?,
            false => decomposed(&rule.x(0)?)?.1,
        };
        if self.vectors {
            let f = cast_to(&gaps(&functions::try_real(&rule.y(0)?)?)?, v.dtype())?;
            inner = plus(&inner, &times(&f, &mm(&adj(&v)?, &rule.dy(1)?)?)?)?;
        }
        let da = mm(&v, &mm(&inner, &adj(&v)?)?)?;
        let da = half_diagonal(&triangle(&plus(&da, &adj(&da)?)?, true)?)?;
        rule.give(0, da)
    }
}

#[track_caller]
fn decomposed(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let mut both = run(Eigh { vectors: true }, &[x])?;
    match (both.pop(), both.pop()) {
        (Some(v), Some(e)) => Ok((e, v)),
        _ => Err(Error::internal("eigh", "two results were expected")),
    }
}

public! {
    /// The eigenvalues of Hermitian matrices in ascending order, and their eigenvectors as columns of norm 1, whose signs are arbitrary.
    ///
    /// Only the lower triangle is read. The values have the dtype of the matrix, as TensorFlow's have. Numbers that are not finite give NaN.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (e, v) = tf::linalg::eigh(&tf::constant([[2.0, 0.0], [0.0, 1.0]]));
    /// assert_eq!(e.to_vec::<f32>(), [1.0, 2.0]);
    /// assert_eq!(tf::abs(&v).to_vec::<f32>(), [0.0, 1.0, 1.0, 0.0]);
    /// ```
    pub fn eigh, try_eigh(x) -> (Tensor, Tensor) {
        decomposed(x)
    }

    /// The eigenvalues of Hermitian matrices in ascending order.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::linalg::eigvalsh(&tf::constant([[2.0, 0.0], [0.0, 1.0]])).to_vec::<f32>(), [1.0, 2.0]);
    /// ```
    pub fn eigvalsh, try_eigvalsh(x) -> Tensor {
        Ok(run(Eigh { vectors: false }, &[x])?.swap_remove(0))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_both_orders() {
        check(&|x| tf::eigvalsh(&x[0]), &[numbers(3, &[2, 3, 3])]);
        check(&|x| tf::eigh(&x[0]).0, &[numbers(3, &[2, 3, 3])]);
        check(&|x| tf::eigh(&x[0]).1.square(), &[numbers(3, &[2, 3, 3])]);
    }

    #[test]
    fn vectors_are_those_of_their_values() {
        for n in [1, 2, 5, 60] {
            let x = numbers(1, &[n, n]);
            let a = &x + &tf::adjoint(&x);
            let (e, v) = tf::eigh(&tf::tril(&a, 0));
            assert!((tf::matmul(&a, &v) - &v * &e).to_vec::<f64>().iter().all(|x| x.abs() < 1e-12));
            assert!(e.to_vec::<f64>().is_sorted());
        }
        assert!(tf::eigvalsh(&tf::fill([2, 2], f32::NAN)).to_vec::<f32>().iter().all(|x| x.is_nan()));
    }
}
