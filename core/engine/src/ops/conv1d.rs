//! `conv1d`: the convolution of sequences, as that of images of one row.
//! TensorFlow's `tf.nn.conv1d`; views around `conv2d`, whose gradients it has.

use super::convolution::convolved;
use super::sliding::{PerAxis, Sliding};
use super::window::Padding;
use super::{AsTensor, public};
use crate::tensor::Tensor;

public! {
    /// The convolution of sequences (batch, steps, channels) with filters (steps, input channels, output channels), which slide by
    /// `strides`.
    ///
    /// Dtypes and groups are those of [`conv2d`](fn@super::functions::conv2d). Several dimensions before the steps are one batch.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::constant([1.0, 2.0, 3.0, 4.0]), [1, 4, 1]);
    /// let y = tf::conv1d(&x, tf::ones([2, 1, 1]), 1, tf::Padding::Valid);
    /// assert_eq!(y.to_vec::<f32>(), [3.0, 5.0, 7.0]);
    /// ```
    pub fn conv1d, try_conv1d(x, filters: impl AsTensor, strides: impl Into<PerAxis>, padding: Padding) -> Tensor {
        convolved("conv1d", 1, x, &filters.as_tensor(), &Sliding::new(strides, padding))
    }

    /// [`conv1d`] with all that TensorFlow's takes: where the channels lie, and dilations.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let how = tf::Sliding::new(1, tf::Padding::Same).data_format(tf::DataFormat::ChannelsFirst).dilations(2);
    /// assert_eq!(tf::conv1d_with(tf::ones([1, 3, 8]), tf::ones([3, 3, 4]), how).shape(), [1, 4, 8]);
    /// ```
    pub fn conv1d_with, try_conv1d_with(x, filters: impl AsTensor, how: Sliding) -> Tensor {
        convolved("conv1d", 1, x, &filters.as_tensor(), &how)
    }
}
