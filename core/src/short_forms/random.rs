//! Short forms of the random functions that have arguments with defaults in TensorFlow.
//! Users call them beside the functions of the same names.

/// Normal numbers between bounds:
/// [`stateless_parameterized_truncated_normal`](fn@crate::random::stateless_parameterized_truncated_normal) with TensorFlow's defaults,
/// `stateless_parameterized_truncated_normal!(shape, seed, means = 0.0, stddevs = 1.0, minvals = -2.0, maxvals = 2.0)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::stateless_parameterized_truncated_normal!([100], [1, 2], minvals = 0.5);
/// assert!(x.to_vec::<f32>().iter().all(|x| (0.5..=2.0).contains(x)));
/// ```
#[macro_export]
macro_rules! stateless_parameterized_truncated_normal {
    ($($arguments:tt)*) => {
        $crate::__call!(stateless_parameterized_truncated_normal(shape, seed; means = 0.0, stddevs = 1.0, minvals = -2.0, maxvals = 2.0) => ($crate::random::stateless_parameterized_truncated_normal(shape, seed, means, stddevs, minvals, maxvals)) ($($arguments)*))
    };
}

/// Where numbers go in a permutation that is never stored: [`random_index_shuffle`](fn@crate::random_index_shuffle) with TensorFlow's
/// defaults, `random_index_shuffle!(index, seed, max_index, rounds = 4)`.
///
/// ```
/// use eagerflow as tf;
/// let to = tf::random_index_shuffle!(tf::constant([0, 1]), &tf::constant([1, 2, 3]), &tf::constant(9));
/// assert_eq!(to.to_vec::<i32>(), [2, 0]);
/// ```
#[macro_export]
macro_rules! random_index_shuffle {
    ($($arguments:tt)*) => {
        $crate::__call!(random_index_shuffle(index, seed, max_index; rounds = 4) => ($crate::random_index_shuffle(index, seed, max_index, rounds)) ($($arguments)*))
    };
}
