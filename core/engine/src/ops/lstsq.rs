//! `lstsq`: least squares, by Cholesky of the normal equations or by singular values; `pinv` and `matrix_rank`, by singular values.
//! TensorFlow's `tf.linalg.lstsq`, `pinv` and `matrix_rank`, composed: gradients are those of the parts.

use super::matrices::{adj, mm, plus, rows_axis, scaled, times};
use super::select::try_select;
use super::{cast_to, functions, pinned_size, public, sum_axes};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::AxisSet;

/// The distance from 1 to the next number.
fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F64 | DType::C128 => f64::EPSILON,
        _ => f64::from(f32::EPSILON),
    }
}

/// A number as a tensor of a dtype.
#[track_caller]
fn number(x: f64, dtype: DType) -> Result<Tensor> {
    cast_to(&Tensor::from(x), dtype)
}

/// The larger side of the matrices as a number of a dtype.
#[track_caller]
fn larger_side(x: &Tensor, rows: usize, dtype: DType) -> Result<Tensor> {
    let (m, n) = (x.shape().dim(rows), x.shape().dim(rows + 1));
    match (m.known_value(), n.known_value()) {
        (Some(m), Some(n)) => number(m.max(n) as f64, dtype),
        _ => {
            let (m, n) = (super::size_of(x.shape(), rows)?, super::size_of(x.shape(), rows + 1)?);
            cast_to(&functions::try_maximum(&m, &n)?, dtype)
        }
    }
}

/// The pseudoinverse, with singular values that are not above `cutoff` times the largest left out.
#[track_caller]
fn pseudoinverse(x: &Tensor, cutoff: Option<&Tensor>, factor: f64) -> Result<Tensor> {
    let rows = rows_axis("pinv", x)?;
    let (s, u, v) = functions::try_svd(x, false)?;
    let real = s.dtype();
    let cutoff = match cutoff {
        Some(cutoff) => cast_to(cutoff, real)?,
        None => scaled(&larger_side(x, rows, real)?, factor * epsilon(real))?,
    };
    let largest = functions::try_reduce_max(&s, -1)?;
    let cutoff = functions::try_expand_dims(times(&cutoff, &largest)?, -1)?;
    let kept = functions::try_greater(&s, &cutoff)?;
    // What is left out becomes infinite, so that its reciprocal and the gradient of that are zero.
    let s = try_select(&kept, &s, &number(f64::INFINITY, real)?)?;
    let inverse = cast_to(&functions::try_expand_dims(functions::try_reciprocal(&s)?, -2)?, x.dtype())?;
    mm(&times(&v, &inverse)?, &adj(&u)?)
}

/// Aᴴ A + λ, or A Aᴴ + λ, as its Cholesky factor.
#[track_caller]
fn gramian(a: &Tensor, l2_regularizer: f64, first: bool) -> Result<Tensor> {
    let turned = adj(a)?;
    let mut all = if first { mm(&turned, a)? } else { mm(a, &turned)? };
    if l2_regularizer != 0.0 {
        let diagonal = functions::try_diag_part(&all)?;
        let more = plus(&diagonal, &number(l2_regularizer, a.dtype())?)?;
        all = functions::try_set_diag(&all, &more)?;
    }
    functions::try_cholesky(&all)
}

public! {
    /// The X that minimises |A X - `rhs`|² + `l2_regularizer` |X|², for the matrices in the last two axes; of several for a wide A, the
    /// smallest.
    ///
    /// The `fast` way goes by Cholesky's factor of the normal equations: it loses digits where the columns of A are nearly dependent,
    /// and gives NaN where they are. The other way goes by singular values, gives the smallest solution for any matrix, and does not
    /// regularise, as in TensorFlow.
    ///
    /// While a function is recorded, unknown numbers of rows and columns are read as numbers on the fast way.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let a = tf::constant([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]);
    /// let x = tf::linalg::lstsq(&a, &tf::constant([[3.0], [4.0], [5.0]]), 0.0, true);
    /// assert_eq!(x.to_vec::<f32>(), [3.0, 2.0]);
    /// ```
    pub fn lstsq, try_lstsq(x, rhs: &Tensor, l2_regularizer: f64, fast: bool) -> Tensor {
        let rows = rows_axis("lstsq", x)?;
        let below = rows_axis("lstsq", rhs)?;
        let fits = x.shape().dim(rows).can_equal(rhs.shape().dim(below));
        if !fits || x.dtype() != rhs.dtype() {
            return Err(Error::invalid_argument("lstsq", "the right hand sides do not fit the matrices")
                .got(format!("{} and {}", x.ty(), rhs.ty()))
                .expected("as many rows in both, and one dtype"));
        }
        solution(x, rhs, l2_regularizer, fast, rows).map_err(|e| e.named("lstsq"))
    }

    /// The pseudoinverses of the matrices in the last two axes.
    ///
    /// Singular values that are not above `rcond` times the largest count as zero; `rcond` is a number or one per matrix, and 10 times the
    /// larger side of the matrices times the dtype's precision where it is `None`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::linalg::pinv(&tf::constant([[2.0, 0.0], [0.0, 0.0]]), None);
    /// assert_eq!(x.to_vec::<f32>(), [0.5, 0.0, 0.0, 0.0]);
    /// ```
    pub fn pinv, try_pinv(x, rcond: Option<&Tensor>) -> Tensor {
        pseudoinverse(x, rcond, 10.0).map_err(|e| e.named("pinv"))
    }

    /// The numbers of singular values above `tol`, `int32`: the ranks of the matrices in the last two axes.
    ///
    /// `None` stands for the largest singular value times the larger side of the matrices times the dtype's precision.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::linalg::matrix_rank(&tf::ones([2, 2]), None).item::<i32>(), 1);
    /// ```
    pub fn matrix_rank, try_matrix_rank(x, tol: Option<&Tensor>) -> Tensor {
        let rows = rows_axis("matrix_rank", x)?;
        let named = |e: Error| e.named("matrix_rank");
        let s = functions::try_svdvals(x).map_err(named)?;
        let real = s.dtype();
        let tol = match tol {
            Some(tol) => cast_to(tol, real).map_err(named)?,
            None => {
                let largest = functions::try_reduce_max(&s, super::keep_dims(-1)).map_err(named)?;
                let factor = scaled(&larger_side(x, rows, real).map_err(named)?, epsilon(real)).map_err(named)?;
                times(&factor, &largest).map_err(named)?
            }
        };
        let above = cast_to(&functions::try_greater(&s, &tol).map_err(named)?, DType::I32).map_err(named)?;
        sum_axes(&above, AxisSet::of(&[above.rank() - 1]), false).map_err(named)
    }
}

#[track_caller]
fn solution(a: &Tensor, b: &Tensor, l2_regularizer: f64, fast: bool, rows: usize) -> Result<Tensor> {
    if !fast {
        return mm(&pseudoinverse(a, None, 1.0)?, b);
    }
    let (m, n) = (pinned_size("lstsq", a.shape(), rows)?, pinned_size("lstsq", a.shape(), rows + 1)?);
    let l = gramian(a, l2_regularizer, m >= n)?;
    match m >= n {
        true => functions::try_cholesky_solve(&l, &mm(&adj(a)?, b)?),
        false => mm(&adj(a)?, &functions::try_cholesky_solve(&l, b)?),
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_all_ways() {
        for shape in [[4, 2], [2, 4], [3, 3]] {
            let b = numbers(2, &[shape[0], 2]);
            for l2 in [0.0, 0.5] {
                check(&|x| tf::lstsq(&x[0], &x[1], l2, true), &[numbers(1, &shape), b.clone()]);
            }
            check(&|x| tf::lstsq(&x[0], &x[1], 0.0, false), &[numbers(1, &shape), b.clone()]);
            check(&|x| tf::pinv(&x[0], None), &[numbers(1, &shape)]);
        }
    }

    #[test]
    fn ranks_and_refusals() {
        assert_eq!(tf::matrix_rank(&tf::ones([2, 3, 3]), None).to_vec::<i32>(), [1, 1]);
        assert_eq!(tf::matrix_rank(&tf::eye(3), Some(&tf::constant(2.0))).item::<i32>(), 0);
        assert!(tf::try_lstsq(&tf::ones([3, 2]), &tf::ones([2, 1]), 0.0, true).is_err());
        assert!(tf::try_pinv(&tf::ones([3]), None).is_err());
    }
}
