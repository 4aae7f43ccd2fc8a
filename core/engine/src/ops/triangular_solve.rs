//! `triangular_solve`: systems with triangular matrices, whose batches broadcast; dB = A⁻ᴴ dX, dA = -dB Xᴴ in the triangle.
//! TensorFlow's `tf.linalg.triangular_solve`; as there, a zero on the diagonal gives infinities and no error.

use super::matrices::{OnMatrices, Rule, Sizes, Tail, adj, mm, negative, rows_axis, run1, triangle, together};
use super::{broadcast_to_shape, public};
use crate::op::Attr;
use crate::tensor::Tensor;
use kernels::error::Result;
use kernels::shape::{Constraints, Dim, Shape, broadcast};
use linalg::{Field, Matrix, Refused, Triangle};
use smallvec::{SmallVec, smallvec};

#[derive(Clone)]
struct TriangularSolve {
    lower: bool,
    adjoint: bool,
}

impl OnMatrices for TriangularSolve {
    const NAME: &'static str = "triangular_solve";

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("lower", Attr::Bool(self.lower));
        visit("adjoint", Attr::Bool(self.adjoint));
    }

    fn tails(&self, x: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        let n = sizes.square(x[0])?;
        sizes.same(n, x[1][0], "the right hand sides do not fit the matrices", "as many rows in both")?;
        Ok(smallvec![smallvec![x[1][0], x[1][1]]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        let kind = Triangle { lower: self.lower, adjoint: self.adjoint, unit: false };
        // SAFETY: the same contract.
        unsafe { linalg::triangular_solve(field, kind, &x[0], &x[1], &y[0], together) }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        (&[0], &[0])
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let (a, x, dx) = (rule.x(0)?, rule.y(0)?, rule.dy(0)?);
        let db = solve_triangle(&a, &dx, self.lower, !self.adjoint)?;
        if rule.needs(0) {
            let da = if self.adjoint { mm(&x, &adj(&db)?)? } else { mm(&db, &adj(&x)?)? };
            rule.give(0, triangle(&negative(&da)?, self.lower)?)?;
        }
        rule.give(1, db)
    }
}

/// The solution for matrices of one batch.
#[track_caller]
pub(crate) fn solve_triangle(a: &Tensor, b: &Tensor, lower: bool, adjoint: bool) -> Result<Tensor> {
    run1(TriangularSolve { lower, adjoint }, &[a, b])
}

/// Both operands with the batch that they broadcast to.
#[track_caller]
pub(super) fn one_batch(op: &str, a: &Tensor, b: &Tensor) -> Result<(Tensor, Tensor)> {
    let (at_a, at_b) = (rows_axis(op, a)?, rows_axis(op, b)?);
    let outer = |x: &Tensor, at: usize| Shape::from_dims(&x.shape().sizes()[..at]);
    let batch = broadcast(&outer(a, at_a)?, &outer(b, at_b)?, &mut Constraints::default()).map_err(|e| e.in_op(op))?;
    #[track_caller]
    fn onto(x: &Tensor, at: usize, batch: &Shape) -> Result<Tensor> {
        broadcast_to_shape(x, &batch.push(x.shape().dim(at))?.push(x.shape().dim(at + 1))?)
    }
    Ok((onto(a, at_a, &batch)?, onto(b, at_b, &batch)?))
}

public! {
    /// The solution of A X = `rhs` with triangular matrices, of which the lower or the upper triangle is read; of Aᴴ X = `rhs` for
    /// `adjoint`. Batches broadcast. A zero on the diagonal gives numbers that are not finite.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let a = tf::constant([[2.0, 0.0], [1.0, 4.0]]);
    /// let x = tf::linalg::triangular_solve(&a, &tf::constant([[2.0], [9.0]]), true, false);
    /// assert_eq!(x.to_vec::<f32>(), [1.0, 2.0]);
    /// ```
    pub fn triangular_solve, try_triangular_solve(x, rhs: &Tensor, lower: bool, adjoint: bool) -> Tensor {
        let (a, b) = one_batch("triangular_solve", x, rhs)?;
        solve_triangle(&a, &b, lower, adjoint)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_every_way() {
        for (lower, adjoint) in [(false, false), (true, false), (false, true), (true, true)] {
            let solved = |x: &[tf::Tensor]| {
                let a = &x[0] + &(tf::try_eye([3, 3], tf::DType::F64).unwrap() * 3.0);
                tf::triangular_solve(&a, &x[1], lower, adjoint)
            };
            check(&solved, &[numbers(1, &[2, 3, 3]), numbers(2, &[3, 2])]);
        }
    }

    #[test]
    fn large_ones_solve_their_system() {
        for (lower, adjoint) in [(false, false), (true, false), (false, true), (true, true)] {
            let a = numbers(1, &[40, 40]) + tf::try_eye([40, 40], tf::DType::F64).unwrap() * 20.0;
            let b = numbers(2, &[40, 3]);
            let x = tf::triangular_solve(&a, &b, lower, adjoint);
            let t = if lower { tf::tril(&a, 0) } else { tf::triu(&a, 0) };
            let back = tf::matmul_transposed(&t, adjoint, &x, false) - &b;
            assert!(back.to_vec::<f64>().iter().all(|x| x.abs() < 1e-12));
        }
        assert!(tf::try_triangular_solve(&tf::ones([2, 2]), &tf::ones([3, 1]), true, false).is_err());
    }
}
