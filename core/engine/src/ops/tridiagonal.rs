//! `tridiagonal_solve`, `tridiagonal_matmul` and `eigh_tridiagonal`: matrices that are given by three diagonals, or two.
//! TensorFlow's `tf.linalg` functions of these names. Of the system, dB is the solution with the transposed matrix, and the diagonals'
//! cotangents are sums along its rows; a pivot that is zero gives NaN, as there. Products and eigenvalues are made of other operations.

use super::matrices::{OnMatrices, Rule, Sizes, Tail, check_dtype, negative, plus, rows_axis, run1, summed, times};
use super::reshape::expand_last;
use super::{cast_to, concat_all, functions, public, slice_axis, zeros_of};
use crate::op::Attr;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Constraints, Dim, Shape, broadcast};
use linalg::{Field, Matrix, Refused};
use smallvec::{SmallVec, smallvec};

/// How the diagonals of a tridiagonal matrix are given: TensorFlow's `diagonals_format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DiagonalsFormat {
    /// Three rows: the diagonal above the main one, whose last number is not read, the main one, and the one below, whose first number
    /// is not read. [`compact_diagonals`](fn@crate::compact_diagonals) lays them so.
    #[default]
    Compact,
    /// The whole matrix, of which the other numbers are not read.
    Matrix,
}

#[derive(Clone)]
struct TridiagonalSolve {
    pivoting: bool,
}

impl OnMatrices for TridiagonalSolve {
    const NAME: &'static str = "tridiagonal_solve";

    fn visit(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("partial_pivoting", Attr::Bool(self.pivoting));
    }

    fn tails(&self, x: &[[Dim; 2]], sizes: &mut Sizes<'_>) -> Result<SmallVec<[Tail; 3]>> {
        sizes.same(x[0][0], Dim::known(3), "the diagonals must be three", "three rows of diagonals")?;
        sizes.same(x[0][1], x[1][0], "the right hand sides do not fit the diagonals", "as many rows as numbers")?;
        Ok(smallvec![smallvec![x[1][0], x[1][1]]])
    }

    unsafe fn one(&self, field: Field, x: &[Matrix], y: &[Matrix]) -> std::result::Result<(), Refused> {
        // SAFETY: the same contract.
        unsafe { linalg::tridiagonal_solve(field, self.pivoting, &x[0], &x[1], &y[0]) }
    }

    fn saves(&self) -> (&'static [usize], &'static [usize]) {
        (&[0], &[0])
    }

    fn backward(&self, rule: &mut Rule<'_, '_>) -> Result<()> {
        let (d, x) = (super::conj::conjugate(&rule.x(0)?)?, super::conj::conjugate(&rule.y(0)?)?);
        let rows = d.rank() - 2;
        let row = |i: usize| slice_axis(&d, rows, Dim::known(i), Dim::ONE);
        // The diagonal above becomes the one below, one place further, and back.
        let above = moved_up(&row(2)?, rows + 1)?;
        let below = moved_down(&row(0)?, rows + 1)?;
        let turned = concat_all(&[&above, &row(1)?, &below], rows)?;
        let db = run1(self.clone(), &[&turned, &rule.dy(0)?])?;
        if rule.needs(0) {
            let along = |x: &Tensor| summed(&times(&db, x)?, rows + 1);
            let parts = [along(&moved_up(&x, rows)?)?, along(&x)?, along(&moved_down(&x, rows)?)?];
            let all = functions::try_stack(&[&parts[0], &parts[1], &parts[2]], -2)?;
            rule.give(0, negative(&all)?)?;
        }
        rule.give(1, db)
    }
}

/// Each number is the next one along an axis; the last is zero.
#[track_caller]
fn moved_up(x: &Tensor, axis: usize) -> Result<Tensor> {
    let rest = slice_axis(x, axis, Dim::ONE, x.shape().dim(axis) - Dim::ONE)?;
    concat_all(&[&rest, &zeros_of(&TensorType::new(x.dtype(), x.shape().with(axis, 1)?))?], axis)
}

/// Each number is the one before along an axis; the first is zero.
#[track_caller]
fn moved_down(x: &Tensor, axis: usize) -> Result<Tensor> {
    let rest = slice_axis(x, axis, Dim::ZERO, x.shape().dim(axis) - Dim::ONE)?;
    concat_all(&[&zeros_of(&TensorType::new(x.dtype(), x.shape().with(axis, 1)?))?, &rest], axis)
}

/// The diagonals as three rows.
#[track_caller]
fn compact(op: &str, x: &Tensor, format: DiagonalsFormat) -> Result<Tensor> {
    let rows = rows_axis(op, x)?;
    if format == DiagonalsFormat::Compact {
        return Ok(x.clone());
    }
    let n = x.shape().dim(rows + 1);
    let main = functions::try_diag_part(x)?;
    // The square without its first row and last column has the diagonal below as its main one.
    let part = |row: Dim, col: Dim| {
        let size = n - Dim::ONE;
        functions::try_diag_part(&slice_axis(&slice_axis(x, rows, row, size)?, rows + 1, col, size)?)
    };
    laid(&part(Dim::ZERO, Dim::ONE)?, &main, &part(Dim::ONE, Dim::ZERO)?)
}

/// Three diagonals as rows: those beside the main one may lack the number that is not read.
#[track_caller]
fn laid(above: &Tensor, main: &Tensor, below: &Tensor) -> Result<Tensor> {
    let axis = main.rank() - 1;
    let n = main.shape().dim(axis);
    let zero = zeros_of(&TensorType::new(main.dtype(), main.shape().with(axis, 1)?))?;
    let is_short = |x: &Tensor| x.shape().dim(axis) != n;
    let above = if is_short(above) { concat_all(&[above, &zero], axis)? } else { above.clone() };
    let below = if is_short(below) { concat_all(&[&zero, below], axis)? } else { below.clone() };
    functions::try_stack(&[&above, main, &below], -2)
}

/// Which eigenvalues: TensorFlow's `select` with `select_range`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Eigenvalues {
    /// All.
    #[default]
    All,
    /// Those of these numbers in ascending order, both included.
    Index(usize, usize),
    /// Those above the first number, up to the second.
    Within(f64, f64),
}

public! {
    /// Three diagonals of a tridiagonal matrix as the rows that [`DiagonalsFormat::Compact`] asks for: this is the one above the main diagonal.
    /// The diagonals beside the main one have a number less, or as many, of which the last above and the first below are not read.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let d = tf::linalg::compact_diagonals(&tf::constant([1, 2]), &tf::constant([3, 4, 5]), &tf::constant([6, 7]));
    /// assert_eq!(d.to_vec::<i32>(), [1, 2, 0, 3, 4, 5, 0, 6, 7]);
    /// ```
    pub fn compact_diagonals, try_compact_diagonals(x, main: &Tensor, below: &Tensor) -> Tensor {
        if main.rank() == 0 || x.rank() != main.rank() || below.rank() != main.rank() {
            return Err(Error::invalid_argument("compact_diagonals", "the diagonals are no vectors of one batch")
                .got(format!("{}, {} and {}", x.ty(), main.ty(), below.ty()))
                .expected("at least one dimension, and as many each"));
        }
        laid(x, main, below).map_err(|e| e.named("compact_diagonals"))
    }

    /// The solution of T X = `rhs` with the tridiagonal matrices of which these are the diagonals, by elimination, with exchanges of
    /// neighbouring rows for `partial_pivoting`. `rhs` is of matrices, or of one vector for one matrix. A pivot that is zero gives NaN.
    ///
    /// ```
    /// use eagerflow::{self as tf, linalg::DiagonalsFormat};
    /// let t = tf::constant([[2.0, 1.0], [1.0, 3.0]]);
    /// let x = tf::linalg::tridiagonal_solve(&t, &tf::constant([3.0, 4.0]), DiagonalsFormat::Matrix, true);
    /// assert_eq!(x.to_vec::<f32>(), [1.0, 1.0]);
    /// ```
    pub fn tridiagonal_solve, try_tridiagonal_solve(x, rhs: &Tensor, format: DiagonalsFormat, partial_pivoting: bool) -> Tensor {
        let named = |e: Error| e.named("tridiagonal_solve");
        let d = compact("tridiagonal_solve", x, format).map_err(named)?;
        let op = TridiagonalSolve { pivoting: partial_pivoting };
        if rhs.rank() + 1 == d.rank() {
            let column = expand_last(rhs).map_err(named)?;
            return functions::try_squeeze(&run1(op, &[&d, &column])?, -1).map_err(named);
        }
        run1(op, &[&d, rhs])
    }

    /// The product of the tridiagonal matrices of which these are the diagonals and of `rhs`; batches broadcast.
    ///
    /// ```
    /// use eagerflow::{self as tf, linalg::DiagonalsFormat};
    /// let t = tf::constant([[2.0, 1.0], [1.0, 3.0]]);
    /// let y = tf::linalg::tridiagonal_matmul(&t, &tf::constant([[1.0], [1.0]]), DiagonalsFormat::Matrix);
    /// assert_eq!(y.to_vec::<f32>(), [3.0, 4.0]);
    /// ```
    pub fn tridiagonal_matmul, try_tridiagonal_matmul(x, rhs: &Tensor, format: DiagonalsFormat) -> Tensor {
        let named = |e: Error| e.named("tridiagonal_matmul");
        check_dtype("tridiagonal_matmul", x)?;
        let d = compact("tridiagonal_matmul", x, format).map_err(named)?;
        let rows = rows_axis("tridiagonal_matmul", rhs)?;
        let outer = |t: &Tensor| Shape::from_dims(&t.shape().sizes()[..t.rank() - 2]);
        broadcast(&outer(&d)?, &outer(rhs)?, &mut Constraints::default()).map_err(|e| e.in_op("tridiagonal_matmul"))?;
        let (n, length) = (rhs.shape().dim(rows), d.shape().dim(d.rank() - 1));
        if !n.can_equal(length) || !d.shape().dim(d.rank() - 2).can_equal(3.into()) {
            return Err(Error::invalid_argument("tridiagonal_matmul", "the diagonals do not fit the operand")
                .got(format!("{} and {}", d.ty(), rhs.ty()))
                .expected("three rows of diagonals, of as many numbers as the operand has rows"));
        }
        product(&d, rhs, rows).map_err(named)
    }

    /// The eigenvalues in ascending order of the Hermitian tridiagonal matrix with this as its main diagonal and `beta` below it.
    ///
    /// ```
    /// use eagerflow::{self as tf, linalg::Eigenvalues};
    /// let e = tf::linalg::eigh_tridiagonal(&tf::constant([2.0, 1.0]), &tf::constant([0.0]), Eigenvalues::Index(0, 0));
    /// assert_eq!(e.to_vec::<f32>(), [1.0]);
    /// ```
    pub fn eigh_tridiagonal, try_eigh_tridiagonal(x, beta: &Tensor, select: Eigenvalues) -> Tensor {
        Ok(eigen(x, beta, select, false).map_err(|e| e.named("eigh_tridiagonal"))?.0)
    }

    /// As [`eigh_tridiagonal`](fn@eigh_tridiagonal), with the eigenvectors as columns: TensorFlow's `eigvals_only=False`.
    ///
    /// ```
    /// use eagerflow::{self as tf, linalg::Eigenvalues};
    /// let (e, v) = tf::linalg::eigh_tridiagonal_with(&tf::constant([2.0, 1.0]), &tf::constant([0.0]), Eigenvalues::All);
    /// assert_eq!((e.to_vec::<f32>(), v.shape().dims()), (vec![1.0, 2.0], &[2, 2][..]));
    /// ```
    pub fn eigh_tridiagonal_with, try_eigh_tridiagonal_with(x, beta: &Tensor, select: Eigenvalues) -> (Tensor, Tensor) {
        eigen(x, beta, select, true).map_err(|e| e.named("eigh_tridiagonal"))
    }
}

#[track_caller]
fn product(d: &Tensor, x: &Tensor, rows: usize) -> Result<Tensor> {
    let at = d.rank() - 2;
    let column = |i: usize| {
        let row = slice_axis(d, at, Dim::known(i), Dim::ONE)?;
        super::transpose::swap_last(&row)
    };
    let above = times(&column(0)?, &moved_up(x, rows)?)?;
    let below = times(&column(2)?, &moved_down(x, rows)?)?;
    plus(&plus(&above, &times(&column(1)?, x)?)?, &below)
}

#[track_caller]
fn eigen(alpha: &Tensor, beta: &Tensor, select: Eigenvalues, vectors: bool) -> Result<(Tensor, Tensor)> {
    let fits =
        alpha.rank() == 1 && beta.rank() == 1 && (alpha.shape().dim(0) - Dim::ONE).can_equal(beta.shape().dim(0));
    if !fits {
        return Err(Error::invalid_argument("eigh_tridiagonal", "the diagonals do not fit")
            .got(format!("{} and {}", alpha.ty(), beta.ty()))
            .expected("a vector, and one with a number less"));
    }
    if alpha.dtype() == DType::F16 && beta.dtype() == DType::F16 {
        // Computed in `float32`, and rounded once.
        let wide = |x: &Tensor| cast_to(x, DType::F32);
        let (e, v) = eigen(&wide(alpha)?, &wide(beta)?, select, vectors)?;
        return Ok((cast_to(&e, DType::F16)?, cast_to(&v, DType::F16)?));
    }
    let n = alpha.shape().dim(0);
    let alpha = if beta.dtype().is_complex() { cast_to(alpha, beta.dtype())? } else { alpha.clone() };
    // Only the lower triangle is read: the main diagonal, and the one below it.
    let main = functions::try_diag(&alpha)?;
    let below = functions::try_diag(beta)?;
    let row = zeros_of(&TensorType::new(beta.dtype(), Shape::from_dims(&[Dim::ONE, n - Dim::ONE])?))?;
    let column = zeros_of(&TensorType::new(beta.dtype(), Shape::from_dims(&[n, Dim::ONE])?))?;
    let below = concat_all(&[&concat_all(&[&row, &below], 0)?, &column], 1)?;
    let a = plus(&main, &below)?;
    let (e, v) = match vectors {
        true => functions::try_eigh(&a)?,
        false => (functions::try_eigvalsh(&a)?, a),
    };
    let e = functions::try_real(&e)?;
    match select {
        Eigenvalues::All => Ok((e, v)),
        Eigenvalues::Index(first, last) => {
            if first > last || n.known_value().is_some_and(|n| last >= n) {
                return Err(Error::invalid_argument("eigh_tridiagonal", "there are no eigenvalues of these numbers")
                    .got(format!("{first} to {last} of {n}"))
                    .expected("numbers in ascending order, below the size of the matrix"));
            }
            let (begin, size) = (Dim::known(first), Dim::known(last - first + 1));
            let v = if vectors { slice_axis(&v, 1, begin, size)? } else { v };
            Ok((slice_axis(&e, 0, begin, size)?, v))
        }
        Eigenvalues::Within(low, high) => {
            if low.is_nan() || high.is_nan() || low >= high {
                return Err(Error::invalid_argument("eigh_tridiagonal", "no eigenvalue can lie in this range")
                    .got(format!("{low} to {high}"))
                    .expected("a lower bound below the upper one"));
            }
            let within =
                functions::try_logical_and(functions::try_greater(&e, low)?, functions::try_less_equal(&e, high)?)?;
            let kept = functions::try_squeeze(&functions::try_where_indices(&within)?, 1)?;
            let v = if vectors { functions::try_gather(&v, &kept, 1)? } else { v };
            Ok((functions::try_gather(&e, &kept, 0)?, v))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DiagonalsFormat, Eigenvalues};
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_both_orders() {
        let far = tf::constant([[0.0], [3.0], [0.0]]).cast(tf::DType::F64);
        for pivoting in [false, true] {
            let solved = |x: &[tf::Tensor]| tf::tridiagonal_solve(&(&x[0] + &far), &x[1], DiagonalsFormat::Compact, pivoting);
            check(&solved, &[numbers(1, &[2, 3, 4]), numbers(2, &[2, 4, 2])]);
        }
        let product = |x: &[tf::Tensor]| tf::tridiagonal_matmul(&x[0], &x[1], DiagonalsFormat::Compact);
        check(&product, &[numbers(1, &[2, 3, 4]), numbers(2, &[4, 2])]);
        let values = |x: &[tf::Tensor]| tf::eigh_tridiagonal(&x[0], &x[1], Eigenvalues::Index(1, 2));
        check(&values, &[numbers(1, &[4]), numbers(2, &[3])]);
    }

    #[test]
    fn solutions_are_those_of_whole_matrices() {
        for pivoting in [false, true] {
            let a = tf::band_part(&numbers(5, &[2, 6, 6]), 1, 1);
            let b = numbers(2, &[2, 6, 3]);
            let x = tf::tridiagonal_solve(&a, &b, DiagonalsFormat::Matrix, pivoting);
            assert!((&x - tf::solve(&a, &b, false)).to_vec::<f64>().iter().all(|x| x.abs() < 1e-9));
            let back = tf::tridiagonal_matmul(&a, &x, DiagonalsFormat::Matrix) - &b;
            assert!(back.to_vec::<f64>().iter().all(|x| x.abs() < 1e-9));
        }
        let x = tf::tridiagonal_solve(&tf::zeros([3, 2]), &tf::ones([2]), DiagonalsFormat::Compact, true);
        assert!(x.to_vec::<f32>().iter().all(|x| x.is_nan()));
        let within =
            tf::eigh_tridiagonal(&tf::constant([1.0, 2.0, 3.0]), &tf::zeros([2]), Eigenvalues::Within(1.5, 3.0));
        assert_eq!(within.to_vec::<f32>(), [2.0, 3.0]);
        assert!(tf::try_eigh_tridiagonal(&tf::ones([3]), &tf::ones([3]), Eigenvalues::All).is_err());
        assert!(tf::try_tridiagonal_solve(&tf::ones([2, 2]), &tf::ones([2]), DiagonalsFormat::Compact, true).is_err());
    }
}
