//! The `stateless_*` functions: the same numbers for the same seed at every call, TensorFlow's.
//! User code calls them with seeds of its own, or with those that `split` and `fold_in` make from one.

use crate::execute::execute1;
use crate::ops::{self, AsTensor, Law, StatelessDraw, TensorRef, try_gather};
use crate::tensor::Tensor;
use kernels::backend::cpu::philox;
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{IntoShape, Shape};
use std::panic::Location;

/// What can be a seed: two integers, or a tensor of them.
///
/// ```
/// use eagerflow as tf;
/// let a = tf::random::stateless_uniform([2], [1, 2], 0.0, 1.0);
/// let b = tf::random::stateless_uniform([2], &tf::constant([1, 2]), 0.0, 1.0);
/// assert_eq!(a.to_vec::<f32>(), b.to_vec::<f32>());
/// ```
pub trait IntoSeed {
    /// The seed as a tensor.
    #[doc(hidden)]
    #[track_caller]
    fn seed_tensor(&self) -> Tensor;
}

macro_rules! seeds {
    ($($t:ty)*) => {$(
        impl IntoSeed for [$t; 2] {
            #[track_caller]
            fn seed_tensor(&self) -> Tensor {
                Tensor::from(self.map(i64::from))
            }
        }
    )*};
}
seeds!(i32 i64);

impl IntoSeed for Tensor {
    fn seed_tensor(&self) -> Tensor {
        Tensor::clone(self)
    }
}

impl IntoSeed for &Tensor {
    fn seed_tensor(&self) -> Tensor {
        Tensor::clone(self)
    }
}

#[track_caller]
fn draw(shape: Result<Shape>, seed: &impl IntoSeed, law: Law, dtype: DType) -> Result<Tensor> {
    let here = Location::caller();
    let op = StatelessDraw { law, shape: shape.map_err(|e| e.at(here))?, dtype };
    // No closure around it, which would hide the caller's line.
    execute1(&op, &[&seed.seed_tensor()]).map_err(|e| e.at(here))
}

macro_rules! draws {
    ($(
        $(#[$doc:meta])*
        $name:ident, $try_name:ident($a:ident, $b:ident: $t:ty) = $law:ident, $dtype:ident;
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("As [`", stringify!($try_name), "`] fails.")]
        #[track_caller]
        pub fn $name(shape: impl IntoShape, seed: impl IntoSeed, $a: $t, $b: $t) -> Tensor {
            $try_name(shape, seed, $a, $b, DType::$dtype).or_fail()
        }

        #[doc = concat!("[`", stringify!($name), "`] of another dtype.")]
        ///
        /// # Errors
        /// InvalidArgument for a bad shape, seed, parameter or dtype.
        #[track_caller]
        pub fn $try_name(
            shape: impl IntoShape,
            seed: impl IntoSeed,
            $a: $t,
            $b: $t,
            dtype: DType,
        ) -> Result<Tensor> {
            draw(shape.into_shape(), &seed, Law::$law { $a, $b }, dtype)
        }
    )*};
}

draws! {
    /// Numbers between `low` (included) and `high`, `float32`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::random::stateless_uniform([3], [1, 2], 0.0, 1.0).to_vec::<f32>();
    /// assert_eq!(x, tf::random::stateless_uniform([3], [1, 2], 0.0, 1.0).to_vec::<f32>());
    /// ```
    stateless_uniform, try_stateless_uniform(low, high: f64) = Uniform, F32;
    /// Normal numbers, `float32`.
    stateless_normal, try_stateless_normal(mean, stddev: f64) = Normal, F32;
    /// Normal numbers less than two deviations from the mean, `float32`.
    stateless_truncated_normal, try_stateless_truncated_normal(mean, stddev: f64) = Truncated, F32;
    /// Integers of `low..high`, `int32`.
    stateless_uniform_int, try_stateless_uniform_int(low, high: i64) = Integers, I32;
}

/// Integers over the whole range of a dtype of 32 or 64 bits.
///
/// # Panics
/// As [`try_stateless_uniform_full_int`] fails.
#[track_caller]
pub fn stateless_uniform_full_int(shape: impl IntoShape, seed: impl IntoSeed, dtype: DType) -> Tensor {
    try_stateless_uniform_full_int(shape, seed, dtype).or_fail()
}

/// Integers over the whole range of a dtype of 32 or 64 bits.
///
/// # Errors
/// InvalidArgument for a bad shape, seed or dtype.
#[track_caller]
pub fn try_stateless_uniform_full_int(shape: impl IntoShape, seed: impl IntoSeed, dtype: DType) -> Result<Tensor> {
    draw(shape.into_shape(), &seed, Law::Full, dtype)
}

/// The slices along the first axis in the order of a seed.
///
/// ```
/// use eagerflow as tf;
/// let order = tf::random::stateless_shuffle(&tf::constant([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), [1, 2]);
/// assert_eq!(order.to_vec::<i32>(), [0, 3, 8, 1, 5, 4, 9, 7, 6, 2]);
/// ```
///
/// # Panics
/// As [`try_stateless_shuffle`] fails.
#[track_caller]
pub fn stateless_shuffle(x: impl AsTensor, seed: impl IntoSeed) -> Tensor {
    try_stateless_shuffle(x, seed).or_fail()
}

/// The slices along the first axis in the order of a seed.
///
/// # Errors
/// InvalidArgument for a bad seed.
#[track_caller]
pub fn try_stateless_shuffle(x: impl AsTensor, seed: impl IntoSeed) -> Result<Tensor> {
    let x: TensorRef<'_> = x.as_tensor();
    if x.rank() == 0 {
        return Ok(x.clone());
    }
    let order = draw(Shape::from_dims(&x.shape().sizes()[..1]), &seed, Law::Order, DType::I64)?;
    let here = Location::caller();
    try_gather(&*x, &order, 0).map_err(|e| e.at(here))
}

/// `count` seeds made from one, a row each: shape `[count, 2]`, `int64`.
///
/// # Panics
/// As [`try_split`] fails.
#[track_caller]
pub fn split(seed: impl IntoSeed, count: usize) -> Tensor {
    try_split(seed, count).or_fail()
}

/// `count` seeds made from one, a row each.
///
/// # Errors
/// InvalidArgument for a bad seed.
#[track_caller]
pub fn try_split(seed: impl IntoSeed, count: usize) -> Result<Tensor> {
    draw(Shape::new(&[count, 2]), &seed, Law::Full, DType::I64)
}

/// A seed made from a seed and a number, such as a step's.
///
/// # Panics
/// As [`try_fold_in`] fails.
#[track_caller]
pub fn fold_in(seed: impl IntoSeed, data: impl AsTensor) -> Tensor {
    try_fold_in(seed, data).or_fail()
}

/// A seed made from a seed and a scalar tensor of integers.
///
/// # Errors
/// InvalidArgument for a bad seed, or data that is no integer scalar.
#[track_caller]
pub fn try_fold_in(seed: impl IntoSeed, data: impl AsTensor) -> Result<Tensor> {
    let here = Location::caller();
    let data = data.as_tensor();
    if data.rank() != 0 || !data.dtype().is_integer() {
        return Err(Error::invalid_argument("fold_in", "the data must be one integer").got(data.ty()).at(here));
    }
    let first = draw(Shape::new(&[1]), &seed, Law::Full, DType::I64)?;
    let data = ops::reshape_to(&ops::cast_to(&data, DType::I64)?, first.shape())?;
    ops::concat_all(&[&first, &data], 0).map_err(|e| e.at(here))
}

/// Where `index` goes in a random permutation of `0..=max_index` that is never stored: TensorFlow's
/// `tf.random.experimental.index_shuffle`.
///
/// ```
/// use eagerflow as tf;
/// let mut order: Vec<u64> = (0..10).map(|i| tf::random::index_shuffle(i, [1, 2], 9)).collect();
/// order.sort();
/// assert!(order.into_iter().eq(0..10));
/// ```
///
/// # Panics
/// For an index above `max_index`.
#[track_caller]
pub fn index_shuffle(index: u64, seed: [i64; 2], max_index: u64) -> u64 {
    let inside = match index <= max_index {
        true => Ok(index),
        false => Err(Error::out_of_range("index_shuffle", "the index is outside the permutation")
            .got(index)
            .expected(format!("0..={max_index}"))),
    };
    philox::index_shuffle(inside.or_fail(), seed, max_index)
}
