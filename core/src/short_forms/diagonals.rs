//! Short forms of the operations on diagonals: TensorFlow's arguments by name, with TensorFlow's defaults.
//! Users call them beside the functions of the same names, which know the main diagonal alone.

use crate::linalg::{DiagonalAlign, Diagonals};
use crate::{AsTensor, IntoBand, Tensor, ToOperand};
use engine::library::try_diagonal_padding;
use kernels::error::OrFail;
use kernels::shape::IntoDim;

/// What `diag!` makes.
#[doc(hidden)]
#[track_caller]
pub fn __diag(
    diagonal: impl AsTensor,
    k: impl IntoBand,
    num_rows: impl IntoDim,
    num_cols: impl IntoDim,
    padding_value: impl ToOperand,
    align: DiagonalAlign,
) -> Tensor {
    let diagonal = diagonal.as_tensor();
    let how = Diagonals {
        num_rows: num_rows.into_size().or_fail(),
        num_cols: num_cols.into_size().or_fail(),
        padding_value: try_diagonal_padding(padding_value, diagonal.dtype()).or_fail(),
        align,
        ..Diagonals::of(k)
    };
    crate::diag_with(&*diagonal, &how)
}

/// What `diag_part!` takes.
#[doc(hidden)]
#[track_caller]
pub fn __diag_part(
    input: impl AsTensor,
    k: impl IntoBand,
    padding_value: impl ToOperand,
    align: DiagonalAlign,
) -> Tensor {
    let input = input.as_tensor();
    let padding_value = try_diagonal_padding(padding_value, input.dtype()).or_fail();
    crate::diag_part_with(&*input, &Diagonals { padding_value, align, ..Diagonals::of(k) })
}

/// What `set_diag!` changes.
#[doc(hidden)]
#[track_caller]
pub fn __set_diag(input: impl AsTensor, diagonal: &Tensor, k: impl IntoBand, align: DiagonalAlign) -> Tensor {
    crate::set_diag_with(input, diagonal, &Diagonals { align, ..Diagonals::of(k) })
}

/// Matrices with vectors on their diagonals: [`diag_with`](fn@crate::diag_with) with TensorFlow's defaults, `diag!(diagonal, k = 0, num_rows = -1, num_cols = -1, padding_value = 0, align = RightLeft)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1, 2]);
/// assert_eq!(tf::diag!(&x).to_vec::<i32>(), [1, 0, 0, 2]);
/// assert_eq!(tf::diag!(&x, k = -1, num_rows = 3, padding_value = 9).to_vec::<i32>(), [9, 9, 1, 9, 9, 2]);
/// ```
#[macro_export]
macro_rules! diag {
    ($($arguments:tt)*) => {
        $crate::__call!(diag(diagonal; k = 0, num_rows = -1, num_cols = -1, padding_value = 0, align = $crate::linalg::DiagonalAlign::RightLeft) => ($crate::__diag(diagonal, k, num_rows, num_cols, padding_value, align)) ($($arguments)*))
    };
}

/// Diagonals of matrices: [`diag_part_with`](fn@crate::diag_part_with) with TensorFlow's defaults, `diag_part!(input, k = 0, padding_value = 0, align = RightLeft)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
/// assert_eq!(tf::diag_part!(&x, k = 1).to_vec::<i32>(), [2, 6]);
/// assert_eq!(tf::diag_part!(&x, k = (1, 2), padding_value = 9).to_vec::<i32>(), [9, 3, 2, 6]);
/// ```
#[macro_export]
macro_rules! diag_part {
    ($($arguments:tt)*) => {
        $crate::__call!(diag_part(input; k = 0, padding_value = 0, align = $crate::linalg::DiagonalAlign::RightLeft) => ($crate::__diag_part(input, k, padding_value, align)) ($($arguments)*))
    };
}

/// Matrices with other diagonals: [`set_diag_with`](fn@crate::set_diag_with) with TensorFlow's defaults, `set_diag!(input, diagonal, k = 0, align = RightLeft)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::set_diag!(tf::zeros([2, 3]), &tf::constant([5.0, 6.0]), k = 1);
/// assert_eq!(x.to_vec::<f32>(), [0.0, 5.0, 0.0, 0.0, 0.0, 6.0]);
/// ```
#[macro_export]
macro_rules! set_diag {
    ($($arguments:tt)*) => {
        $crate::__call!(set_diag(input, diagonal; k = 0, align = $crate::linalg::DiagonalAlign::RightLeft) => ($crate::__set_diag(input, diagonal, k, align)) ($($arguments)*))
    };
}
