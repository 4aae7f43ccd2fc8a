//! `cholesky`: A = L Lᴴ of Hermitian, positive definite matrices; dA = sym(L⁻ᴴ Φ(Lᴴ dL) L⁻¹). `cholesky_solve` solves with L.
//! TensorFlow's `tf.linalg.cholesky` and `cholesky_solve`; as there, a matrix that is not positive definite gives NaN.

use super::matrices::{
    OnMatrices, Rule, Sizes, Tail, adj, half_diagonal, identity_like, mm, plus, run1, scaled, triangle,
};
use super::triangular_solve::solve_triangle;
use super::{functions, public};
use crate::tensor::Tensor;
use kernels::error::{OnTheWay, Result};
use kernels::shape::Dim;
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};

#[derive(Clone)]
struct Cholesky;

impl OnMatrices for Cholesky {
    const NAME: &'static str = "cholesky";

    fn tails(&self, x: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        sizes.square(x[0])?;
        Ok(smallvec![smallvec![x[0][0], x[0][1]]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract.
        unsafe { linalg::cholesky(field, &x[0], &y[0]) }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        (&[], &[0])
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let (l, dl) = (rule.y(0)?, rule.dy(0)?);
        let inverse = solve_triangle(&l, &identity_like(&l)?, true, false)?;
        let middle = triangle(&half_diagonal(&mm(&adj(&l)?, &dl)?)?, true)?;
        let da = mm(&mm(&adj(&inverse)?, &middle)?, &inverse)?;
        let da = scaled(&plus(&da, &adj(&da)?)?, 0.5)?;
        rule.give(0, da)
    }
}

public! {
    /// The lower triangular L of L Lᴴ = x, for Hermitian, positive definite matrices in the last two axes.
    ///
    /// Only the lower triangle of a matrix is read. One that is not positive definite gives NaN, as TensorFlow's does on a CPU.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let l = tf::linalg::cholesky(&tf::constant([[4.0, 2.0], [2.0, 5.0]]));
    /// assert_eq!(l.to_vec::<f32>(), [2.0, 0.0, 1.0, 2.0]);
    /// ```
    pub fn cholesky, try_cholesky(x) -> Tensor {
        run1(Cholesky, &[x])
    }

    /// The solution of L Lᴴ X = `rhs`, where this is the L that [`cholesky`](fn@cholesky) gives.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let l = tf::linalg::cholesky(&tf::constant([[4.0, 0.0], [0.0, 9.0]]));
    /// let x = tf::linalg::cholesky_solve(&l, &tf::constant([[4.0], [18.0]]));
    /// assert_eq!(x.to_vec::<f32>(), [1.0, 2.0]);
    /// ```
    pub fn cholesky_solve, try_cholesky_solve(x, rhs: &Tensor) -> Tensor {
        let named = |e: kernels::error::Error| e.named("cholesky_solve");
        let y = functions::try_triangular_solve(x, rhs, true, false).map_err(named)?;
        functions::try_triangular_solve(x, &y, true, true).map_err(named)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    fn definite(x: &tf::Tensor) -> tf::Tensor {
        tf::matmul(x, tf::adjoint(x)) + tf::try_eye([3, 3], tf::DType::F64).unwrap()
    }

    #[test]
    fn gradients_of_both_orders() {
        check(&|x| tf::cholesky(&definite(&x[0])), &[numbers(1, &[2, 3, 3])]);
        check(
            &|x| tf::cholesky_solve(&tf::cholesky(&definite(&x[0])), &x[1]),
            &[numbers(1, &[3, 3]), numbers(2, &[3, 2])],
        );
    }

    #[test]
    fn what_is_no_square_or_not_definite() {
        assert!(tf::try_cholesky(&tf::ones([2, 3])).unwrap_err().to_string().contains("square"));
        let l = tf::cholesky(&tf::constant([[1.0, 2.0], [2.0, 1.0]])).to_vec::<f32>();
        assert!(l[0].is_nan() && l[1] == 0.0 && l[2].is_nan() && l[3].is_nan());
        assert_eq!(tf::cholesky(&tf::zeros([3, 0, 0])).shape(), [3, 0, 0]);
    }
}
