//! Short forms: the operations as macros that take TensorFlow's arguments by name, with TensorFlow's defaults.
//! Users call them beside the functions of the same names, which take all arguments.

mod control;
mod diagonals;
mod nn;
mod random;
mod reductions;
mod signal;
mod sorting;
mod spaces;
mod strings;
mod windows;

#[doc(hidden)]
pub use diagonals::{__diag, __diag_part, __set_diag};
#[doc(hidden)]
pub use signal::{__frame, __mdct, __stft};

use crate::{Attention, Axes, Bincount, Cumulative, DType, IntoAxes, Tensor, keep_dims};
use kernels::error::OrFail;
use kernels::shape::IntoDim;

/// The axes of a reduction, kept in the result or not: what `keepdims` asks for.
#[doc(hidden)]
pub fn __axes(axes: impl IntoAxes, keep: bool) -> Axes {
    if keep { keep_dims(axes) } else { axes.into_axes() }
}

/// What of each sum or product is left out, and from where they run.
#[doc(hidden)]
pub fn __cumulative(exclusive: bool, reverse: bool) -> Cumulative {
    Cumulative { exclusive, reverse }
}

/// What attention is asked for; mask and scale may be given plainly or as options.
#[doc(hidden)]
pub fn __attention(
    mask: impl Into<Option<Tensor>>,
    dropout: f64,
    causal: bool,
    scale: impl Into<Option<f64>>,
    grouped: bool,
) -> Attention {
    Attention { mask: mask.into(), causal, dropout, seed: None, scale: scale.into(), grouped }
}

/// Weights that may be left out.
#[doc(hidden)]
pub fn __weights<'a>(weights: impl Into<Option<&'a Tensor>>) -> Option<&'a Tensor> {
    weights.into()
}

/// How numbers are counted; a bound of -1 is none.
#[doc(hidden)]
#[track_caller]
pub fn __bincount<'a>(
    weights: impl Into<Option<&'a Tensor>>,
    minlength: impl IntoDim,
    maxlength: impl IntoDim,
    dtype: DType,
    axis: isize,
    binary_output: bool,
) -> Bincount {
    Bincount {
        weights: weights.into().cloned(),
        minlength: minlength.into_size().or_fail(),
        maxlength: maxlength.into_size().or_fail(),
        dtype,
        axis,
        binary_output,
    }
}

/// Slices by their numbers: [`gather`](fn@crate::gather) with TensorFlow's defaults, `gather!(params, indices, axis = 0, batch_dims = 0)`.
/// With `batch_dims` the axis is said, too.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::gather!(&x, tf::constant([1])).shape(), [1, 3]);
/// assert_eq!(tf::gather!(&x, tf::constant([2, 0]), axis = 1, batch_dims = 1).to_vec::<f32>(), [3.0, 4.0]);
/// ```
#[macro_export]
macro_rules! gather {
    ($($arguments:tt)*) => {
        $crate::__call!(gather(params, indices; axis = 0, batch_dims = 0) => ($crate::gather_batched(params, indices, axis, batch_dims)) ($($arguments)*))
    };
}

/// The product of matrices: [`matmul`](fn@crate::matmul) with TensorFlow's defaults, `matmul!(a, b, transpose_a = false, transpose_b = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::matmul!(&x, &x, transpose_b = true).shape(), [2, 2]);
/// ```
#[macro_export]
macro_rules! matmul {
    ($($arguments:tt)*) => {
        $crate::__call!(matmul(a, b; transpose_a = false, transpose_b = false) => ($crate::matmul_transposed(a, transpose_a, b, transpose_b)) ($($arguments)*))
    };
}

/// Ones at indices: [`one_hot`](fn@crate::one_hot) with TensorFlow's defaults, `one_hot!(indices, depth, on_value = 1.0, off_value = 0.0, axis = -1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::one_hot!(tf::constant([1, 0]), 2).to_vec::<f32>(), [0.0, 1.0, 1.0, 0.0]);
/// ```
#[macro_export]
macro_rules! one_hot {
    ($($arguments:tt)*) => {
        $crate::__call!(one_hot(indices, depth; on_value = 1.0, off_value = 0.0, axis = -1) => ($crate::one_hot_with(indices, depth, on_value, off_value, axis)) ($($arguments)*))
    };
}

/// The numbers before a limit: [`range`](fn@crate::range) with TensorFlow's defaults, `range!(limit)`, `range!(start, limit)` or
/// `range!(start, limit, delta)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::range!(3).to_vec::<i32>(), [0, 1, 2]);
/// assert_eq!(tf::range!(1.0, 3.0).to_vec::<f32>(), [1.0, 2.0]);
/// assert_eq!(tf::range!(5, 0, -2).to_vec::<i32>(), [5, 3, 1]);
/// ```
#[macro_export]
macro_rules! range {
    ($limit:expr $(,)?) => {
        $crate::range(0, $limit, 1)
    };
    ($start:expr, $limit:expr $(,)?) => {
        $crate::range($start, $limit, 1)
    };
    ($start:expr, $limit:expr, $delta:expr $(,)?) => {
        $crate::range($start, $limit, $delta)
    };
}

/// Slices along an axis, each several times; without an axis the elements in a row: [`repeat`](fn@crate::repeat) with TensorFlow's defaults, `repeat!(x, repeats, axis = ())`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1, 2], [3, 4]]);
/// assert_eq!(tf::repeat!(&x, 2).to_vec::<i32>(), [1, 1, 2, 2, 3, 3, 4, 4]);
/// assert_eq!(tf::repeat!(&x, 2, axis = 0).shape(), [4, 2]);
/// ```
#[macro_export]
macro_rules! repeat {
    ($($arguments:tt)*) => {
        $crate::__call!(repeat(x, repeats; axis = ()) => ($crate::repeat(x, repeats, axis)) ($($arguments)*))
    };
}

/// Parts of a tensor: [`split`](fn@crate::split) with TensorFlow's defaults, `split!(value, num_or_size_splits, axis = 0)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::split!(&x, 2)[0].shape(), [1, 3]);
/// ```
#[macro_export]
macro_rules! split {
    ($($arguments:tt)*) => {
        $crate::__call!(split(value, num_or_size_splits; axis = 0) => ($crate::split(value, num_or_size_splits, axis)) ($($arguments)*))
    };
}

/// The tensor without dimensions of size 1: [`squeeze`](fn@crate::squeeze) with TensorFlow's defaults, `squeeze!(x, axis = ())`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::squeeze!(tf::ones([1, 3, 1])).shape(), [3]);
/// ```
#[macro_export]
macro_rules! squeeze {
    ($($arguments:tt)*) => {
        $crate::__call!(squeeze(x; axis = ()) => ($crate::squeeze(x, axis)) ($($arguments)*))
    };
}

/// Tensors side by side along a new axis: [`stack`](fn@crate::stack) with TensorFlow's defaults, `stack!(values, axis = 0)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::stack!(&[&x, &x]).shape(), [2, 2, 3]);
/// ```
#[macro_export]
macro_rules! stack {
    ($($arguments:tt)*) => {
        $crate::__call!(stack(values; axis = 0) => ($crate::stack(values, axis)) ($($arguments)*))
    };
}

/// The tensor with its axes in reverse, or in the order that is told: [`transpose`](fn@crate::transpose) with TensorFlow's defaults, `transpose!(x, perm = [])`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::transpose!(&x).shape(), [3, 2]);
/// ```
#[macro_export]
macro_rules! transpose {
    ($($arguments:tt)*) => {
        $crate::__call!(transpose(x; perm = []) => ($crate::transpose(x, perm)) ($($arguments)*))
    };
}

/// The slices along an axis: [`unstack`](fn@crate::unstack) with TensorFlow's defaults, `unstack!(value, axis = 0)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::unstack!(&x, axis = 1).len(), 3);
/// ```
#[macro_export]
macro_rules! unstack {
    ($($arguments:tt)*) => {
        $crate::__call!(unstack(value; axis = 0) => ($crate::unstack(value, axis)) ($($arguments)*))
    };
}
