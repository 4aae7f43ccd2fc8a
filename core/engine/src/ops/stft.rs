//! `stft`, `inverse_stft` and `inverse_stft_window_fn`: spectra of the frames of a signal, and back, weighed by a [`Window`].
//! TensorFlow's functions in `tf.signal` of these names; frames, a product and an `rfft`, so that the cost is that of the frames.

use super::frame::{Framing, added, frames, samples};
use super::frame_window::Window;
use super::functions::{self, try_irfft_with, try_rfft_with};
use super::pad::pad_axis;
use super::window_functions::number;
use super::{public, reshape_to, slice_axis, zeros_of};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Dim, IntoDim, Shape};
use std::panic::Location;

/// What [`stft_with`](fn@crate::stft_with) and [`inverse_stft_with`](fn@crate::inverse_stft_with) are told. TensorFlow's defaults.
#[derive(Clone, Debug)]
pub struct Stft {
    /// The length of the transforms; without it the smallest power of two that is as long as a frame.
    pub fft_length: Option<Dim>,
    /// The weights of each frame.
    pub window: Window,
    /// For `stft`: whether frames go on to the end of the signal, with zeros behind it.
    pub pad_end: bool,
}

impl Default for Stft {
    fn default() -> Self {
        Self { fft_length: None, window: Window::hann(), pad_end: false }
    }
}

impl Stft {
    /// The length of the transforms of frames that are so long.
    #[track_caller]
    fn points(&self, op: &str, frame_length: Dim) -> Result<Dim> {
        if let Some(length) = self.fft_length {
            return samples(op, "fft_length", length, 1);
        }
        if let Some(length) = frame_length.known_value() {
            return length.checked_next_power_of_two().map(Dim::known).unwrap_or(Dim::INVALID).valid();
        }
        // As TensorFlow: 2 to the logarithm, which is a hair too large for some powers of two.
        let log = functions::try_divide(functions::try_log(number(frame_length, DType::F64)?)?, 2_f64.ln())?;
        let log = functions::try_ceil(functions::try_subtract(log, 1e-9)?)?;
        functions::try_cast(functions::try_round(functions::try_pow(2.0, log)?)?, DType::I64)?.into_dim()
    }
}

#[track_caller]
fn spectra(x: &Tensor, size: Dim, step: Dim, how: &Stft) -> Result<Tensor> {
    let op = "stft";
    super::fourier::check(op, x, false, 1)?;
    let size = samples(op, "frame_length", size, 1)?;
    let points = how.points(op, size)?;
    let framed = frames(op, x, size, step, &Framing { pad_end: how.pad_end, ..Framing::default() })?;
    try_rfft_with(how.window.weighed(&framed, size)?, points)
}

#[track_caller]
fn signals(x: &Tensor, size: Dim, step: Dim, how: &Stft) -> Result<Tensor> {
    let op = "inverse_stft";
    super::fourier::check(op, x, true, 2)?;
    if how.pad_end {
        return Err(Error::invalid_argument(op, "`pad_end` says nothing here").help("leave it at its default"));
    }
    let size = samples(op, "frame_length", size, 1)?;
    let points = how.points(op, size)?;
    let mut framed = try_irfft_with(x, points)?;
    if points != size {
        let (axis, kept) = (x.rank() - 1, points.min(size));
        framed = pad_axis(&slice_axis(&framed, axis, Dim::ZERO, kept)?, axis, Dim::ZERO, size - kept)?;
    }
    added(op, &how.window.weighed(&framed, size)?, step)
}

public! {
    /// The short-time Fourier transform: frames of `frame_length` samples, each `frame_step` behind the one before, weighed by a Hann
    /// window, and the spectrum of each: `[.., frames, fft_length / 2 + 1]`. TensorFlow's `tf.signal.stft`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::stft(tf::ones([2, 1000]), 400, 160);
    /// assert_eq!((y.dtype(), y.shape().dims()), (tf::complex64, &[2, 4, 257][..]));
    /// ```
    pub fn stft, try_stft(x, frame_length: impl IntoDim, frame_step: impl IntoDim) -> Tensor {
        let (size, step) = (frame_length.into_dim()?, frame_step.into_dim()?);
        spectra(x, size, step, &Stft::default()).map_err(|e| e.named("stft"))
    }

    /// [`stft`](fn@stft) with a length of the transforms, another window, or the end of the signal filled up.
    ///
    /// ```
    /// use eagerflow::{self as tf, signal::{Stft, Window}};
    /// let how = Stft { fft_length: Some(8.into()), window: Window::hamming(), pad_end: true };
    /// assert_eq!(tf::signal::stft_with(tf::ones([10]), 6, 2, &how).shape(), [5, 5]);
    /// ```
    pub fn stft_with, try_stft_with(x, frame_length: impl IntoDim, frame_step: impl IntoDim, how: &Stft) -> Tensor {
        let (size, step) = (frame_length.into_dim()?, frame_step.into_dim()?);
        spectra(x, size, step, how).map_err(|e| e.named("stft"))
    }

    /// Signals of spectra of their frames, which are weighed by a Hann window and added up. TensorFlow's `tf.signal.inverse_stft`; as
    /// there, what `stft` gave comes back with the window of [`inverse_stft_window_fn`](fn@inverse_stft_window_fn) alone.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::stft(tf::ones([1000]), 400, 160);
    /// assert_eq!(tf::signal::inverse_stft(&y, 400, 160).shape(), [880]);
    /// ```
    pub fn inverse_stft, try_inverse_stft(x, frame_length: impl IntoDim, frame_step: impl IntoDim) -> Tensor {
        let (size, step) = (frame_length.into_dim()?, frame_step.into_dim()?);
        signals(x, size, step, &Stft::default()).map_err(|e| e.named("inverse_stft"))
    }

    /// [`inverse_stft`](fn@inverse_stft) with a length of the transforms, or another window.
    ///
    /// ```
    /// use eagerflow::{self as tf, signal::{Stft, Window}};
    /// let x = tf::range(0.0, 12.0, 1.0);
    /// let y = tf::signal::stft(&x, 4, 2);
    /// let window = tf::signal::inverse_stft_window_fn(2, &Window::hann());
    /// let back = tf::signal::inverse_stft_with(&y, 4, 2, &Stft { window, ..Stft::default() });
    /// let error = tf::slice(&tf::abs(&(back - &x)), [2], [8]);
    /// assert!(error.to_vec::<f32>().iter().all(|d| *d < 1e-4));
    /// ```
    pub fn inverse_stft_with, try_inverse_stft_with(x, frame_length: impl IntoDim, frame_step: impl IntoDim, how: &Stft) -> Tensor {
        let (size, step) = (frame_length.into_dim()?, frame_step.into_dim()?);
        signals(x, size, step, how).map_err(|e| e.named("inverse_stft"))
    }
}

/// The window for `inverse_stft` that undoes the one of `stft`: its weights, divided by the sum of the squares of all that meet in a
/// sample, and 0 where none does. TensorFlow's `tf.signal.inverse_stft_window_fn`.
///
/// ```
/// use eagerflow::{self as tf, signal::Window};
/// let window = tf::signal::inverse_stft_window_fn(1, &Window::of(|length, dtype| tf::try_fill([length], 2.0)?.try_cast(dtype)));
/// assert_eq!(window.weights(2, tf::float32)?.map(|w| w.to_vec::<f32>()), Some(vec![0.25, 0.25]));
/// # Ok::<(), tf::Error>(())
/// ```
///
/// # Panics
/// Where [`try_inverse_stft_window_fn`] answers an error, with its message at the caller's line.
#[track_caller]
pub fn inverse_stft_window_fn(frame_step: impl IntoDim, forward_window_fn: &Window) -> Window {
    try_inverse_stft_window_fn(frame_step, forward_window_fn).or_fail()
}

/// [`inverse_stft_window_fn`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument for a step of less than 1, and for `Window::none()`, which TensorFlow has no inverse of either.
#[track_caller]
pub fn try_inverse_stft_window_fn(frame_step: impl IntoDim, forward_window_fn: &Window) -> Result<Window> {
    let (op, here) = ("inverse_stft_window_fn", Location::caller());
    let step = frame_step.into_dim().and_then(|step| samples(op, "frame_step", step, 1)).map_err(|e| e.named(op).at(here))?;
    if forward_window_fn.is_none() {
        return Err(Error::invalid_argument(op, "there are no weights to undo").got("Window::none()").at(here));
    }
    let forward = forward_window_fn.clone();
    Ok(Window::of(move |length, dtype| match forward.weights(length, dtype)? {
        Some(weights) => undoing(&weights, length, step).map_err(|e| e.named("inverse_stft_window_fn")),
        None => Err(Error::internal("inverse_stft_window_fn", "no weights")),
    }))
}

/// Griffin and Lim's equation 7, without the sum over frames that is the same for all of them.
#[track_caller]
fn undoing(weights: &Tensor, length: Dim, step: Dim) -> Result<Tensor> {
    let count = (length + step - 1).floor_div_dim(step);
    let squares = pad_axis(&functions::try_square(weights)?, 0, Dim::ZERO, count * step - length)?;
    let sums = functions::try_reduce_sum(reshape_to(&squares, &Shape::from_dims(&[count, step])?)?, 0)?;
    let each = functions::try_broadcast_to(&sums, Shape::from_dims(&[count, step])?)?;
    let each = slice_axis(&reshape_to(&each, &Shape::from_dims(&[count * step])?)?, 0, Dim::ZERO, length)?;
    let none = functions::try_equal(&each, 0.0)?;
    functions::try_where(none, zeros_of(weights.ty())?, functions::try_divide(weights, &each)?)
}

#[cfg(test)]
mod tests {
    use super::{Stft, Window};
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_both_orders() {
        let seen = |y: &tf::Tensor| tf::real(y).square() + tf::imag(y) * 0.7;
        let how = Stft { fft_length: Some(5.into()), window: Window::hamming(), pad_end: true };
        check(&|x| seen(&tf::stft(&x[0], 6, 3)), &[numbers(1, &[2, 13])]);
        check(&|x| seen(&tf::stft_with(&x[0], 6, 3, &how)), &[numbers(1, &[2, 13])]);
        let x = [numbers(1, &[3, 5]), numbers(2, &[3, 5])];
        check(&|x| tf::inverse_stft(&tf::complex(&x[0], &x[1]), 6, 3).square(), &x);
        check(&|x| tf::inverse_stft(&tf::complex(&x[0], &x[1]), 8, 4).square(), &x);
    }

    #[test]
    fn refusals() {
        let x = tf::ones([20]);
        let short = Stft { window: Window::of(|_, dtype| tf::try_ones([1], dtype)), ..Stft::default() };
        let refused = [
            tf::try_stft(&x, 0, 1),
            tf::try_stft(&x, 4, 0),
            tf::try_stft(&x, -4, 2),
            tf::try_stft(&tf::ones(()), 4, 2),
            tf::try_stft(&x.cast(tf::int32), 4, 2),
            tf::try_stft_with(&x, 4, 2, &short),
            tf::try_stft_with(&x, 4, 2, &Stft { fft_length: Some(0.into()), ..Stft::default() }),
        ];
        assert!(refused.into_iter().all(|y| y.unwrap_err().to_string().contains("stft")));
        assert!(tf::try_inverse_stft(&x.cast(tf::complex64), 4, 2).is_err());
        assert!(tf::try_inverse_stft_window_fn(0, &Window::hann()).is_err());
        assert!(tf::try_inverse_stft_window_fn(2, &Window::none()).is_err());
        assert_eq!(tf::stft(&tf::ones([0, 20]), 4, 2).shape(), [0, 9, 3]);
        assert_eq!(tf::stft(&tf::ones([3]), 4, 2).shape(), [0, 3]);
    }
}
