//! Short forms of sorting, searching and counting: TensorFlow's arguments by name, with TensorFlow's defaults.
//! Users call them beside the functions of the same names.

/// The places of the elements of an axis in order: [`argsort`](fn@crate::argsort) with TensorFlow's defaults, `argsort!(values, axis = -1, direction = Direction::Ascending)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::argsort!(tf::constant([3, 1, 2])).to_vec::<i32>(), [1, 2, 0]);
/// let down = tf::argsort!(tf::constant([3, 1, 2]), direction = tf::Direction::Descending);
/// assert_eq!(down.to_vec::<i32>(), [0, 2, 1]);
/// ```
#[macro_export]
macro_rules! argsort {
    ($($arguments:tt)*) => {
        $crate::__call!(argsort(values; axis = -1, direction = $crate::Direction::Ascending) => ($crate::argsort(values, axis, direction)) ($($arguments)*))
    };
}

/// How often each number from 0 up occurs: [`bincount`](fn@crate::bincount) with TensorFlow's defaults, `bincount!(arr, weights = None, minlength = -1, maxlength = -1, dtype = int32, axis = 0, binary_output = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1, 0, 1]);
/// assert_eq!(tf::bincount!(&x, minlength = 4).to_vec::<i32>(), [1, 2, 0, 0]);
/// let weights = tf::constant([0.5, 1.0, 1.5]);
/// assert_eq!(tf::bincount!(&x, weights = &weights).to_vec::<f32>(), [1.0, 2.0]);
/// ```
#[macro_export]
macro_rules! bincount {
    ($($arguments:tt)*) => {
        $crate::__call!(bincount(arr; weights = ::core::option::Option::<&$crate::Tensor>::None, minlength = -1, maxlength = -1, dtype = $crate::int32, axis = 0, binary_output = false) => ($crate::bincount_with(arr, &$crate::__bincount(weights, minlength, maxlength, dtype, axis, binary_output))) ($($arguments)*))
    };
}

/// How often each class was predicted for each label: [`confusion_matrix`](fn@crate::confusion_matrix) with TensorFlow's defaults, `confusion_matrix!(labels, predictions, num_classes = -1, weights = None, dtype = int32)`.
///
/// ```
/// use eagerflow as tf;
/// let labels = tf::constant([0, 1, 1]);
/// assert_eq!(tf::confusion_matrix!(&labels, &tf::constant([0, 1, 0])).to_vec::<i32>(), [1, 0, 1, 1]);
/// ```
#[macro_export]
macro_rules! confusion_matrix {
    ($($arguments:tt)*) => {
        $crate::__call!(confusion_matrix(labels, predictions; num_classes = -1, weights = ::core::option::Option::<&$crate::Tensor>::None, dtype = $crate::int32) => ($crate::confusion_matrix_with(labels, predictions, num_classes, $crate::__weights(weights), dtype)) ($($arguments)*))
    };
}

/// How many values fall into each of equally wide bins: [`histogram_fixed_width`](fn@crate::histogram_fixed_width) with TensorFlow's defaults, `histogram_fixed_width!(values, value_range, nbins = 100, dtype = int32)`.
///
/// ```
/// use eagerflow as tf;
/// let (x, range) = (tf::constant([-1.0, 0.5, 3.0]), tf::constant([0.0, 2.0]));
/// assert_eq!(tf::histogram_fixed_width!(&x, &range, nbins = 2).to_vec::<i32>(), [2, 1]);
/// ```
#[macro_export]
macro_rules! histogram_fixed_width {
    ($($arguments:tt)*) => {
        $crate::__call!(histogram_fixed_width(values, value_range; nbins = 100, dtype = $crate::int32) => ($crate::histogram_fixed_width_as(values, value_range, nbins, dtype)) ($($arguments)*))
    };
}

/// The bin of each value, of equally wide ones: [`histogram_fixed_width_bins`](fn@crate::histogram_fixed_width_bins) with TensorFlow's defaults, `histogram_fixed_width_bins!(values, value_range, nbins = 100)`.
///
/// ```
/// use eagerflow as tf;
/// let (x, range) = (tf::constant([-1.0, 0.5, 3.0]), tf::constant([0.0, 2.0]));
/// assert_eq!(tf::histogram_fixed_width_bins!(&x, &range).to_vec::<i32>(), [0, 25, 99]);
/// ```
#[macro_export]
macro_rules! histogram_fixed_width_bins {
    ($($arguments:tt)*) => {
        $crate::__call!(histogram_fixed_width_bins(values, value_range; nbins = 100) => ($crate::histogram_fixed_width_bins(values, value_range, nbins)) ($($arguments)*))
    };
}

/// Where values belong in sorted rows: [`searchsorted`](fn@crate::searchsorted) with TensorFlow's defaults, `searchsorted!(sorted_sequence, values, side = Side::Left, out_type = int32)`.
///
/// ```
/// use eagerflow as tf;
/// let edges = tf::constant([1, 3, 5]);
/// assert_eq!(tf::searchsorted!(&edges, &tf::constant([3, 4])).to_vec::<i32>(), [1, 2]);
/// assert_eq!(tf::searchsorted!(&edges, &tf::constant([3]), side = tf::Side::Right).to_vec::<i32>(), [2]);
/// ```
#[macro_export]
macro_rules! searchsorted {
    ($($arguments:tt)*) => {
        $crate::__call!(searchsorted(sorted_sequence, values; side = $crate::Side::Left, out_type = $crate::int32) => ($crate::searchsorted_as(sorted_sequence, values, side, out_type)) ($($arguments)*))
    };
}

/// The elements along an axis in order: [`sort`](fn@crate::sort) with TensorFlow's defaults, `sort!(values, axis = -1, direction = Direction::Ascending)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::sort!(tf::constant([3, 1, 2])).to_vec::<i32>(), [1, 2, 3]);
/// assert_eq!(tf::sort!(tf::constant([3, 1, 2]), direction = tf::Direction::Descending).to_vec::<i32>(), [3, 2, 1]);
/// ```
#[macro_export]
macro_rules! sort {
    ($($arguments:tt)*) => {
        $crate::__call!(sort(values; axis = -1, direction = $crate::Direction::Ascending) => ($crate::sort(values, axis, direction)) ($($arguments)*))
    };
}

/// The greatest elements of the last axis, and their places: [`top_k`](fn@crate::top_k) with TensorFlow's defaults, `top_k!(input, k = 1, sorted = true, index_type = int32)`.
///
/// ```
/// use eagerflow as tf;
/// let (values, places) = tf::top_k!(tf::constant([1.0, 5.0, 3.0]), k = 2);
/// assert_eq!((values.to_vec::<f32>(), places.to_vec::<i32>()), (vec![5.0, 3.0], vec![1, 2]));
/// ```
#[macro_export]
macro_rules! top_k {
    ($($arguments:tt)*) => {
        $crate::__call!(top_k(input; k = 1, sorted = true, index_type = $crate::int32) => ($crate::top_k_as(input, k, sorted, index_type)) ($($arguments)*))
    };
}

/// The different elements of a vector, and the number of each element's value: [`unique`](fn@crate::unique) with TensorFlow's defaults, `unique!(x, out_idx = int32)`.
///
/// ```
/// use eagerflow as tf;
/// let (values, numbers) = tf::unique!(tf::constant([4, 1, 4]));
/// assert_eq!((values.to_vec::<i32>(), numbers.to_vec::<i32>()), (vec![4, 1], vec![0, 1, 0]));
/// ```
#[macro_export]
macro_rules! unique {
    ($($arguments:tt)*) => {
        $crate::__call!(unique(x; out_idx = $crate::int32) => ($crate::unique_as(x, out_idx)) ($($arguments)*))
    };
}

/// The different elements of a vector, the number of each element's value, and how often each value occurs: [`unique_with_counts`](fn@crate::unique_with_counts) with TensorFlow's defaults, `unique_with_counts!(x, out_idx = int32)`.
///
/// ```
/// use eagerflow as tf;
/// let (_, _, counts) = tf::unique_with_counts!(tf::constant([4, 1, 4]));
/// assert_eq!(counts.to_vec::<i32>(), [2, 1]);
/// ```
#[macro_export]
macro_rules! unique_with_counts {
    ($($arguments:tt)*) => {
        $crate::__call!(unique_with_counts(x; out_idx = $crate::int32) => ($crate::unique_with_counts_as(x, out_idx)) ($($arguments)*))
    };
}
