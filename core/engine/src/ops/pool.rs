//! Poolings over one, two or three spatial axes: views around `max_pool2d` and `avg_pool2d`, whose gradients they have.
//! TensorFlow's `tf.nn.pool`, `max_pool`, `avg_pool` and their forms for one number of axes.
//!
//! A window is a box, so a pooling of volumes is one of their planes, and one along the planes of what that gives: the mean of means is
//! the mean, since all rows of a window have as many cells inside the volume, and the first of equal maxima is the first one's.

use super::avg_pool2d::AvgPool2d;
use super::cast::cast_to;
use super::convolution::spatial_axes;
use super::layout::{as_format, channels_last, with_axis, without_axis};
use super::max_pool2d;
use super::pad::pad_axis;
use super::pooling;
use super::slice::slice_axis;
use super::sliding::{PerAxis, Sliding};
use super::window::{Padding, Pair, Windows, check_batch};
use super::{public, reshape_to};
use crate::execute::execute1;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, Shape};

/// What becomes of the numbers of a window: TensorFlow's `pooling_type`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::reshape(&tf::constant([1.0, 5.0, 2.0, 4.0]), [1, 4, 1]);
/// let how = tf::Sliding::new(2, tf::Padding::Valid);
/// assert_eq!(tf::pool(&x, 2, tf::Pooling::Max, how).to_vec::<f32>(), [5.0, 4.0]);
/// assert_eq!(tf::pool(&x, 2, tf::Pooling::Avg, how).to_vec::<f32>(), [3.0, 3.0]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pooling {
    /// The greatest: `"MAX"`.
    Max,
    /// The mean: `"AVG"`.
    Avg,
}

/// A pooling over so many spatial axes, for the function of this name.
#[track_caller]
pub(super) fn pooled(
    op: &'static str,
    axes: usize,
    pooling: Pooling,
    x: &Tensor,
    size: PerAxis,
    how: &Sliding,
) -> Result<Tensor> {
    let windows = Windows::over(op, axes, how)?;
    let size = size.resolve(op, "the window's sizes", axes)?;
    if x.rank() != axes + 2 {
        check_batch(op, x.shape(), axes)?;
    }
    let x = channels_last(x, how.data_format)?;
    let dilated = windows.dilations.iter().any(|&n| n > 1);
    let y = match axes {
        _ if dilated => apart(op, pooling, &x, &size, windows),
        1 => one(op, pooling, &with_axis(&x, 1)?, [1, size[0]], [1, windows.strides[1]], how.padding)
            .and_then(|y| without_axis(&y, 1)),
        2 => one(op, pooling, &x, [size[0], size[1]], [windows.strides[0], windows.strides[1]], how.padding),
        _ => by_planes(op, pooling, &x, &size, &windows.strides, how.padding),
    };
    as_format(y.map_err(|e| e.named(op))?, how.data_format)
}

/// One pooling of images.
#[track_caller]
fn one(op: &str, pooling: Pooling, x: &Tensor, size: [i64; 2], strides: [i64; 2], padding: Padding) -> Result<Tensor> {
    let pool = pooling::Pool::new(op, Pair::from(size), Pair::from(strides), padding)?;
    match pooling {
        Pooling::Max => max_pool2d::pooled(x, pool),
        Pooling::Avg => execute1(&AvgPool2d { pool }, &[x]),
    }
}

/// A pooling of volumes: that of all planes as images, then that of the planes as rows of images.
#[track_caller]
fn by_planes(op: &str, pooling: Pooling, x: &Tensor, size: &[i64], strides: &[i64], padding: Padding) -> Result<Tensor> {
    // A mean of means would be rounded to 16 bits twice.
    let dtype = x.dtype();
    if pooling == Pooling::Avg && matches!(dtype, DType::F16 | DType::BF16) {
        let y = by_planes(op, pooling, &cast_to(x, DType::F32)?, size, strides, padding)?;
        return cast_to(&y, dtype);
    }
    let s = *x.shape();
    let images = reshape_to(x, &Shape::from_dims(&[s.dim(0) * s.dim(1), s.dim(2), s.dim(3), s.dim(4)])?)?;
    let y = one(op, pooling, &images, [size[1], size[2]], [strides[1], strides[2]], padding)?;
    let [rows, columns, channels] = [1, 2, 3].map(|axis| y.shape().dim(axis));
    let planes = reshape_to(&y, &Shape::from_dims(&[s.dim(0), s.dim(1), rows * columns, channels])?)?;
    let y = one(op, pooling, &planes, [size[0], 1], [strides[0], 1], padding)?;
    reshape_to(&y, &Shape::from_dims(&[s.dim(0), y.shape().dim(1), rows, columns, channels])?)
}

/// A pooling whose windows have gaps, one axis after the other: every `n`-th cell of an axis, from each of the first `n` cells on, is
/// an image of its own.
#[track_caller]
fn apart(op: &str, pooling: Pooling, x: &Tensor, size: &[i64], windows: Windows) -> Result<Tensor> {
    if windows.strides.iter().any(|&n| n > 1) {
        return Err(Error::invalid_argument(op, "strides and dilations cannot go together")
            .got(format!("strides {:?}, dilations {:?}", &windows.strides[..], &windows.dilations[..]))
            .expected("strides of 1, or dilations of 1"));
    }
    if windows.same {
        return Err(Error::invalid_argument(op, "`Padding::Same` and dilations cannot go together")
            .got(format!("dilations {:?}", &windows.dilations[..]))
            .expected("`Padding::Valid`, or dilations of 1")
            .help("`pad` the input first"));
    }
    let dtype = x.dtype();
    if pooling == Pooling::Avg && matches!(dtype, DType::F16 | DType::BF16) {
        let y = apart(op, pooling, &cast_to(x, DType::F32)?, size, windows)?;
        return cast_to(&y, dtype);
    }
    // Windows over sequences know them as images of one row.
    let before = windows.axes() - size.len();
    let mut y = x.clone();
    for (axis, &k) in size.iter().enumerate() {
        let gap = windows.dilations[axis + before] as usize;
        let (k, at) = (k as usize, axis + 1);
        let whole = y.shape().dim(at);
        windows.check_fits(op, axis + before, whole, Dim::known(k))?;
        if k == 1 {
            continue;
        }
        // As many cells as make whole rounds of the gap; what only they would give is cut off again.
        let rounds = whole.ceil_div(gap);
        y = pad_axis(&y, at, Dim::ZERO, rounds * gap - whole)?;
        let s = *y.shape();
        let around = |range: std::ops::Range<usize>| range.fold(Dim::ONE, |all, axis| all * s.dim(axis));
        let (outer, inner, channels) = (around(0..at), around(at + 1..s.rank() - 1), s.dim(s.rank() - 1));
        let images = reshape_to(&y, &Shape::from_dims(&[outer, rounds, inner * gap, channels])?)?;
        let image = one(op, pooling, &images, [k as i64, 1], [1, 1], Padding::Valid)?;
        let back = s.with(at, image.shape().dim(1) * gap)?;
        y = slice_axis(&reshape_to(&image, &back)?, at, Dim::ZERO, whole - (k - 1) * gap)?;
    }
    Ok(y)
}

public! {
    /// The mean of each window of sequences (batch, steps, channels); windows slide by `strides`.
    ///
    /// Dtypes, padding and gradients are those of [`avg_pool2d`](fn@super::functions::avg_pool2d).
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::avg_pool1d(tf::ones([1, 4, 3]), 2, 2, tf::Padding::Valid).shape(), [1, 2, 3]);
    /// ```
    pub fn avg_pool1d, try_avg_pool1d(
        x,
        ksize: impl Into<PerAxis>,
        strides: impl Into<PerAxis>,
        padding: Padding
    ) -> Tensor {
        pooled("avg_pool1d", 1, Pooling::Avg, x, ksize.into(), &Sliding::new(strides, padding))
    }

    /// [`avg_pool1d`](fn@super::functions::avg_pool1d) with all that TensorFlow's takes: where the channels lie.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let how = tf::Sliding::new(2, tf::Padding::Same);
    /// assert_eq!(tf::avg_pool1d_with(tf::ones([1, 4, 3]), 2, how).shape(), [1, 2, 3]);
    /// ```
    pub fn avg_pool1d_with, try_avg_pool1d_with(x, ksize: impl Into<PerAxis>, how: Sliding) -> Tensor {
        pooled("avg_pool1d", 1, Pooling::Avg, x, ksize.into(), &how)
    }

    /// [`avg_pool2d`](fn@super::functions::avg_pool2d) with all that TensorFlow's takes: where the channels lie.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let how = tf::Sliding::new(2, tf::Padding::Same);
    /// assert_eq!(tf::avg_pool2d_with(tf::ones([1, 4, 4, 3]), 2, how).shape(), [1, 2, 2, 3]);
    /// ```
    pub fn avg_pool2d_with, try_avg_pool2d_with(x, ksize: impl Into<PerAxis>, how: Sliding) -> Tensor {
        pooled("avg_pool2d", 2, Pooling::Avg, x, ksize.into(), &how)
    }

    /// The mean of each window of volumes (batch, planes, rows, columns, channels); windows slide by `strides`.
    ///
    /// Dtypes, padding and gradients are those of [`avg_pool2d`](fn@super::functions::avg_pool2d).
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::avg_pool3d(tf::ones([1, 4, 4, 4, 3]), 2, 2, tf::Padding::Valid).shape(), [1, 2, 2, 2, 3]);
    /// ```
    pub fn avg_pool3d, try_avg_pool3d(
        x,
        ksize: impl Into<PerAxis>,
        strides: impl Into<PerAxis>,
        padding: Padding
    ) -> Tensor {
        pooled("avg_pool3d", 3, Pooling::Avg, x, ksize.into(), &Sliding::new(strides, padding))
    }

    /// [`avg_pool3d`](fn@super::functions::avg_pool3d) with all that TensorFlow's takes: where the channels lie.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let how = tf::Sliding::new(2, tf::Padding::Same);
    /// assert_eq!(tf::avg_pool3d_with(tf::ones([1, 4, 4, 4, 3]), 2, how).shape(), [1, 2, 2, 2, 3]);
    /// ```
    pub fn avg_pool3d_with, try_avg_pool3d_with(x, ksize: impl Into<PerAxis>, how: Sliding) -> Tensor {
        pooled("avg_pool3d", 3, Pooling::Avg, x, ksize.into(), &how)
    }

    /// The mean of each window over one, two or three spatial axes, as many as the input has. TensorFlow's `tf.nn.avg_pool`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let how = tf::Sliding::new(2, tf::Padding::Valid);
    /// assert_eq!(tf::avg_pool(tf::ones([1, 4, 3]), 2, how).shape(), [1, 2, 3]);
    /// ```
    pub fn avg_pool, try_avg_pool(x, ksize: impl Into<PerAxis>, how: Sliding) -> Tensor {
        pooled("avg_pool", spatial_axes("avg_pool", x.rank())?, Pooling::Avg, x, ksize.into(), &how)
    }

    /// The greatest number of each window of sequences (batch, steps, channels); windows slide by `strides`.
    ///
    /// Dtypes, padding and gradients are those of [`max_pool2d`](fn@super::functions::max_pool2d).
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::max_pool1d(tf::ones([1, 4, 3]), 2, 2, tf::Padding::Valid).shape(), [1, 2, 3]);
    /// ```
    pub fn max_pool1d, try_max_pool1d(
        x,
        ksize: impl Into<PerAxis>,
        strides: impl Into<PerAxis>,
        padding: Padding
    ) -> Tensor {
        pooled("max_pool1d", 1, Pooling::Max, x, ksize.into(), &Sliding::new(strides, padding))
    }

    /// [`max_pool1d`](fn@super::functions::max_pool1d) with all that TensorFlow's takes: where the channels lie.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let how = tf::Sliding::new(2, tf::Padding::Same);
    /// assert_eq!(tf::max_pool1d_with(tf::ones([1, 4, 3]), 2, how).shape(), [1, 2, 3]);
    /// ```
    pub fn max_pool1d_with, try_max_pool1d_with(x, ksize: impl Into<PerAxis>, how: Sliding) -> Tensor {
        pooled("max_pool1d", 1, Pooling::Max, x, ksize.into(), &how)
    }

    /// [`max_pool2d`](fn@super::functions::max_pool2d) with all that TensorFlow's takes: where the channels lie.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let how = tf::Sliding::new(2, tf::Padding::Same);
    /// assert_eq!(tf::max_pool2d_with(tf::ones([1, 4, 4, 3]), 2, how).shape(), [1, 2, 2, 3]);
    /// ```
    pub fn max_pool2d_with, try_max_pool2d_with(x, ksize: impl Into<PerAxis>, how: Sliding) -> Tensor {
        pooled("max_pool2d", 2, Pooling::Max, x, ksize.into(), &how)
    }

    /// The greatest number of each window of volumes (batch, planes, rows, columns, channels); windows slide by `strides`.
    ///
    /// Dtypes, padding and gradients are those of [`max_pool2d`](fn@super::functions::max_pool2d).
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::max_pool3d(tf::ones([1, 4, 4, 4, 3]), 2, 2, tf::Padding::Valid).shape(), [1, 2, 2, 2, 3]);
    /// ```
    pub fn max_pool3d, try_max_pool3d(
        x,
        ksize: impl Into<PerAxis>,
        strides: impl Into<PerAxis>,
        padding: Padding
    ) -> Tensor {
        pooled("max_pool3d", 3, Pooling::Max, x, ksize.into(), &Sliding::new(strides, padding))
    }

    /// [`max_pool3d`](fn@super::functions::max_pool3d) with all that TensorFlow's takes: where the channels lie.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let how = tf::Sliding::new(2, tf::Padding::Same);
    /// assert_eq!(tf::max_pool3d_with(tf::ones([1, 4, 4, 4, 3]), 2, how).shape(), [1, 2, 2, 2, 3]);
    /// ```
    pub fn max_pool3d_with, try_max_pool3d_with(x, ksize: impl Into<PerAxis>, how: Sliding) -> Tensor {
        pooled("max_pool3d", 3, Pooling::Max, x, ksize.into(), &how)
    }

    /// The greatest number of each window over one, two or three spatial axes, as many as the input has. TensorFlow's `tf.nn.max_pool`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let how = tf::Sliding::new(2, tf::Padding::Valid);
    /// assert_eq!(tf::max_pool(tf::ones([1, 4, 3]), 2, how).shape(), [1, 2, 3]);
    /// ```
    pub fn max_pool, try_max_pool(x, ksize: impl Into<PerAxis>, how: Sliding) -> Tensor {
        pooled("max_pool", spatial_axes("max_pool", x.rank())?, Pooling::Max, x, ksize.into(), &how)
    }

    /// A pooling over one, two or three spatial axes, as many as the input has. TensorFlow's `tf.nn.pool`.
    ///
    /// Windows with dilations have gaps; as in TensorFlow they slide by 1, and nothing is padded.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::constant([1.0, 5.0, 2.0, 4.0]), [1, 4, 1]);
    /// let how = tf::Sliding::new(1, tf::Padding::Valid).dilations(2);
    /// assert_eq!(tf::pool(&x, 2, tf::Pooling::Max, how).to_vec::<f32>(), [2.0, 5.0]);
    /// ```
    pub fn pool, try_pool(x, window_shape: impl Into<PerAxis>, pooling_type: Pooling, how: Sliding) -> Tensor {
        pooled("pool", spatial_axes("pool", x.rank())?, pooling_type, x, window_shape.into(), &how)
    }
}
