//! Short forms of convolutions and poolings: TensorFlow's arguments by name, with TensorFlow's defaults.
//! Users call them beside the functions of the same names; `short_forms` has those of all other operations.

/// The mean of each window: [`avg_pool`](fn@crate::avg_pool) with TensorFlow's defaults, `avg_pool!(value, ksize, strides, padding, data_format = ChannelsLast)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::avg_pool!(tf::ones([1, 4, 4, 3]), 2, 2, tf::Padding::Valid).shape(), [1, 2, 2, 3]);
/// ```
#[macro_export]
macro_rules! avg_pool {
    ($($arguments:tt)*) => {
        $crate::__call!(avg_pool(value, ksize, strides, padding; data_format = $crate::DataFormat::ChannelsLast) => ($crate::avg_pool(value, ksize, $crate::Sliding::new(strides, padding).data_format(data_format))) ($($arguments)*))
    };
}

/// The mean of each window of sequences: [`avg_pool1d`](fn@crate::avg_pool1d) with TensorFlow's defaults, `avg_pool1d!(value, ksize, strides, padding, data_format = ChannelsLast)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::avg_pool1d!(tf::ones([1, 4, 3]), 2, strides = 2, padding = tf::Padding::Valid).shape(), [1, 2, 3]);
/// ```
#[macro_export]
macro_rules! avg_pool1d {
    ($($arguments:tt)*) => {
        $crate::__call!(avg_pool1d(value, ksize, strides, padding; data_format = $crate::DataFormat::ChannelsLast) => ($crate::avg_pool1d_with(value, ksize, $crate::Sliding::new(strides, padding).data_format(data_format))) ($($arguments)*))
    };
}

/// The mean of each window of images: [`avg_pool2d`](fn@crate::avg_pool2d) with TensorFlow's defaults, `avg_pool2d!(value, ksize, strides, padding, data_format = ChannelsLast)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::avg_pool2d!(tf::ones([1, 4, 4, 3]), 2, strides = 2, padding = tf::Padding::Valid).shape(), [1, 2, 2, 3]);
/// ```
#[macro_export]
macro_rules! avg_pool2d {
    ($($arguments:tt)*) => {
        $crate::__call!(avg_pool2d(value, ksize, strides, padding; data_format = $crate::DataFormat::ChannelsLast) => ($crate::avg_pool2d_with(value, ksize, $crate::Sliding::new(strides, padding).data_format(data_format))) ($($arguments)*))
    };
}

/// The mean of each window of volumes: [`avg_pool3d`](fn@crate::avg_pool3d) with TensorFlow's defaults, `avg_pool3d!(value, ksize, strides, padding, data_format = ChannelsLast)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::avg_pool3d!(tf::ones([1, 4, 4, 4, 3]), 2, strides = 2, padding = tf::Padding::Valid).shape(), [1, 2, 2, 2, 3]);
/// ```
#[macro_export]
macro_rules! avg_pool3d {
    ($($arguments:tt)*) => {
        $crate::__call!(avg_pool3d(value, ksize, strides, padding; data_format = $crate::DataFormat::ChannelsLast) => ($crate::avg_pool3d_with(value, ksize, $crate::Sliding::new(strides, padding).data_format(data_format))) ($($arguments)*))
    };
}

/// The convolution of sequences: [`conv1d`](fn@crate::conv1d) with TensorFlow's defaults, `conv1d!(x, filters, strides, padding, data_format = ChannelsLast, dilations = 1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::conv1d!(tf::ones([1, 4, 3]), tf::ones([3, 3, 5]), strides = 2, padding = tf::Padding::Same).shape(), [1, 2, 5]);
/// ```
#[macro_export]
macro_rules! conv1d {
    ($($arguments:tt)*) => {
        $crate::__call!(conv1d(x, filters, strides, padding; data_format = $crate::DataFormat::ChannelsLast, dilations = 1) => ($crate::conv1d_with(x, filters, $crate::Sliding::new(strides, padding).data_format(data_format).dilations(dilations))) ($($arguments)*))
    };
}

/// The transposed convolution of sequences: [`conv1d_transpose`](fn@crate::conv1d_transpose) with TensorFlow's defaults, `conv1d_transpose!(x, filters, output_shape, strides, padding = Same, data_format = ChannelsLast, dilations = 1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::conv1d_transpose!(tf::ones([1, 4, 3]), tf::ones([3, 5, 3]), [1, 8, 5], strides = 2).shape(), [1, 8, 5]);
/// ```
#[macro_export]
macro_rules! conv1d_transpose {
    ($($arguments:tt)*) => {
        $crate::__call!(conv1d_transpose(x, filters, output_shape, strides; padding = $crate::Padding::Same, data_format = $crate::DataFormat::ChannelsLast, dilations = 1) => ($crate::conv1d_transpose_with(x, filters, output_shape, $crate::Sliding::new(strides, padding).data_format(data_format).dilations(dilations))) ($($arguments)*))
    };
}

/// The convolution of images: [`conv2d`](fn@crate::conv2d) with TensorFlow's defaults, `conv2d!(x, filters, strides, padding, data_format = ChannelsLast, dilations = 1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::conv2d!(tf::ones([1, 4, 4, 3]), tf::ones([3, 3, 3, 5]), strides = 2, padding = tf::Padding::Same).shape(), [1, 2, 2, 5]);
/// ```
#[macro_export]
macro_rules! conv2d {
    ($($arguments:tt)*) => {
        $crate::__call!(conv2d(x, filters, strides, padding; data_format = $crate::DataFormat::ChannelsLast, dilations = 1) => ($crate::conv2d_with(x, filters, $crate::Sliding::new(strides, padding).data_format(data_format).dilations(dilations))) ($($arguments)*))
    };
}

/// The transposed convolution of images: [`conv2d_transpose`](fn@crate::conv2d_transpose) with TensorFlow's defaults, `conv2d_transpose!(x, filters, output_shape, strides, padding = Same, data_format = ChannelsLast, dilations = 1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::conv2d_transpose!(tf::ones([1, 4, 4, 3]), tf::ones([3, 3, 5, 3]), [1, 8, 8, 5], strides = 2).shape(), [1, 8, 8, 5]);
/// ```
#[macro_export]
macro_rules! conv2d_transpose {
    ($($arguments:tt)*) => {
        $crate::__call!(conv2d_transpose(x, filters, output_shape, strides; padding = $crate::Padding::Same, data_format = $crate::DataFormat::ChannelsLast, dilations = 1) => ($crate::conv2d_transpose_with(x, filters, output_shape, $crate::Sliding::new(strides, padding).data_format(data_format).dilations(dilations))) ($($arguments)*))
    };
}

/// The convolution of volumes: [`conv3d`](fn@crate::conv3d) with TensorFlow's defaults, `conv3d!(x, filters, strides, padding, data_format = ChannelsLast, dilations = 1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::conv3d!(tf::ones([1, 4, 4, 4, 3]), tf::ones([3, 3, 3, 3, 5]), strides = 2, padding = tf::Padding::Same).shape(), [1, 2, 2, 2, 5]);
/// ```
#[macro_export]
macro_rules! conv3d {
    ($($arguments:tt)*) => {
        $crate::__call!(conv3d(x, filters, strides, padding; data_format = $crate::DataFormat::ChannelsLast, dilations = 1) => ($crate::conv3d_with(x, filters, $crate::Sliding::new(strides, padding).data_format(data_format).dilations(dilations))) ($($arguments)*))
    };
}

/// The transposed convolution of volumes: [`conv3d_transpose`](fn@crate::conv3d_transpose) with TensorFlow's defaults, `conv3d_transpose!(x, filters, output_shape, strides, padding = Same, data_format = ChannelsLast, dilations = 1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::conv3d_transpose!(tf::ones([1, 2, 2, 2, 3]), tf::ones([3, 3, 3, 5, 3]), [1, 4, 4, 4, 5], strides = 2).shape(), [1, 4, 4, 4, 5]);
/// ```
#[macro_export]
macro_rules! conv3d_transpose {
    ($($arguments:tt)*) => {
        $crate::__call!(conv3d_transpose(x, filters, output_shape, strides; padding = $crate::Padding::Same, data_format = $crate::DataFormat::ChannelsLast, dilations = 1) => ($crate::conv3d_transpose_with(x, filters, output_shape, $crate::Sliding::new(strides, padding).data_format(data_format).dilations(dilations))) ($($arguments)*))
    };
}

/// The transposed convolution over as many spatial axes as the filters have: [`conv_transpose`](fn@crate::conv_transpose) with TensorFlow's defaults, `conv_transpose!(x, filters, output_shape, strides, padding = Same, data_format = ChannelsLast, dilations = 1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::conv_transpose!(tf::ones([1, 4, 3]), tf::ones([3, 5, 3]), [1, 8, 5], 2).shape(), [1, 8, 5]);
/// ```
#[macro_export]
macro_rules! conv_transpose {
    ($($arguments:tt)*) => {
        $crate::__call!(conv_transpose(x, filters, output_shape, strides; padding = $crate::Padding::Same, data_format = $crate::DataFormat::ChannelsLast, dilations = 1) => ($crate::conv_transpose(x, filters, output_shape, $crate::Sliding::new(strides, padding).data_format(data_format).dilations(dilations))) ($($arguments)*))
    };
}

/// The convolution over as many spatial axes as the filters have: [`convolution`](fn@crate::convolution) with TensorFlow's defaults, `convolution!(x, filters, strides = 1, padding = Valid, data_format = ChannelsLast, dilations = 1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::convolution!(tf::ones([1, 4, 3]), tf::ones([3, 3, 5])).shape(), [1, 2, 5]);
/// ```
#[macro_export]
macro_rules! convolution {
    ($($arguments:tt)*) => {
        $crate::__call!(convolution(x, filters; strides = 1, padding = $crate::Padding::Valid, data_format = $crate::DataFormat::ChannelsLast, dilations = 1) => ($crate::convolution(x, filters, $crate::Sliding::new(strides, padding).data_format(data_format).dilations(dilations))) ($($arguments)*))
    };
}

/// The convolution of each channel with filters of its own: [`depthwise_conv2d`](fn@crate::depthwise_conv2d) with TensorFlow's defaults, `depthwise_conv2d!(x, filter, strides, padding, data_format = ChannelsLast, dilations = 1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::depthwise_conv2d!(tf::ones([1, 4, 4, 3]), tf::ones([3, 3, 3, 2]), strides = 1, padding = tf::Padding::Same).shape(), [1, 4, 4, 6]);
/// ```
#[macro_export]
macro_rules! depthwise_conv2d {
    ($($arguments:tt)*) => {
        $crate::__call!(depthwise_conv2d(x, filter, strides, padding; data_format = $crate::DataFormat::ChannelsLast, dilations = 1) => ($crate::depthwise_conv2d_with(x, filter, $crate::Sliding::new(strides, padding).data_format(data_format).dilations(dilations))) ($($arguments)*))
    };
}

/// The greatest number of each window: [`max_pool`](fn@crate::max_pool) with TensorFlow's defaults, `max_pool!(x, ksize, strides, padding, data_format = ChannelsLast)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::max_pool!(tf::ones([1, 4, 4, 3]), 2, 2, tf::Padding::Valid).shape(), [1, 2, 2, 3]);
/// ```
#[macro_export]
macro_rules! max_pool {
    ($($arguments:tt)*) => {
        $crate::__call!(max_pool(x, ksize, strides, padding; data_format = $crate::DataFormat::ChannelsLast) => ($crate::max_pool(x, ksize, $crate::Sliding::new(strides, padding).data_format(data_format))) ($($arguments)*))
    };
}

/// The greatest number of each window of sequences: [`max_pool1d`](fn@crate::max_pool1d) with TensorFlow's defaults, `max_pool1d!(x, ksize, strides, padding, data_format = ChannelsLast)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::max_pool1d!(tf::ones([1, 4, 3]), 2, 2, tf::Padding::Valid).shape(), [1, 2, 3]);
/// ```
#[macro_export]
macro_rules! max_pool1d {
    ($($arguments:tt)*) => {
        $crate::__call!(max_pool1d(x, ksize, strides, padding; data_format = $crate::DataFormat::ChannelsLast) => ($crate::max_pool1d_with(x, ksize, $crate::Sliding::new(strides, padding).data_format(data_format))) ($($arguments)*))
    };
}

/// The greatest number of each window of images: [`max_pool2d`](fn@crate::max_pool2d) with TensorFlow's defaults, `max_pool2d!(x, ksize, strides, padding, data_format = ChannelsLast)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::max_pool2d!(tf::ones([1, 4, 4, 3]), 2, 2, tf::Padding::Valid).shape(), [1, 2, 2, 3]);
/// ```
#[macro_export]
macro_rules! max_pool2d {
    ($($arguments:tt)*) => {
        $crate::__call!(max_pool2d(x, ksize, strides, padding; data_format = $crate::DataFormat::ChannelsLast) => ($crate::max_pool2d_with(x, ksize, $crate::Sliding::new(strides, padding).data_format(data_format))) ($($arguments)*))
    };
}

/// The greatest number of each window of volumes: [`max_pool3d`](fn@crate::max_pool3d) with TensorFlow's defaults, `max_pool3d!(x, ksize, strides, padding, data_format = ChannelsLast)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::max_pool3d!(tf::ones([1, 4, 4, 4, 3]), 2, 2, tf::Padding::Valid).shape(), [1, 2, 2, 2, 3]);
/// ```
#[macro_export]
macro_rules! max_pool3d {
    ($($arguments:tt)*) => {
        $crate::__call!(max_pool3d(x, ksize, strides, padding; data_format = $crate::DataFormat::ChannelsLast) => ($crate::max_pool3d_with(x, ksize, $crate::Sliding::new(strides, padding).data_format(data_format))) ($($arguments)*))
    };
}

/// The greatest number of each window of images, and where it lies: [`max_pool_with_argmax`](fn@crate::max_pool_with_argmax) with TensorFlow's defaults, `max_pool_with_argmax!(x, ksize, strides, padding, output_dtype = int64, include_batch_in_index = false)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::max_pool_with_argmax!(tf::ones([1, 4, 4, 3]), 2, 2, tf::Padding::Valid).1.shape(), [1, 2, 2, 3]);
/// ```
#[macro_export]
macro_rules! max_pool_with_argmax {
    ($($arguments:tt)*) => {
        $crate::__call!(max_pool_with_argmax(x, ksize, strides, padding; output_dtype = $crate::int64, include_batch_in_index = false) => ($crate::max_pool_with_argmax_as(x, ksize, strides, padding, output_dtype, include_batch_in_index)) ($($arguments)*))
    };
}

/// A pooling over as many spatial axes as the input has: [`pool`](fn@crate::pool) with TensorFlow's defaults, `pool!(x, window_shape, pooling_type, strides = 1, padding = Valid, data_format = ChannelsLast, dilations = 1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::pool!(tf::ones([1, 4, 4, 3]), 2, tf::Pooling::Avg).shape(), [1, 3, 3, 3]);
/// ```
#[macro_export]
macro_rules! pool {
    ($($arguments:tt)*) => {
        $crate::__call!(pool(x, window_shape, pooling_type; strides = 1, padding = $crate::Padding::Valid, data_format = $crate::DataFormat::ChannelsLast, dilations = 1) => ($crate::pool(x, window_shape, pooling_type, $crate::Sliding::new(strides, padding).data_format(data_format).dilations(dilations))) ($($arguments)*))
    };
}

/// A depthwise convolution, and one of single pixels behind it: [`separable_conv2d`](fn@crate::separable_conv2d) with TensorFlow's defaults, `separable_conv2d!(x, depthwise_filter, pointwise_filter, strides, padding, data_format = ChannelsLast, dilations = 1)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::separable_conv2d!(tf::ones([1, 4, 4, 3]), tf::ones([3, 3, 3, 2]), tf::ones([1, 1, 6, 5]), 1, tf::Padding::Same).shape(), [1, 4, 4, 5]);
/// ```
#[macro_export]
macro_rules! separable_conv2d {
    ($($arguments:tt)*) => {
        $crate::__call!(separable_conv2d(x, depthwise_filter, pointwise_filter, strides, padding; data_format = $crate::DataFormat::ChannelsLast, dilations = 1) => ($crate::separable_conv2d_with(x, depthwise_filter, pointwise_filter, $crate::Sliding::new(strides, padding).data_format(data_format).dilations(dilations))) ($($arguments)*))
    };
}
