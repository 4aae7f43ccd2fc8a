//! `conv3d`: the convolution of volumes.
//! TensorFlow's `tf.nn.conv3d`, floats only; the operation below it is that of `conv2d`, with planes before the rows.

use super::convolution::convolved;
use super::sliding::{PerAxis, Sliding};
use super::window::Padding;
use super::{AsTensor, public};
use crate::tensor::Tensor;

public! {
    /// The convolution of volumes (batch, planes, rows, columns, channels) with filters (planes, rows, columns, input channels, output
    /// channels), which slide by `strides`.
    ///
    /// Floats; groups of channels are those of [`conv2d`](fn@super::functions::conv2d).
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::conv3d(tf::ones([1, 4, 4, 4, 1]), tf::ones([2, 2, 2, 1, 3]), 2, tf::Padding::Valid);
    /// assert_eq!(y.shape(), [1, 2, 2, 2, 3]);
    /// assert_eq!(y.to_vec::<f32>(), [8.0; 24]);
    /// ```
    pub fn conv3d, try_conv3d(x, filters: impl AsTensor, strides: impl Into<PerAxis>, padding: Padding) -> Tensor {
        convolved("conv3d", 3, x, &filters.as_tensor(), &Sliding::new(strides, padding))
    }

    /// [`conv3d`] with all that TensorFlow's takes: where the channels lie, and dilations.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let how = tf::Sliding::new(1, tf::Padding::Valid).data_format(tf::DataFormat::ChannelsFirst).dilations([1, 2, 2]);
    /// assert_eq!(tf::conv3d_with(tf::ones([1, 1, 3, 5, 5]), tf::ones([2, 2, 2, 1, 4]), how).shape(), [1, 4, 2, 3, 3]);
    /// ```
    pub fn conv3d_with, try_conv3d_with(x, filters: impl AsTensor, how: Sliding) -> Tensor {
        convolved("conv3d", 3, x, &filters.as_tensor(), &how)
    }
}
