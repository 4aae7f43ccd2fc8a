//! `depthwise_conv2d`: each channel of images with filters of its own; `separable_conv2d` mixes the channels behind it.
//! TensorFlow's `tf.nn.depthwise_conv2d` and `tf.nn.separable_conv2d`; a convolution in as many groups as there are channels, for
//! which the operation of `conv2d` has kernels of their own.

use super::conv2d::convolve;
use super::layout::{as_format, channels_last};
use super::sliding::{PerAxis, Sliding};
use super::window::{Padding, Windows, check_images};
use super::{AsTensor, pinned_size, public, reshape_to};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, Shape};

/// The convolution of images with their channels last.
#[track_caller]
fn depthwise(op: &'static str, x: &Tensor, filter: &Tensor, how: &Sliding) -> Result<Tensor> {
    let windows = Windows::over(op, 2, how)?;
    check_images(op, x.shape())?;
    let w = filter.shape();
    if w.rank() != 4 || !w.dim(2).can_equal(x.shape().dim(3)) {
        return Err(Error::invalid_argument(op, "the filter does not fit the channels of the images")
            .got(format!("images {}, filter {w}", x.shape()))
            .expected("a filter of four dimensions: rows, columns, the channels of the images, filters of each"));
    }
    let channels = match x.shape().dim(3).known_value().or(w.dim(2).known_value()) {
        Some(channels) => channels,
        None => pinned_size(op, x.shape(), 3)?,
    };
    if channels == 0 {
        return Err(Error::invalid_argument(op, "the images have no channels").got(x.shape()).expected("at least one"));
    }
    let sizes = [w.dim(0), w.dim(1), Dim::ONE, w.dim(3) * channels];
    let filters = reshape_to(filter, &Shape::from_dims(&sizes)?)?;
    convolve(x, &filters, windows, Some(channels)).map_err(|e| e.named(op))
}

#[track_caller]
fn separable(x: &Tensor, depthwise_filter: &Tensor, pointwise_filter: &Tensor, how: &Sliding) -> Result<Tensor> {
    let op = "separable_conv2d";
    let of = pointwise_filter.shape();
    if of.rank() != 4 || ![of.dim(0), of.dim(1)].iter().all(|dim| dim.can_equal(Dim::ONE)) {
        return Err(Error::invalid_argument(op, "the pointwise filter is none of single pixels")
            .got(of)
            .expected("four dimensions: 1, 1, the channels of the depthwise convolution, output channels"));
    }
    let each = depthwise(op, &channels_last(x, how.data_format)?, depthwise_filter, how)?;
    let (channels, wanted) = (each.shape().dim(3), of.dim(2));
    if !channels.can_equal(wanted) {
        return Err(Error::invalid_argument(op, "the pointwise filter does not fit the channels of the depthwise convolution")
            .got(format!("{wanted} input channels"))
            .expected(format!("{channels}")));
    }
    let pixels = Windows::over(op, 2, &Sliding::new(1, Padding::Valid))?;
    let y = convolve(&each, pointwise_filter, pixels, Some(1)).map_err(|e| e.named(op))?;
    as_format(y, how.data_format)
}

public! {
    /// The convolution of each channel of images (batch, rows, columns, channels) with filters of its own: `filter` is (rows, columns,
    /// channels, filters of each), and channel `c` of the input makes the channels from `c` times the last number on.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::depthwise_conv2d(tf::ones([1, 4, 4, 3]), tf::ones([2, 2, 3, 2]), 1, tf::Padding::Valid);
    /// assert_eq!(y.shape(), [1, 3, 3, 6]);
    /// assert_eq!(y.to_vec::<f32>(), [4.0; 54]);
    /// ```
    pub fn depthwise_conv2d, try_depthwise_conv2d(
        x,
        filter: impl AsTensor,
        strides: impl Into<PerAxis>,
        padding: Padding
    ) -> Tensor {
        depthwise("depthwise_conv2d", x, &filter.as_tensor(), &Sliding::new(strides, padding))
    }

    /// [`depthwise_conv2d`] with all that TensorFlow's takes: where the channels lie, and dilations, also together with strides.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let how = tf::Sliding::new(1, tf::Padding::Valid).data_format(tf::DataFormat::ChannelsFirst).dilations(2);
    /// assert_eq!(tf::depthwise_conv2d_with(tf::ones([1, 3, 5, 5]), tf::ones([2, 2, 3, 1]), how).shape(), [1, 3, 3, 3]);
    /// ```
    pub fn depthwise_conv2d_with, try_depthwise_conv2d_with(x, filter: impl AsTensor, how: Sliding) -> Tensor {
        let y = depthwise("depthwise_conv2d", &channels_last(x, how.data_format)?, &filter.as_tensor(), &how)?;
        as_format(y, how.data_format)
    }

    /// A [`depthwise_conv2d`], and a convolution of single pixels that mixes its channels: `pointwise_filter` is (1, 1, channels of the
    /// first, output channels).
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (depthwise, pointwise) = (tf::ones([2, 2, 3, 1]), tf::ones([1, 1, 3, 5]));
    /// let y = tf::separable_conv2d(tf::ones([1, 4, 4, 3]), &depthwise, &pointwise, 1, tf::Padding::Same);
    /// assert_eq!(y.shape(), [1, 4, 4, 5]);
    /// ```
    pub fn separable_conv2d, try_separable_conv2d(
        x,
        depthwise_filter: impl AsTensor,
        pointwise_filter: impl AsTensor,
        strides: impl Into<PerAxis>,
        padding: Padding
    ) -> Tensor {
        separable(x, &depthwise_filter.as_tensor(), &pointwise_filter.as_tensor(), &Sliding::new(strides, padding))
    }

    /// [`separable_conv2d`] with all that TensorFlow's takes: where the channels lie, and dilations of the depthwise filter.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (depthwise, pointwise) = (tf::ones([2, 2, 3, 1]), tf::ones([1, 1, 3, 5]));
    /// let how = tf::Sliding::new(1, tf::Padding::Valid).dilations(2);
    /// assert_eq!(tf::separable_conv2d_with(tf::ones([1, 4, 4, 3]), &depthwise, &pointwise, how).shape(), [1, 2, 2, 5]);
    /// ```
    pub fn separable_conv2d_with, try_separable_conv2d_with(
        x,
        depthwise_filter: impl AsTensor,
        pointwise_filter: impl AsTensor,
        how: Sliding
    ) -> Tensor {
        separable(x, &depthwise_filter.as_tensor(), &pointwise_filter.as_tensor(), &how)
    }
}
