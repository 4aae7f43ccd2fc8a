//! `banded_triangular_solve`: systems with triangular matrices that are given by the diagonals of their band; dB = A⁻ᴴ dX, and dA is the
//! band of -dB Xᴴ. TensorFlow's `tf.linalg.banded_triangular_solve`; batches broadcast, a zero on the diagonal is an error.

use super::matrices::{OnMatrices, Rule, Sizes, Tail, adj, mm, negative, run1};
use super::public;
use super::triangular_solve::one_batch;
use crate::op::Attr;
use crate::tensor::Tensor;
use kernels::error::Result;
use kernels::shape::Dim;
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};

#[derive(Clone)]
struct BandedSolve {
    lower: bool,
    adjoint: bool,
}

impl OnMatrices for BandedSolve {
    const NAME: &'static str = "banded_triangular_solve";

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("lower", Attr::Bool(self.lower));
        visit("adjoint", Attr::Bool(self.adjoint));
    }

    fn tails(&self, x: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        sizes.same(
            x[0][1],
            x[1][0],
            "the right hand sides do not fit the bands",
            "as many rows as bands have columns",
        )?;
        Ok(smallvec![smallvec![x[1][0], x[1][1]]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        if x[0].rows == 0 && x[0].cols > 0 {
            return Err(Refused::Singular);
        }
        // SAFETY: the same contract.
        unsafe { linalg::banded_solve(field, self.lower, self.adjoint, &x[0], &x[1], &y[0]) }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        (&[0], &[0])
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let (bands, x, dx) = (rule.x(0)?, rule.y(0)?, rule.dy(0)?);
        let db = run1(Self { adjoint: !self.adjoint, ..*self }, &[&bands, &dx])?;
        if rule.needs(0) {
            let da = if self.adjoint { mm(&x, &adj(&db)?)? } else { mm(&db, &adj(&x)?)? };
            rule.give(0, run1(BandsOf { lower: self.lower }, &[&negative(&da)?, &bands])?)?;
        }
        rule.give(1, db)
    }
}

/// The diagonals of a band of the first operand, as many as the second has rows.
#[derive(Clone)]
struct BandsOf {
    lower: bool,
}

impl OnMatrices for BandsOf {
    const NAME: &'static str = "bands_of";

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("lower", Attr::Bool(self.lower));
    }

    fn tails(&self, x: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        let n = sizes.square(x[0])?;
        sizes.same(n, x[1][1], "the bands do not fit the matrices", "as many columns in both")?;
        Ok(smallvec![smallvec![x[1][0], x[1][1]]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract.
        unsafe { linalg::bands_of(field, self.lower, &x[0], &y[0]) }
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        // Of the second operand only the size is asked.
        rule.give(0, run1(OfBands { lower: self.lower }, &[&rule.dy(0)?])?)
    }
}

/// The matrices that have these diagonals, and zeros elsewhere.
#[derive(Clone)]
struct OfBands {
    lower: bool,
}

impl OnMatrices for OfBands {
    const NAME: &'static str = "of_bands";

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("lower", Attr::Bool(self.lower));
    }

    fn tails(&self, x: &[[Dim; 2]], _: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        Ok(smallvec![smallvec![x[0][1], x[0][1]]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract.
        unsafe { linalg::of_bands(field, self.lower, &x[0], &y[0]) }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        (&[0], &[])
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let bands = rule.x(0)?;
        rule.give(0, run1(BandsOf { lower: self.lower }, &[&rule.dy(0)?, &bands])?)
    }
}

public! {
    /// The solution of A X = `rhs`, or of Aᴴ X = `rhs` for `adjoint`, with the triangular matrices of which these are the bands.
    ///
    /// The rows of the last two axes are diagonals: of a lower triangular matrix the main one comes first and those below it follow, of an
    /// upper one the main diagonal comes last. Each number stands at the column of its row; numbers that lie outside of the matrix are
    /// not read. Batches broadcast. A zero on the diagonal is an error.
    ///
    /// ```
    /// use eagerflow as tf;
    /// // The matrix [[1, 0], [4, 2]].
    /// let bands = tf::constant([[1.0, 2.0], [0.0, 4.0]]);
    /// let x = tf::linalg::banded_triangular_solve(&bands, &tf::constant([[1.0], [6.0]]), true, false);
    /// assert_eq!(x.to_vec::<f32>(), [1.0, 1.0]);
    /// ```
    pub fn banded_triangular_solve, try_banded_triangular_solve(x, rhs: &Tensor, lower: bool, adjoint: bool) -> Tensor {
        let (bands, b) = one_batch("banded_triangular_solve", x, rhs)?;
        run1(BandedSolve { lower, adjoint }, &[&bands, &b])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_every_way() {
        let far = tf::constant([[2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]).cast(tf::DType::F64);
        for (lower, adjoint) in [(false, false), (true, false), (false, true), (true, true)] {
            let far = if lower { far.clone() } else { tf::reverse(&far, 0) };
            let solved = |x: &[tf::Tensor]| tf::banded_triangular_solve(&(&x[0] + &far), &x[1], lower, adjoint);
            check(&solved, &[numbers(1, &[2, 2, 3]), numbers(2, &[3, 2])]);
        }
        // The rule of the rule's rule: the diagonals of what has been laid along diagonals.
        let b = numbers(2, &[3, 2]);
        let cube = |x: &[tf::Tensor]| {
            let mut tape = tf::GradientTape::new();
            tape.watch(&x[0]);
            let y = tf::banded_triangular_solve(&x[0], &b, true, false).square();
            tape.gradient(&y, &x[0])
        };
        check(&cube, &[numbers(1, &[2, 3]) + far.clone()]);
        let error = tf::try_banded_triangular_solve(&tf::zeros([2, 3]), &tf::ones([3, 1]), true, false).unwrap_err();
        assert!(error.to_string().contains("not invertible"));
    }
}
