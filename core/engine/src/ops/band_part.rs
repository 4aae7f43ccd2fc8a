//! `band_part`, `tril` and `triu`: matrices with zeros outside of a band about the diagonal; dx is the band of dy.
//! TensorFlow's `tf.linalg.band_part`, and NumPy's `tril` and `triu`; any dtype, and any batch of matrices.

use super::reduce_mean::size_of;
use super::select::try_select;
use super::support::zeros_of;
use super::{functions, public, reshape_to};
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, Shape};

/// The numbers of the places along an axis, `int32`.
#[track_caller]
pub(crate) fn places(shape: &Shape, axis: usize) -> Result<Tensor> {
    match shape.dim(axis).known_value().and_then(|size| i32::try_from(size).ok()) {
        // A plain number stays on the host, where the length of the range is worked out.
        Some(size) => functions::try_range(0, size, 1),
        None => functions::try_range(0, &size_of(shape, axis)?, 1),
    }
}

/// Column less row at each place of the matrices, `[rows, columns]`.
#[track_caller]
fn above_diagonal(op: &str, x: &Tensor) -> Result<Tensor> {
    let Some(axis) = x.rank().checked_sub(2) else {
        return Err(Error::invalid_argument(op, "the tensor holds no matrices")
            .got(x.ty())
            .expected("at least two dimensions"));
    };
    let rows = places(x.shape(), axis)?;
    let rows = reshape_to(&rows, &rows.shape().push(Dim::ONE)?)?;
    functions::try_subtract(&places(x.shape(), axis + 1)?, &rows)
}

/// The matrices with zeros where column less row is below `low` or above `high`.
#[track_caller]
fn banded(op: &str, x: &Tensor, low: Option<i64>, high: Option<i64>) -> Result<Tensor> {
    let above = above_diagonal(op, x)?;
    // No matrix is so large that a bound beyond it made a difference.
    let bound = |bound: i64| bound.clamp(i64::from(-i32::MAX), i64::from(i32::MAX)) as i32;
    let mut kept = None;
    if let Some(low) = low {
        kept = Some(functions::try_greater_equal(&above, bound(low))?);
    }
    if let Some(high) = high {
        let below = functions::try_less_equal(&above, bound(high))?;
        kept = Some(match kept {
            Some(kept) => functions::try_logical_and(&kept, &below)?,
            None => below,
        });
    }
    match kept {
        Some(kept) => try_select(&kept, x, &zeros_of(&TensorType::new(x.dtype(), Shape::SCALAR))?),
        None => Ok(x.clone()),
    }
}

public! {
    /// The matrices with zeros outside of a band: `num_lower` diagonals below the main one and `num_upper` above it are kept, all
    /// for a negative number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::ones([3, 3]);
    /// assert_eq!(tf::band_part(&x, 1, 0).to_vec::<f32>(), [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
    /// ```
    pub fn band_part, try_band_part(x, num_lower: i64, num_upper: i64) -> Tensor {
        let (low, high) = ((num_lower >= 0).then(|| -num_lower), (num_upper >= 0).then_some(num_upper));
        banded("band_part", x, low, high).map_err(|e| e.named("band_part"))
    }

    /// The matrices with zeros above the `diagonal`-th diagonal, counted upwards from the main one: NumPy's `tril`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::tril(&tf::ones([2, 2]), 0).to_vec::<f32>(), [1.0, 0.0, 1.0, 1.0]);
    /// ```
    pub fn tril, try_tril(x, diagonal: i64) -> Tensor {
        banded("tril", x, None, Some(diagonal)).map_err(|e| e.named("tril"))
    }

    /// The matrices with zeros below the `diagonal`-th diagonal, counted upwards from the main one: NumPy's `triu`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::triu(&tf::ones([2, 2]), 1).to_vec::<f32>(), [0.0, 1.0, 0.0, 0.0]);
    /// ```
    pub fn triu, try_triu(x, diagonal: i64) -> Tensor {
        banded("triu", x, Some(diagonal), None).map_err(|e| e.named("triu"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn bands_are_those_of_a_plain_loop() {
        let x = tf::range(1, 13, 1).reshape([3, 4]);
        let kept = |keep: &dyn Fn(i64) -> bool| -> Vec<i32> {
            (0..12_i64).map(|at| if keep(at % 4 - at / 4) { at as i32 + 1 } else { 0 }).collect()
        };
        for lower in -1..4 {
            for upper in [-1, 0, 2, i64::MAX] {
                let keep = |d: i64| (lower < 0 || -d <= lower) && (upper < 0 || d <= upper);
                assert_eq!(tf::band_part(&x, lower, upper).to_vec::<i32>(), kept(&keep));
            }
        }
        for diagonal in -4..5 {
            assert_eq!(tf::tril(&x, diagonal).to_vec::<i32>(), kept(&|d| d <= diagonal));
            assert_eq!(tf::triu(&x, diagonal).to_vec::<i32>(), kept(&|d| d >= diagonal));
        }
        check(&|x| tf::tril(&x[0], 0).square(), &[numbers(1, &[2, 3, 3])]);
        assert!(tf::try_tril(&tf::ones([3]), 0).unwrap_err().to_string().contains("tril"));
        assert_eq!(tf::triu(&tf::fill([2, 2], true), 1).to_vec::<bool>(), [false, true, false, false]);
    }
}
