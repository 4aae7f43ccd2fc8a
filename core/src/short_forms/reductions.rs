//! Short forms of reductions and running sums: TensorFlow's arguments by name, with TensorFlow's defaults.
//! Users call them beside the functions of the same names.

/// The index of the greatest element along an axis: [`argmax`](fn@crate::argmax) with TensorFlow's defaults, `argmax!(x, axis = 0, output_type = int64)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::argmax!(&x).to_vec::<i64>(), [1, 1, 1]);
/// assert_eq!(tf::argmax!(&x, axis = 1, output_type = tf::int32).to_vec::<i32>(), [2, 2]);
/// ```
#[macro_export]
macro_rules! argmax {
    ($($arguments:tt)*) => {
        $crate::__call!(argmax(x; axis = 0, output_type = $crate::int64) => ($crate::argmax_as(x, axis, output_type)) ($($arguments)*))
    };
}

/// The index of the least element along an axis: [`argmin`](fn@crate::argmin) with TensorFlow's defaults, `argmin!(x, axis = 0, output_type = int64)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::argmin!(&x, axis = 1).to_vec::<i64>(), [0, 0]);
/// ```
#[macro_export]
macro_rules! argmin {
    ($($arguments:tt)*) => {
        $crate::__call!(argmin(x; axis = 0, output_type = $crate::int64) => ($crate::argmin_as(x, axis, output_type)) ($($arguments)*))
    };
}

/// Running products along an axis: [`cumprod`](fn@crate::cumprod) with TensorFlow's defaults, `cumprod!(x, axis = 0, exclusive = false, reverse = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::cumprod!(&x, axis = 1, exclusive = true).to_vec::<f32>(), [1.0, 1.0, 2.0, 1.0, 4.0, 20.0]);
/// ```
#[macro_export]
macro_rules! cumprod {
    ($($arguments:tt)*) => {
        $crate::__call!(cumprod(x; axis = 0, exclusive = false, reverse = false) => ($crate::cumprod_with(x, axis, $crate::__cumulative(exclusive, reverse))) ($($arguments)*))
    };
}

/// Running sums along an axis: [`cumsum`](fn@crate::cumsum) with TensorFlow's defaults, `cumsum!(x, axis = 0, exclusive = false, reverse = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::cumsum!(&x).to_vec::<f32>(), [1.0, 2.0, 3.0, 5.0, 7.0, 9.0]);
/// ```
#[macro_export]
macro_rules! cumsum {
    ($($arguments:tt)*) => {
        $crate::__call!(cumsum(x; axis = 0, exclusive = false, reverse = false) => ($crate::cumsum_with(x, axis, $crate::__cumulative(exclusive, reverse))) ($($arguments)*))
    };
}

/// Running logarithms of sums of exponentials along an axis: [`cumulative_logsumexp`](fn@crate::cumulative_logsumexp) with TensorFlow's defaults, `cumulative_logsumexp!(x, axis = 0, exclusive = false, reverse = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::cumulative_logsumexp!(&x, axis = 1, reverse = true).shape(), [2, 3]);
/// ```
#[macro_export]
macro_rules! cumulative_logsumexp {
    ($($arguments:tt)*) => {
        $crate::__call!(cumulative_logsumexp(x; axis = 0, exclusive = false, reverse = false) => ($crate::cumulative_logsumexp_with(x, axis, $crate::__cumulative(exclusive, reverse))) ($($arguments)*))
    };
}

/// Whether all elements are true over axes: all, unless they are named: [`reduce_all`](fn@crate::reduce_all) with TensorFlow's defaults, `reduce_all!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert!(tf::reduce_all!(tf::greater(&x, 0.0)).item::<bool>());
/// ```
#[macro_export]
macro_rules! reduce_all {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_all(x; axis = (), keepdims = false) => ($crate::reduce_all(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Whether any element is true over axes: all, unless they are named: [`reduce_any`](fn@crate::reduce_any) with TensorFlow's defaults, `reduce_any!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert!(!tf::reduce_any!(tf::greater(&x, 9.0)).item::<bool>());
/// ```
#[macro_export]
macro_rules! reduce_any {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_any(x; axis = (), keepdims = false) => ($crate::reduce_any(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// The logarithm of the sum of exponentials over axes: all, unless they are named: [`reduce_logsumexp`](fn@crate::reduce_logsumexp) with TensorFlow's defaults, `reduce_logsumexp!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_logsumexp!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_logsumexp {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_logsumexp(x; axis = (), keepdims = false) => ($crate::reduce_logsumexp(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// The greatest elements over axes: all, unless they are named: [`reduce_max`](fn@crate::reduce_max) with TensorFlow's defaults, `reduce_max!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_max!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_max {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_max(x; axis = (), keepdims = false) => ($crate::reduce_max(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Means over axes: all, unless they are named: [`reduce_mean`](fn@crate::reduce_mean) with TensorFlow's defaults, `reduce_mean!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_mean!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_mean {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_mean(x; axis = (), keepdims = false) => ($crate::reduce_mean(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// The least elements over axes: all, unless they are named: [`reduce_min`](fn@crate::reduce_min) with TensorFlow's defaults, `reduce_min!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_min!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_min {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_min(x; axis = (), keepdims = false) => ($crate::reduce_min(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Products over axes: all, unless they are named: [`reduce_prod`](fn@crate::reduce_prod) with TensorFlow's defaults, `reduce_prod!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_prod!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_prod {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_prod(x; axis = (), keepdims = false) => ($crate::reduce_prod(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Standard deviations over axes: all, unless they are named: [`reduce_std`](fn@crate::reduce_std) with TensorFlow's defaults, `reduce_std!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_std!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_std {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_std(x; axis = (), keepdims = false) => ($crate::reduce_std(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Sums over axes: all, unless they are named: [`reduce_sum`](fn@crate::reduce_sum) with TensorFlow's defaults, `reduce_sum!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_sum!(&x).item::<f32>(), 21.0);
/// assert_eq!(tf::reduce_sum!(&x, axis = 1, keepdims = true).shape(), [2, 1]);
/// ```
#[macro_export]
macro_rules! reduce_sum {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_sum(x; axis = (), keepdims = false) => ($crate::reduce_sum(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}

/// Variances over axes: all, unless they are named: [`reduce_variance`](fn@crate::reduce_variance) with TensorFlow's defaults, `reduce_variance!(x, axis = (), keepdims = false)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(tf::reduce_variance!(&x, axis = 0).shape(), [3]);
/// ```
#[macro_export]
macro_rules! reduce_variance {
    ($($arguments:tt)*) => {
        $crate::__call!(reduce_variance(x; axis = (), keepdims = false) => ($crate::reduce_variance(x, $crate::__axes(axis, keepdims))) ($($arguments)*))
    };
}
