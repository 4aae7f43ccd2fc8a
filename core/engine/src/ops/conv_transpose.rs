//! Transposed convolutions: what a convolution to the input owes to its own input, which has `output_shape`.
//! TensorFlow's `tf.nn.conv1d_transpose` to `conv3d_transpose`, `conv_transpose` and `atrous_conv2d_transpose`; floats only. Below
//! them is the gradient of `conv2d` and `conv3d` by images, whose gradients are convolutions.

use super::conv2d::transposed;
use super::convolution::spatial_axes;
use super::layout::{as_format, channels_last, sizes_last, with_axis, without_axis};
use super::sliding::{PerAxis, Sliding};
use super::window::{Padding, Pair, Windows};
use super::{AsTensor, public};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{IntoShape, Shape};

/// A transposed convolution over so many spatial axes, for the function of this name.
#[track_caller]
fn over(op: &'static str, axes: usize, x: &Tensor, w: &Tensor, output: Result<Shape>, how: &Sliding) -> Result<Tensor> {
    let output = output.map_err(|e| e.in_op(op))?;
    let windows = Windows::over(op, axes, how)?;
    if [x.rank(), w.rank(), output.rank()] != [axes + 2; 3] {
        return Err(Error::invalid_argument(op, "input, filters and output shape have not as many dimensions as there are axes")
            .got(format!("an input of {}, filters of {}, an output shape {output}", x.shape(), w.shape()))
            .expected(format!("{} dimensions each: {axes} spatial ones and two of batch or channels", axes + 2)));
    }
    let mut shape = sizes_last(&output, how.data_format)?;
    let mut input = channels_last(x, how.data_format)?;
    let mut filters = w.clone();
    if axes == 1 {
        (input, filters) = (with_axis(&input, 1)?, with_axis(w, 0)?);
        shape = shape.insert(1, 1)?;
    }
    let y = transposed(op, windows, &filters, &input, &shape).map_err(|e| e.named(op))?;
    as_format(if axes == 1 { without_axis(&y, 1)? } else { y }, how.data_format)
}

public! {
    /// The transposed convolution of sequences (batch, steps, channels) with filters (steps, output channels, input channels):
    /// what [`conv1d`](fn@super::functions::conv1d) of a batch of `output_shape` to this input owes to that batch.
    ///
    /// `output_shape` has batch and channels as well, and must be one that the convolution makes the input's sizes of: with strides
    /// there are several.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, w) = (tf::ones([1, 4, 3]), tf::ones([3, 2, 3]));
    /// assert_eq!(tf::conv1d_transpose(&x, &w, [1, 8, 2], 2, tf::Padding::Same).shape(), [1, 8, 2]);
    /// ```
    pub fn conv1d_transpose, try_conv1d_transpose(
        x,
        filters: impl AsTensor,
        output_shape: impl IntoShape,
        strides: impl Into<PerAxis>,
        padding: Padding
    ) -> Tensor {
        let how = Sliding::new(strides, padding);
        over("conv1d_transpose", 1, x, &filters.as_tensor(), output_shape.into_shape(), &how)
    }

    /// [`conv1d_transpose`] with all that TensorFlow's takes: where the channels lie, and dilations.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, w) = (tf::ones([1, 4, 3]), tf::ones([3, 2, 3]));
    /// let how = tf::Sliding::new(2, tf::Padding::Same);
    /// assert_eq!(tf::conv1d_transpose_with(&x, &w, [1, 8, 2], how).shape(), [1, 8, 2]);
    /// ```
    pub fn conv1d_transpose_with, try_conv1d_transpose_with(
        x,
        filters: impl AsTensor,
        output_shape: impl IntoShape,
        how: Sliding
    ) -> Tensor {
        over("conv1d_transpose", 1, x, &filters.as_tensor(), output_shape.into_shape(), &how)
    }

    /// The transposed convolution of images (batch, rows, columns, channels) with filters (rows, columns, output channels, input channels):
    /// what [`conv2d`](fn@super::functions::conv2d) of a batch of `output_shape` to this input owes to that batch.
    ///
    /// `output_shape` has batch and channels as well, and must be one that the convolution makes the input's sizes of: with strides
    /// there are several.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, w) = (tf::ones([1, 4, 4, 3]), tf::ones([3, 3, 2, 3]));
    /// assert_eq!(tf::conv2d_transpose(&x, &w, [1, 8, 8, 2], 2, tf::Padding::Same).shape(), [1, 8, 8, 2]);
    /// ```
    pub fn conv2d_transpose, try_conv2d_transpose(
        x,
        filters: impl AsTensor,
        output_shape: impl IntoShape,
        strides: impl Into<PerAxis>,
        padding: Padding
    ) -> Tensor {
        let how = Sliding::new(strides, padding);
        over("conv2d_transpose", 2, x, &filters.as_tensor(), output_shape.into_shape(), &how)
    }

    /// [`conv2d_transpose`] with all that TensorFlow's takes: where the channels lie, and dilations.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, w) = (tf::ones([1, 4, 4, 3]), tf::ones([3, 3, 2, 3]));
    /// let how = tf::Sliding::new(2, tf::Padding::Same);
    /// assert_eq!(tf::conv2d_transpose_with(&x, &w, [1, 8, 8, 2], how).shape(), [1, 8, 8, 2]);
    /// ```
    pub fn conv2d_transpose_with, try_conv2d_transpose_with(
        x,
        filters: impl AsTensor,
        output_shape: impl IntoShape,
        how: Sliding
    ) -> Tensor {
        over("conv2d_transpose", 2, x, &filters.as_tensor(), output_shape.into_shape(), &how)
    }

    /// The transposed convolution of volumes (batch, planes, rows, columns, channels) with filters (planes, rows, columns, output channels, input channels):
    /// what [`conv3d`](fn@super::functions::conv3d) of a batch of `output_shape` to this input owes to that batch.
    ///
    /// `output_shape` has batch and channels as well, and must be one that the convolution makes the input's sizes of: with strides
    /// there are several.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, w) = (tf::ones([1, 2, 2, 2, 3]), tf::ones([3, 3, 3, 2, 3]));
    /// assert_eq!(tf::conv3d_transpose(&x, &w, [1, 4, 4, 4, 2], 2, tf::Padding::Same).shape(), [1, 4, 4, 4, 2]);
    /// ```
    pub fn conv3d_transpose, try_conv3d_transpose(
        x,
        filters: impl AsTensor,
        output_shape: impl IntoShape,
        strides: impl Into<PerAxis>,
        padding: Padding
    ) -> Tensor {
        let how = Sliding::new(strides, padding);
        over("conv3d_transpose", 3, x, &filters.as_tensor(), output_shape.into_shape(), &how)
    }

    /// [`conv3d_transpose`] with all that TensorFlow's takes: where the channels lie, and dilations.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, w) = (tf::ones([1, 2, 2, 2, 3]), tf::ones([3, 3, 3, 2, 3]));
    /// let how = tf::Sliding::new(2, tf::Padding::Same);
    /// assert_eq!(tf::conv3d_transpose_with(&x, &w, [1, 4, 4, 4, 2], how).shape(), [1, 4, 4, 4, 2]);
    /// ```
    pub fn conv3d_transpose_with, try_conv3d_transpose_with(
        x,
        filters: impl AsTensor,
        output_shape: impl IntoShape,
        how: Sliding
    ) -> Tensor {
        over("conv3d_transpose", 3, x, &filters.as_tensor(), output_shape.into_shape(), &how)
    }

    /// The transposed convolution over one, two or three spatial axes, as many as the filters have. TensorFlow's `tf.nn.conv_transpose`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, w) = (tf::ones([1, 4, 3]), tf::ones([3, 2, 3]));
    /// let how = tf::Sliding::new(2, tf::Padding::Same);
    /// assert_eq!(tf::conv_transpose(&x, &w, [1, 7, 2], how).shape(), [1, 7, 2]);
    /// ```
    pub fn conv_transpose, try_conv_transpose(
        x,
        filters: impl AsTensor,
        output_shape: impl IntoShape,
        how: Sliding
    ) -> Tensor {
        let filters = filters.as_tensor();
        let axes = spatial_axes("conv_transpose", filters.rank())?;
        over("conv_transpose", axes, x, &filters, output_shape.into_shape(), &how)
    }

    /// The transposed convolution with filters that write every `rate`-th row and column. TensorFlow's
    /// `tf.nn.atrous_conv2d_transpose`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (x, w) = (tf::ones([1, 4, 4, 3]), tf::ones([2, 2, 2, 3]));
    /// assert_eq!(tf::atrous_conv2d_transpose(&x, &w, [1, 6, 6, 2], 2, tf::Padding::Valid).shape(), [1, 6, 6, 2]);
    /// ```
    pub fn atrous_conv2d_transpose, try_atrous_conv2d_transpose(
        x,
        filters: impl AsTensor,
        output_shape: impl IntoShape,
        rate: impl Into<Pair>,
        padding: Padding
    ) -> Tensor {
        let how = Sliding::new(1, padding).dilations(rate.into());
        over("atrous_conv2d_transpose", 2, x, &filters.as_tensor(), output_shape.into_shape(), &how)
    }
}
