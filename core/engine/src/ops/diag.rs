//! `diag`, `diag_part`, `set_diag` and `trace`: the main diagonals of matrices, made of vectors, taken, replaced and summed.
//! TensorFlow's `tf.linalg.diag`, `diag_part`, `set_diag` and `trace` with one diagonal; views, and the reverse of views.

use super::diagonal::{diagonal, onto_diagonal};
use super::select::try_select;
use super::reshape::expand_last;
use super::{broadcast_to_shape, public, slice_axis, sum_axes};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{AxisSet, Dim};

/// The axes of a batch of matrices, where both of a matrix go along one.
fn along(rank: usize) -> Vec<usize> {
    (0..rank).map(|axis| axis.min(rank - 2)).collect()
}

fn matrices(op: &str, x: &Tensor) -> Result<usize> {
    x.rank().checked_sub(2).ok_or_else(|| {
        Error::invalid_argument(op, "the tensor holds no matrices").got(x.ty()).expected("at least two dimensions")
    })
}

/// The main diagonals of matrices that need not be square.
#[track_caller]
fn taken(op: &str, x: &Tensor) -> Result<Tensor> {
    let rows = matrices(op, x)?;
    let size = x.shape().dim(rows).min(x.shape().dim(rows + 1));
    let square = slice_axis(&slice_axis(x, rows, Dim::ZERO, size)?, rows + 1, Dim::ZERO, size)?;
    diagonal(&square, &along(x.rank()))
}

public! {
    /// Matrices with the vectors of the last axis on their diagonals, and zeros elsewhere.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::diag(&tf::constant([1, 2])).to_vec::<i32>(), [1, 0, 0, 2]);
    /// ```
    pub fn diag, try_diag(x) -> Tensor {
        let Some(last) = x.rank().checked_sub(1) else {
            return Err(Error::invalid_argument("diag", "a number is no diagonal").got(x.ty()).expected("at least one axis"));
        };
        onto_diagonal(x, &along(x.rank() + 1), &x.shape().push(x.shape().dim(last))?).map_err(|e| e.named("diag"))
    }

    /// The main diagonals of the matrices in the last two axes, as vectors; matrices need not be square. No element is copied.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::diag_part(&tf::constant([[1, 2, 3], [4, 5, 6]])).to_vec::<i32>(), [1, 5]);
    /// ```
    pub fn diag_part, try_diag_part(x) -> Tensor {
        taken("diag_part", x).map_err(|e| e.named("diag_part"))
    }

    /// The matrices with `diagonal` in place of their main diagonals.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::set_diag(&tf::ones([2, 2]), &tf::constant([5.0, 6.0]));
    /// assert_eq!(x.to_vec::<f32>(), [5.0, 1.0, 1.0, 6.0]);
    /// ```
    pub fn set_diag, try_set_diag(x, diagonal: &Tensor) -> Tensor {
        let rows = matrices("set_diag", x)?;
        let (height, width) = (x.shape().dim(rows), x.shape().dim(rows + 1));
        let wanted = x.shape().remove(rows + 1).with(rows, height.min(width))?;
        let fits = diagonal.rank() == wanted.rank() && diagonal.shape().iter().zip(wanted.iter()).all(|(a, b)| a.can_equal(b));
        if !fits || diagonal.dtype() != x.dtype() {
            return Err(Error::invalid_argument("set_diag", "the diagonal does not fit the matrices")
                .got(format!("{} for {}", diagonal.ty(), x.ty()))
                .expected(format!("{} of shape {wanted}", x.dtype())));
        }
        let diagonal = super::ensure_shape::try_ensure_shape(diagonal, &wanted)?;
        let on_it = super::eye::try_eye([height, width], kernels::dtype::DType::Bool)?;
        // Each number of the diagonal along its row; in a wide or high matrix the rest of the rows has none to take.
        let column = expand_last(&diagonal)?;
        let filled = match (height.known_value(), width.known_value()) {
            (Some(height), Some(width)) if height <= width => broadcast_to_shape(&column, x.shape())?,
            _ => onto_rows(&column, x, rows)?,
        };
        try_select(&on_it, &filled, x).map_err(|e| e.named("set_diag"))
    }

    /// The sums of the main diagonals of the matrices in the last two axes.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::trace(&tf::constant([[1.0, 2.0], [3.0, 4.0]])).item::<f32>(), 5.0);
    /// ```
    pub fn trace, try_trace(x) -> Tensor {
        let diagonals = taken("trace", x).map_err(|e| e.named("trace"))?;
        sum_axes(&diagonals, AxisSet::of(&[diagonals.rank() - 1]), false).map_err(|e| e.named("trace"))
    }
}

/// A column of as many rows as the matrices have, the first of which are given, over the width of the matrices.
#[track_caller]
fn onto_rows(column: &Tensor, x: &Tensor, rows: usize) -> Result<Tensor> {
    let missing = x.shape().dim(rows) - column.shape().dim(rows);
    let rest = super::support::zeros_of(&crate::tensor::TensorType::new(x.dtype(), column.shape().with(rows, missing)?))?;
    broadcast_to_shape(&super::concat_all(&[column, &rest], rows)?, x.shape())
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_shapes() {
        check(&|x| tf::diag(&x[0]).square(), &[numbers(1, &[2, 3])]);
        check(&|x| tf::diag_part(&x[0]).square(), &[numbers(1, &[2, 3, 4])]);
        check(&|x| tf::trace(&x[0]).square(), &[numbers(1, &[2, 3, 3])]);
        for (whole, part) in [(&[2, 3, 3], &[2, 3]), (&[2, 4, 2], &[2, 2]), (&[2, 2, 4], &[2, 2])] {
            check(&|x| tf::set_diag(&x[0], &x[1]).square(), &[numbers(1, whole), numbers(2, part)]);
        }
        assert_eq!(tf::diag_part(&tf::ones([0, 3])).shape(), [0]);
        let high = tf::set_diag(&tf::zeros([3, 2]), &tf::ones([2]));
        assert_eq!(high.to_vec::<f32>(), [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        assert!(tf::try_diag(&tf::constant(1)).is_err() && tf::try_trace(&tf::ones([2])).is_err());
        assert!(tf::try_set_diag(&tf::ones([2, 2]), &tf::ones([3])).is_err());
    }
}
