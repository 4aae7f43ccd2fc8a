//! `hann_window`, `hamming_window`, `kaiser_window`, `kaiser_bessel_derived_window` and `vorbis_window`: weights of a frame's samples.
//! TensorFlow's functions in `tf.signal` of these names. Lengths may be known only when a graph runs.

use super::frame::samples;
use super::{cast_to, concat_all, functions, ones_of, reshape_to, slice_axis};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Dim, IntoDim, Shape};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::panic::Location;

/// The numbers 0, 1, .. in a dtype, and the number of them as a scalar.
#[track_caller]
pub(super) fn positions(length: Dim, dtype: DType) -> Result<Tensor> {
    let all = functions::try_range(0_i64, length, 1_i64)?;
    reshape_to(&cast_to(&all, dtype)?, &Shape::from_dims(&[length])?)
}

fn checked(op: &str, length: Dim, dtype: DType) -> Result<Dim> {
    if !DTypes::FLOATING.has(dtype) {
        return Err(Error::invalid_argument(op, "a window is made of floats").got(dtype).expected(DTypes::FLOATING));
    }
    samples(op, "window_length", length, 0)
}

/// The window, or a single 1 for a length of 1, where formulas divide by zero.
#[track_caller]
fn or_one(length: Dim, dtype: DType, window: impl FnOnce() -> Result<Tensor>) -> Result<Tensor> {
    let one = || ones_of(&TensorType::new(dtype, Shape::from_dims(&[length])?));
    match length {
        Dim::ONE => one(),
        _ if length.is_known() || length.at_least(2) => window(),
        _ => functions::try_where(functions::try_equal(length, 1_i64)?, one()?, window()?),
    }
}

/// a - b cos(2π i / n), where periodic windows of an even length have their first sample once more behind the last.
#[track_caller]
fn raised_cosine(op: &str, length: Dim, periodic: bool, dtype: DType, [a, b]: [f64; 2]) -> Result<Tensor> {
    let length = checked(op, length, dtype)?;
    or_one(length, dtype, || {
        let n = if periodic { length - length % Dim::known(2) } else { length.max(Dim::ONE) - 1 };
        let turns = functions::try_multiply(positions(length, dtype)?, TAU)?;
        let angles = functions::try_divide(turns, number(n, dtype)?)?;
        functions::try_subtract(a, functions::try_multiply(functions::try_cos(angles)?, b)?)
    })
}

/// A size as a scalar of a dtype.
#[track_caller]
pub(super) fn number(size: Dim, dtype: DType) -> Result<Tensor> {
    cast_to(&super::size_of(&Shape::from_dims(&[size])?, 0)?, dtype)
}

#[track_caller]
pub(super) fn hann(length: Dim, periodic: bool, dtype: DType) -> Result<Tensor> {
    raised_cosine("hann_window", length, periodic, dtype, [0.5, 0.5])
}

#[track_caller]
pub(super) fn hamming(length: Dim, periodic: bool, dtype: DType) -> Result<Tensor> {
    raised_cosine("hamming_window", length, periodic, dtype, [0.54, 0.46])
}

#[track_caller]
pub(super) fn kaiser(op: &str, length: Dim, beta: f64, dtype: DType) -> Result<Tensor> {
    let length = checked(op, length, dtype)?;
    or_one(length, dtype, || {
        // Half of 16 bits do not hold the places: they are reckoned with in 32, as TensorFlow does.
        let wide = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
        let half = functions::try_multiply(number(length.max(Dim::ONE) - 1, wide)?, 0.5)?;
        let place = cast_to(&functions::try_subtract(positions(length, wide)?, &half)?, dtype)?;
        let part = functions::try_divide(place, cast_to(&half, dtype)?)?;
        let beta = Tensor::from(beta).try_cast(dtype)?;
        let height = functions::try_relu(functions::try_subtract(1.0, functions::try_square(part)?)?)?;
        let num = functions::try_multiply(functions::try_sqrt(height)?, &beta)?;
        let scale = functions::try_exp(functions::try_subtract(&num, &beta)?)?;
        let ratio = functions::try_divide(functions::try_bessel_i0e(&num)?, functions::try_bessel_i0e(&beta)?)?;
        functions::try_multiply(scale, ratio)
    })
}

#[track_caller]
pub(super) fn kaiser_bessel_derived(length: Dim, beta: f64, dtype: DType) -> Result<Tensor> {
    let half = checked("kaiser_bessel_derived_window", length, dtype)?.floor_div(2);
    let sums = functions::try_cumsum(kaiser("kaiser_bessel_derived_window", half + 1, beta, dtype)?, 0)?;
    let (first, last) = (slice_axis(&sums, 0, Dim::ZERO, half)?, slice_axis(&sums, 0, half, Dim::ONE)?);
    let rising = functions::try_sqrt(functions::try_divide(first, last)?)?;
    concat_all(&[&rising, &functions::try_reverse(&rising, 0)?], 0)
}

#[track_caller]
pub(super) fn vorbis(length: Dim, dtype: DType) -> Result<Tensor> {
    let length = checked("vorbis_window", length, dtype)?;
    let step = functions::try_divide(Tensor::from(PI).try_cast(dtype)?, number(length, dtype)?)?;
    let places = functions::try_add(positions(length, dtype)?, 0.5)?;
    let sine = functions::try_square(functions::try_sin(functions::try_multiply(places, step)?)?)?;
    functions::try_sin(functions::try_multiply(sine, FRAC_PI_2)?)
}

/// Writes the short form of a window, periodic and `float32`, the one with all arguments, and their `try_` twins.
macro_rules! windows {
    ($(
        $(#[$doc:meta])*
        pub fn $name:ident, $try_name:ident, $with:ident, $try_with:ident(length $(, $arg:ident: $ty:ty = $default:expr)*) $make:expr;
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($try_name), "`] answers an error, with its message at the caller's line.")]
        #[track_caller]
        pub fn $name(window_length: impl IntoDim) -> Tensor {
            $try_name(window_length).or_fail()
        }

        #[doc = concat!("[`", stringify!($name), "`] that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// InvalidArgument for a negative length, ResourceExhausted without memory.
        #[track_caller]
        pub fn $try_name(window_length: impl IntoDim) -> Result<Tensor> {
            $try_with(window_length $(, $default)*, DType::F32)
        }

        #[doc = concat!("[`", stringify!($name), "`] with all of TensorFlow's arguments.")]
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($try_with), "`] answers an error, with its message at the caller's line.")]
        #[track_caller]
        pub fn $with(window_length: impl IntoDim $(, $arg: $ty)*, dtype: DType) -> Tensor {
            $try_with(window_length $(, $arg)*, dtype).or_fail()
        }

        #[doc = concat!("[`", stringify!($with), "`] that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// InvalidArgument for a negative length or a dtype that is no float, ResourceExhausted without memory.
        #[track_caller]
        pub fn $try_with(window_length: impl IntoDim $(, $arg: $ty)*, dtype: DType) -> Result<Tensor> {
            let here = Location::caller();
            // A function, not a closure: it lets the caller's location through to the tensors it makes.
            #[track_caller]
            fn made(length: Result<Dim> $(, $arg: $ty)*, dtype: DType) -> Result<Tensor> {
                $make(length? $(, $arg)*, dtype)
            }
            made(window_length.into_dim() $(, $arg)*, dtype).map_err(|e| e.named(stringify!($name)).at(here))
        }
    )*};
}

#[track_caller]
fn kaiser_window_of(length: Dim, beta: f64, dtype: DType) -> Result<Tensor> {
    kaiser("kaiser_window", length, beta, dtype)
}

windows! {
    /// The Hann window, ½ - ½ cos(2π i / n). As TensorFlow's `tf.signal.hann_window` it is periodic unless told otherwise: n is the
    /// length if that is even, and one less if it is odd, as it is for symmetric windows.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let w = tf::signal::hann_window(4);
    /// assert!(tf::abs(w - tf::constant([0.0, 0.5, 1.0, 0.5])).to_vec::<f32>().iter().all(|d| *d < 1e-6));
    /// let w = tf::signal::hann_window_with(3, false, tf::float64);
    /// assert_eq!(w.to_vec::<f64>(), [0.0, 1.0, 0.0]);
    /// ```
    pub fn hann_window, try_hann_window, hann_window_with, try_hann_window_with(length, periodic: bool = true) hann;

    /// The Hamming window, 0.54 - 0.46 cos(2π i / n), periodic as [`hann_window`] is. TensorFlow's `tf.signal.hamming_window`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let w = tf::signal::hamming_window(2);
    /// assert!(tf::abs(w - tf::constant([0.08, 1.0])).to_vec::<f32>().iter().all(|d| *d < 1e-6));
    /// ```
    pub fn hamming_window, try_hamming_window, hamming_window_with, try_hamming_window_with(length, periodic: bool = true) hamming;

    /// The Kaiser window, of a `beta` of 12 unless told otherwise. TensorFlow's `tf.signal.kaiser_window`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::signal::kaiser_window(5).to_vec::<f32>()[2], 1.0);
    /// assert_eq!(tf::signal::kaiser_window_with(3, 0.0, tf::float32).to_vec::<f32>(), [1.0, 1.0, 1.0]);
    /// ```
    pub fn kaiser_window, try_kaiser_window, kaiser_window_with, try_kaiser_window_with(length, beta: f64 = 12.0) kaiser_window_of;

    /// The window whose squares are sums of a Kaiser window, of a `beta` of 12 unless told otherwise, for an even length; an odd one gives
    /// one sample less. TensorFlow's `tf.signal.kaiser_bessel_derived_window`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let w = tf::signal::kaiser_bessel_derived_window(8).to_vec::<f32>();
    /// assert!((w[1] * w[1] + w[5] * w[5] - 1.0).abs() < 1e-6);
    /// ```
    pub fn kaiser_bessel_derived_window, try_kaiser_bessel_derived_window, kaiser_bessel_derived_window_with,
        try_kaiser_bessel_derived_window_with(length, beta: f64 = 12.0) kaiser_bessel_derived;

    /// The Vorbis window, sin(½π sin²(π (i + ½) / n)). TensorFlow's `tf.signal.vorbis_window`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let w = tf::signal::vorbis_window(4).to_vec::<f32>();
    /// assert!((w[0] * w[0] + w[2] * w[2] - 1.0).abs() < 1e-6);
    /// ```
    pub fn vorbis_window, try_vorbis_window, vorbis_window_with, try_vorbis_window_with(length) vorbis;
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use tf::DType;

    #[test]
    fn lengths_of_0_and_1_and_refusals() {
        for length in [0_usize, 1] {
            for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
                assert_eq!(tf::hann_window_with(length, true, dtype).cast(DType::F32).to_vec::<f32>(), vec![1.0; length]);
                assert_eq!(tf::kaiser_window_with(length, 3.0, dtype).cast(DType::F32).to_vec::<f32>(), vec![1.0; length]);
                assert_eq!(tf::vorbis_window_with(length, dtype).shape(), [length]);
            }
            assert_eq!(tf::kaiser_bessel_derived_window(length).shape(), [0]);
        }
        let refused = [
            tf::try_hann_window(-1),
            tf::try_hamming_window_with(4, false, DType::I32),
            tf::try_kaiser_window(i64::MIN),
            tf::try_kaiser_bessel_derived_window(-3),
            tf::try_vorbis_window_with(4, DType::C64),
        ];
        assert!(refused.into_iter().all(|w| w.unwrap_err().to_string().contains("_window")));
    }
}
