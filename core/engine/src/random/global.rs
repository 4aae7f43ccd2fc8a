//! The functions that draw from the global random state.
//! After `set_seed` each call has TensorFlow's stream for that call in eager mode; before, streams nobody can foresee.

use super::streams;
use crate::execute::execute1;
use crate::ops::{AsTensor, Law, RandomDraw, try_gather};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use kernels::shape::{IntoShape, Shape};
use std::panic::Location;

/// Sets the global seed: the calls that follow draw the same numbers in every run, and TensorFlow's for that seed.
///
/// ```
/// use eagerflow as tf;
/// tf::random::set_seed(42);
/// let a = tf::random::uniform([2], 0.0, 1.0);
/// tf::random::set_seed(42);
/// let b = tf::random::uniform([2], 0.0, 1.0);
/// assert_eq!(a.to_vec::<f32>(), b.to_vec::<f32>());
/// ```
pub fn set_seed(seed: i64) {
    streams::set_seed(seed);
}

#[track_caller]
fn draw(shape: Result<Shape>, law: Law, dtype: DType, seed: Option<i64>) -> Result<Tensor> {
    let here = Location::caller();
    let op = RandomDraw { law, shape: shape?, dtype };
    // A call that is refused must not take the seed of the next.
    op.check()?;
    crate::execute::note_draw(here);
    execute1(&op, &[&streams::stream(law, dtype, seed, here)])
}

/// A seed for a stateless draw from the stream of a call.
#[track_caller]
pub(super) fn next_seed(seed: Option<i64>) -> Result<Tensor> {
    draw(Shape::new(&[2]), Law::Full, DType::I64, seed)
}

macro_rules! reals {
    ($($(#[$doc:meta])* $name:ident, $try_name:ident($a:ident, $b:ident) = $law:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("As [`", stringify!($try_name), "`] fails.")]
        #[track_caller]
        pub fn $name(shape: impl IntoShape, $a: f64, $b: f64) -> Tensor {
            $try_name(shape, $a, $b, DType::F32, None).or_fail()
        }

        #[doc = concat!("[`", stringify!($name), "`] of any floating dtype, and optionally with a seed of its own.")]
        ///
        /// # Errors
        /// InvalidArgument for a bad shape, parameter or dtype, before anything is drawn; ResourceExhausted without
        /// memory.
        #[track_caller]
        pub fn $try_name(
            shape: impl IntoShape,
            $a: f64,
            $b: f64,
            dtype: DType,
            seed: Option<i64>,
        ) -> Result<Tensor> {
            let here = Location::caller();
            draw(shape.into_shape(), Law::$law { $a, $b }, dtype, seed).map_err(|e| e.at(here))
        }
    )*};
}

reals! {
    /// Numbers between `low` (included) and `high`, `float32`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert!(tf::random::uniform([100], 2.0, 3.0).to_vec::<f32>().iter().all(|x| (2.0..3.0).contains(x)));
    /// ```
    uniform, try_uniform(low, high) = Uniform;
    /// Normal numbers, `float32`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::random::normal([2, 3], 0.0, 1.0).shape(), [2, 3]);
    /// ```
    normal, try_normal(mean, stddev) = Normal;
    /// Normal numbers less than two deviations from the mean, `float32`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::random::truncated_normal([100], 0.0, 1.0);
    /// assert!(x.to_vec::<f32>().iter().all(|x| x.abs() < 2.0));
    /// ```
    truncated_normal, try_truncated_normal(mean, stddev) = Truncated;
}

/// Integers of `low..high`, `int32`.
///
/// ```
/// use eagerflow as tf;
/// assert!(tf::random::uniform_int([100], 0, 6).to_vec::<i32>().iter().all(|die| (0..6).contains(die)));
/// ```
///
/// # Panics
/// As [`try_uniform_int`] fails.
#[track_caller]
pub fn uniform_int(shape: impl IntoShape, low: i64, high: i64) -> Tensor {
    try_uniform_int(shape, low, high, DType::I32, None).or_fail()
}

/// Integers of `low..high` of any dtype of 32 or 64 bits, and optionally with a seed of their own.
///
/// # Errors
/// InvalidArgument for a bad shape, an empty range or one that leaves the dtype, before anything is drawn.
#[track_caller]
pub fn try_uniform_int(shape: impl IntoShape, low: i64, high: i64, dtype: DType, seed: Option<i64>) -> Result<Tensor> {
    let here = Location::caller();
    draw(shape.into_shape(), Law::Integers { low, high }, dtype, seed).map_err(|e| e.at(here))
}

/// The slices along the first axis in random order; gradients flow back to where the slices came from.
///
/// ```
/// use eagerflow as tf;
/// let mut order = tf::random::shuffle(&tf::constant([1, 2, 3])).to_vec::<i32>();
/// order.sort();
/// assert_eq!(order, [1, 2, 3]);
/// ```
///
/// # Panics
/// As [`try_shuffle`] fails.
#[track_caller]
pub fn shuffle(x: impl AsTensor) -> Tensor {
    try_shuffle(x, None).or_fail()
}

/// The slices along the first axis in random order, optionally with a seed of its own.
///
/// # Errors
/// ResourceExhausted without memory.
#[track_caller]
pub fn try_shuffle(x: impl AsTensor, seed: Option<i64>) -> Result<Tensor> {
    let here = Location::caller();
    let x = x.as_tensor();
    if x.rank() == 0 {
        return Ok(x.clone());
    }
    let shape = Shape::from_dims(&x.shape().sizes()[..1]);
    let order = draw(shape, Law::Order, DType::I64, seed).map_err(|e| e.at(here))?;
    try_gather(&*x, &order, 0).map_err(|e| e.at(here))
}
