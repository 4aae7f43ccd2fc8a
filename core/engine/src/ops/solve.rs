//! `solve`: systems of linear equations, by LU; dB = A⁻ᴴ dX, dA = -dB Xᴴ.
//! TensorFlow's `tf.linalg.solve`; a singular matrix is an error.

use super::matrices::{OnMatrices, Rule, Sizes, Tail, adj, mm, negative, run1, together};
use super::public;
use crate::op::Attr;
use crate::tensor::Tensor;
use kernels::error::Result;
use kernels::shape::Dim;
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};

#[derive(Clone)]
struct Solve {
    adjoint: bool,
}

impl OnMatrices for Solve {
    const NAME: &'static str = "solve";

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("adjoint", Attr::Bool(self.adjoint));
    }

    fn tails(&self, x: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        let n = sizes.square(x[0])?;
        sizes.same(n, x[1][0], "the right hand sides do not fit the matrices", "as many rows in both")?;
        Ok(smallvec![smallvec![x[1][0], x[1][1]]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract.
        unsafe { linalg::solve(field, self.adjoint, &x[0], &x[1], &y[0], together) }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        (&[0], &[0])
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let (a, x, dx) = (rule.x(0)?, rule.y(0)?, rule.dy(0)?);
        let db = solved(&a, &dx, !self.adjoint)?;
        if rule.needs(0) {
            let da = if self.adjoint { mm(&x, &adj(&db)?)? } else { mm(&db, &adj(&x)?)? };
            rule.give(0, negative(&da)?)?;
        }
        rule.give(1, db)
    }
}

/// X of A X = B, or of Aᴴ X = B.
#[track_caller]
pub(crate) fn solved(a: &Tensor, b: &Tensor, adjoint: bool) -> Result<Tensor> {
    run1(Solve { adjoint }, &[a, b])
}

public! {
    /// The solution of A X = `rhs`, or of Aᴴ X = `rhs` for `adjoint`, for the matrices in the last two axes of both.
    ///
    /// A matrix that is not invertible is an error.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let a = tf::constant([[0.0, 2.0], [4.0, 0.0]]);
    /// let x = tf::linalg::solve(&a, &tf::constant([[2.0], [8.0]]), false);
    /// assert_eq!(x.to_vec::<f32>(), [2.0, 1.0]);
    /// ```
    pub fn solve, try_solve(x, rhs: &Tensor, adjoint: bool) -> Tensor {
        solved(x, rhs, adjoint)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_both_ways() {
        for adjoint in [false, true] {
            let solved = |x: &[tf::Tensor]| tf::solve(&x[0], &x[1], adjoint);
            check(&solved, &[numbers(4, &[2, 3, 3]), numbers(2, &[2, 3, 2])]);
        }
    }

    #[test]
    fn large_ones_solve_their_system() {
        for adjoint in [false, true] {
            let (a, b) = (numbers(1, &[50, 50]), numbers(2, &[50, 7]));
            let back = tf::matmul_transposed(&a, adjoint, tf::solve(&a, &b, adjoint), false) - &b;
            assert!(back.to_vec::<f64>().iter().all(|x| x.abs() < 1e-10));
        }
        let error = tf::try_solve(&tf::ones([2, 2]), &tf::ones([2, 1]), false).unwrap_err().to_string();
        assert!(error.contains("not invertible"), "{error}");
        assert!(tf::try_solve(&tf::ones([1, 2, 2]), &tf::ones([2, 1]), false).is_err());
    }
}
