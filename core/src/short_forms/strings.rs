//! Short forms of the operations on strings that have arguments with defaults in TensorFlow.
//! Users call them beside the functions of the same names in [`strings`](mod@crate::strings).

/// Strings put together by segment: [`strings::unsorted_segment_join`](fn@crate::strings::unsorted_segment_join) with TensorFlow's
/// defaults, `unsorted_segment_join!(inputs, segment_ids, num_segments, separator = "")`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant(["a", "b", "c"]);
/// assert_eq!(tf::unsorted_segment_join!(&x, &tf::constant([1, 0, 1]), 2).to_strings(), ["b", "ac"]);
/// ```
#[macro_export]
macro_rules! unsorted_segment_join {
    ($($arguments:tt)*) => {
        $crate::__call!(unsorted_segment_join(inputs, segment_ids, num_segments; separator = "") => ($crate::strings::unsorted_segment_join(inputs, segment_ids, num_segments, separator)) ($($arguments)*))
    };
}
