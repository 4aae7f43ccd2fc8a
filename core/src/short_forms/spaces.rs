//! Short forms of the operations that turn cells into entries of the batch or into channels, or look at neighbours: TensorFlow's arguments by name, with its defaults.
//! Users call them beside the functions of the same names.

/// Channels as blocks of cells: [`depth_to_space`](fn@crate::depth_to_space) with TensorFlow's defaults, `depth_to_space!(input, block_size, data_format = ChannelsLast)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::depth_to_space!(tf::ones([1, 2, 3, 4]), 2).shape(), [1, 4, 6, 1]);
/// ```
#[macro_export]
macro_rules! depth_to_space {
    ($($arguments:tt)*) => {
        $crate::__call!(depth_to_space(input, block_size; data_format = $crate::DataFormat::ChannelsLast) => ($crate::depth_to_space(input, block_size, data_format)) ($($arguments)*))
    };
}

/// Numbers divided by what neighbouring channels come to: [`local_response_normalization`](fn@crate::local_response_normalization) with
/// TensorFlow's defaults, `local_response_normalization!(input, depth_radius = 5, bias = 1.0, alpha = 1.0, beta = 0.5)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::reshape(&tf::constant([3.0, 4.0]), [1, 1, 1, 2]);
/// let y = tf::local_response_normalization!(&x, bias = 0.0);
/// assert_eq!(y.to_vec::<f32>(), [0.6, 0.8]);
/// ```
#[macro_export]
macro_rules! local_response_normalization {
    ($($arguments:tt)*) => {
        $crate::__call!(local_response_normalization(input; depth_radius = 5, bias = 1.0, alpha = 1.0, beta = 0.5) => ($crate::local_response_normalization(input, depth_radius, bias, alpha, beta)) ($($arguments)*))
    };
}

/// Paddings with which sizes are multiples of blocks, and the crops that undo them: [`required_space_to_batch_paddings`](fn@crate::required_space_to_batch_paddings)
/// with TensorFlow's defaults, `required_space_to_batch_paddings!(input_shape, block_shape, base_paddings = None)`.
///
/// ```
/// use eagerflow as tf;
/// let (sizes, blocks) = (tf::constant([5]), tf::constant([4]));
/// let (paddings, crops) = tf::required_space_to_batch_paddings!(&sizes, &blocks);
/// assert_eq!((paddings.to_vec::<i32>(), crops.to_vec::<i32>()), (vec![0, 3], vec![0, 3]));
/// let base = tf::constant([[1, 0]]);
/// let (paddings, crops) = tf::required_space_to_batch_paddings!(&sizes, &blocks, base_paddings = &base);
/// assert_eq!((paddings.to_vec::<i32>(), crops.to_vec::<i32>()), (vec![1, 2], vec![0, 2]));
/// ```
#[macro_export]
macro_rules! required_space_to_batch_paddings {
    ($($arguments:tt)*) => {
        $crate::__call!(required_space_to_batch_paddings(input_shape, block_shape; base_paddings = ::core::option::Option::<&$crate::Tensor>::None) => ($crate::required_space_to_batch_paddings(input_shape, block_shape, $crate::__weights(base_paddings))) ($($arguments)*))
    };
}

/// Blocks of cells as channels: [`space_to_depth`](fn@crate::space_to_depth) with TensorFlow's defaults, `space_to_depth!(input, block_size, data_format = ChannelsLast)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::space_to_depth!(tf::ones([1, 4, 6, 1]), 2).shape(), [1, 2, 3, 4]);
/// let first = tf::DataFormat::ChannelsFirst;
/// assert_eq!(tf::space_to_depth!(tf::ones([1, 1, 4, 6]), 2, data_format = first).shape(), [1, 4, 2, 3]);
/// ```
#[macro_export]
macro_rules! space_to_depth {
    ($($arguments:tt)*) => {
        $crate::__call!(space_to_depth(input, block_size; data_format = $crate::DataFormat::ChannelsLast) => ($crate::space_to_depth(input, block_size, data_format)) ($($arguments)*))
    };
}
