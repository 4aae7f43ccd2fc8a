//! Short forms of the operations on signals: TensorFlow's arguments by name, with TensorFlow's defaults.
//! Users call them beside the functions of the same names.

use crate::signal::{Framing, Mdct, Stft, Window};
use crate::{AsTensor, Tensor, ToOperand};
use engine::library::try_diagonal_padding;
use kernels::error::{OnTheWay, OrFail};
use kernels::shape::IntoDim;

/// What `frame!` takes.
#[doc(hidden)]
#[track_caller]
pub fn __frame(
    signal: impl AsTensor,
    frame_length: impl IntoDim,
    frame_step: impl IntoDim,
    pad_end: bool,
    pad_value: impl ToOperand,
    axis: isize,
) -> Tensor {
    let signal = signal.as_tensor();
    let pad_value = try_diagonal_padding(pad_value, signal.dtype()).map_err(|e| e.named("frame")).or_fail();
    crate::frame_with(&*signal, frame_length, frame_step, &Framing { pad_end, pad_value, axis })
}

/// What `stft!` and `inverse_stft!` are told; a length of -1 is none.
#[doc(hidden)]
#[track_caller]
pub fn __stft(fft_length: impl IntoDim, window: Window, pad_end: bool) -> Stft {
    Stft { fft_length: fft_length.into_size().or_fail(), window, pad_end }
}

/// What `mdct!` is told.
#[doc(hidden)]
pub fn __mdct(window: Window, pad_end: bool, ortho: bool) -> Mdct {
    Mdct { window, pad_end, ortho }
}

/// Frames of a signal: [`frame_with`](fn@crate::frame_with) with TensorFlow's defaults, `frame!(signal, frame_length, frame_step, pad_end = false, pad_value = 0, axis = -1)`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::range(0, 5, 1);
/// assert_eq!(tf::frame!(&x, 3, 2).to_vec::<i32>(), [0, 1, 2, 2, 3, 4]);
/// assert_eq!(tf::frame!(&x, 2, 4, pad_end = true, pad_value = 9).to_vec::<i32>(), [0, 1, 4, 9]);
/// ```
#[macro_export]
macro_rules! frame {
    ($($arguments:tt)*) => {
        $crate::__call!(frame(signal, frame_length, frame_step; pad_end = false, pad_value = 0, axis = -1) => ($crate::__frame(signal, frame_length, frame_step, pad_end, pad_value, axis)) ($($arguments)*))
    };
}

/// Spectra of the frames of a signal: [`stft_with`](fn@crate::stft_with) with TensorFlow's defaults, `stft!(signals, frame_length, frame_step, fft_length = -1, window = Window::hann(), pad_end = false)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::stft!(tf::ones([20]), 8, 4, fft_length = 16).shape(), [4, 9]);
/// ```
#[macro_export]
macro_rules! stft {
    ($($arguments:tt)*) => {
        $crate::__call!(stft(signals, frame_length, frame_step; fft_length = -1, window = $crate::signal::Window::hann(), pad_end = false) => ($crate::stft_with(signals, frame_length, frame_step, &$crate::__stft(fft_length, window, pad_end))) ($($arguments)*))
    };
}

/// Signals of the spectra of their frames: [`inverse_stft_with`](fn@crate::inverse_stft_with) with TensorFlow's defaults, `inverse_stft!(stfts, frame_length, frame_step, fft_length = -1, window = Window::hann())`.
///
/// ```
/// use eagerflow as tf;
/// let y = tf::stft!(tf::ones([20]), 8, 4);
/// let window = tf::signal::inverse_stft_window_fn(4, &tf::signal::Window::hann());
/// assert_eq!(tf::inverse_stft!(&y, 8, 4, window = window).shape(), [20]);
/// ```
#[macro_export]
macro_rules! inverse_stft {
    ($($arguments:tt)*) => {
        $crate::__call!(inverse_stft(stfts, frame_length, frame_step; fft_length = -1, window = $crate::signal::Window::hann()) => ($crate::inverse_stft_with(stfts, frame_length, frame_step, &$crate::__stft(fft_length, window, false))) ($($arguments)*))
    };
}

/// The modified cosine transform of frames: [`mdct_with`](fn@crate::mdct_with) with TensorFlow's defaults, `mdct!(signals, frame_length, window = Window::vorbis(), pad_end = false, ortho = false)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::mdct!(tf::ones([20]), 8, pad_end = true).shape(), [5, 4]);
/// ```
#[macro_export]
macro_rules! mdct {
    ($($arguments:tt)*) => {
        $crate::__call!(mdct(signals, frame_length; window = $crate::signal::Window::vorbis(), pad_end = false, ortho = false) => ($crate::mdct_with(signals, frame_length, &$crate::__mdct(window, pad_end, ortho))) ($($arguments)*))
    };
}

/// The Hann window: [`hann_window_with`](fn@crate::hann_window_with) with TensorFlow's defaults, `hann_window!(window_length, periodic = true, dtype = float32)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::hann_window!(3, periodic = false).to_vec::<f32>(), [0.0, 1.0, 0.0]);
/// ```
#[macro_export]
macro_rules! hann_window {
    ($($arguments:tt)*) => {
        $crate::__call!(hann_window(window_length; periodic = true, dtype = $crate::DType::F32) => ($crate::hann_window_with(window_length, periodic, dtype)) ($($arguments)*))
    };
}

/// The Hamming window: [`hamming_window_with`](fn@crate::hamming_window_with) with TensorFlow's defaults, `hamming_window!(window_length, periodic = true, dtype = float32)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::hamming_window!(4, dtype = tf::float64).dtype(), tf::float64);
/// ```
#[macro_export]
macro_rules! hamming_window {
    ($($arguments:tt)*) => {
        $crate::__call!(hamming_window(window_length; periodic = true, dtype = $crate::DType::F32) => ($crate::hamming_window_with(window_length, periodic, dtype)) ($($arguments)*))
    };
}

/// The Kaiser window: [`kaiser_window_with`](fn@crate::kaiser_window_with) with TensorFlow's defaults, `kaiser_window!(window_length, beta = 12.0, dtype = float32)`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::kaiser_window!(3, beta = 0.0).to_vec::<f32>(), [1.0, 1.0, 1.0]);
/// ```
#[macro_export]
macro_rules! kaiser_window {
    ($($arguments:tt)*) => {
        $crate::__call!(kaiser_window(window_length; beta = 12.0, dtype = $crate::DType::F32) => ($crate::kaiser_window_with(window_length, beta, dtype)) ($($arguments)*))
    };
}
