//! `s![]`: an index of several dimensions, written as ndarray's macro of this name is. Users write it in `at`.
//! It lies at the root, since a macro that is exported may not come out of another one, as the modules of `ops` do.

/// An index of several dimensions for [`Tensor::at`](crate::Tensor::at): indices, ranges, ranges with a step (`1..;2`) and `NewAxis`, as in
/// ndarray's macro of this name. Indices and the ends of ranges may be sizes ([`Dim`](crate::Dim)), the ends integer tensors as well.
///
/// ```
/// use eagerflow::{self as tf, s};
/// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
/// let n = tf::constant(2);
/// assert_eq!(x.at(s![-1, ..;-1]).to_vec::<i32>(), [6, 5, 4]);
/// assert_eq!(x.at(s![x.dim(0) - 1, ..&n]).to_vec::<i32>(), [4, 5]);
/// ```
#[macro_export]
macro_rules! s {
    (@step) => {
        ::core::option::Option::None
    };
    (@step $step:expr) => {
        ::core::option::Option::Some($step)
    };
    ($($part:expr $(; $step:expr)?),* $(,)?) => {
        $crate::Index::new()$(.with($part, $crate::s!(@step $($step)?)))*
    };
}
