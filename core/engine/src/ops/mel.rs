//! `linear_to_mel_weight_matrix`: the weights with which the numbers of a spectrum become bands of the mel scale, as HTK has them.
//! TensorFlow's `tf.signal.linear_to_mel_weight_matrix`.

use super::pad::pad_axis;
use super::{cast_to, functions, reshape_to, slice_axis};
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

/// The bands of [`linear_to_mel_weight_matrix`]. TensorFlow's defaults.
#[derive(Clone, Copy, Debug)]
pub struct MelBands {
    /// How many bands.
    pub num_mel_bins: usize,
    /// How many numbers a spectrum has: half the length of the transform, and 1.
    pub num_spectrogram_bins: usize,
    /// Samples per second.
    pub sample_rate: f64,
    /// Where the lowest band begins, in Hertz.
    pub lower_edge_hertz: f64,
    /// Where the highest band ends, in Hertz: at most half the sample rate.
    pub upper_edge_hertz: f64,
    /// The dtype of the matrix.
    pub dtype: DType,
}

impl Default for MelBands {
    fn default() -> Self {
        Self {
            num_mel_bins: 20,
            num_spectrogram_bins: 129,
            sample_rate: 8000.0,
            lower_edge_hertz: 125.0,
            upper_edge_hertz: 3800.0,
            dtype: DType::F32,
        }
    }
}

impl MelBands {
    fn check(&self) -> Result<()> {
        let refused = |option: &str, got: String, expected: &str| {
            Err(Error::invalid_argument("linear_to_mel_weight_matrix", format!("`{option}` is out of range"))
                .got(got)
                .expected(expected))
        };
        let (lower, upper, rate) = (self.lower_edge_hertz, self.upper_edge_hertz, self.sample_rate);
        match self {
            _ if self.num_mel_bins == 0 => refused("num_mel_bins", "0".into(), "at least 1"),
            _ if self.num_spectrogram_bins == 0 => refused("num_spectrogram_bins", "0".into(), "at least 1"),
            _ if !(rate > 0.0 && rate.is_finite()) => refused("sample_rate", rate.to_string(), "a number above 0"),
            _ if !(lower >= 0.0 && lower.is_finite()) => {
                refused("lower_edge_hertz", lower.to_string(), "a number of at least 0")
            }
            _ if upper.is_nan() || upper <= lower => {
                refused("upper_edge_hertz", upper.to_string(), "more than `lower_edge_hertz`")
            }
            _ if upper > rate / 2.0 => refused("upper_edge_hertz", upper.to_string(), "at most half of `sample_rate`"),
            _ if !DTypes::FLOATING.has(self.dtype) => refused("dtype", self.dtype.to_string(), "a dtype of floats"),
            _ => Ok(()),
        }
    }
}

/// HTK's mel scale.
fn mel(hertz: f64) -> f64 {
    1127.0 * (hertz / 700.0).ln_1p()
}

#[track_caller]
fn matrix(bands: &MelBands) -> Result<Tensor> {
    bands.check()?;
    let count = bands.num_mel_bins;
    // In 64 bits, and rounded at the end: edges that lie close together do not become equal.
    let wide = |x: f64| Tensor::from(x);
    let hertz = functions::try_linspace(wide(0.0), wide(bands.sample_rate / 2.0), bands.num_spectrogram_bins, 0)?;
    // HTK leaves out what is constant in the signal.
    let hertz = slice_axis(&hertz, 0, Dim::ONE, Dim::known(bands.num_spectrogram_bins - 1))?;
    let mels = functions::try_multiply(functions::try_log1p(functions::try_divide(hertz, 700.0)?)?, 1127.0)?;
    let column = reshape_to(&mels, &Shape::new(&[bands.num_spectrogram_bins - 1, 1])?)?;
    let edges = count.checked_add(2).unwrap_or(count);
    let edges = functions::try_linspace(wide(mel(bands.lower_edge_hertz)), wide(mel(bands.upper_edge_hertz)), edges, 0)?;
    let row = |from: usize| slice_axis(&edges, 0, Dim::known(from), Dim::known(count));
    let (lower, center, upper) = (row(0)?, row(1)?, row(2)?);
    let slope = |a: &Tensor, b: &Tensor, over: Tensor| {
        functions::try_divide(functions::try_subtract(a, b)?, over)
    };
    let rising = slope(&column, &lower, functions::try_subtract(&center, &lower)?)?;
    let falling = slope(&upper, &column, functions::try_subtract(&upper, &center)?)?;
    let weights = functions::try_maximum(functions::try_minimum(&rising, &falling)?, 0.0)?;
    pad_axis(&cast_to(&weights, bands.dtype)?, 0, Dim::ONE, Dim::ZERO)
}

/// The matrix `[num_spectrogram_bins, num_mel_bins]` by which spectra are multiplied: triangles on the mel scale, whose top is 1.
/// TensorFlow's `tf.signal.linear_to_mel_weight_matrix`.
///
/// ```
/// use eagerflow::{self as tf, signal::MelBands};
/// let bands = MelBands { num_mel_bins: 40, num_spectrogram_bins: 257, ..MelBands::default() };
/// let spectrograms = tf::abs(tf::signal::stft(tf::ones([1000]), 400, 160));
/// let mel = tf::matmul(&spectrograms, tf::signal::linear_to_mel_weight_matrix(&bands));
/// assert_eq!(mel.shape(), [4, 40]);
/// ```
///
/// # Panics
/// Where [`try_linear_to_mel_weight_matrix`] answers an error, with its message at the caller's line.
#[track_caller]
pub fn linear_to_mel_weight_matrix(bands: &MelBands) -> Tensor {
    try_linear_to_mel_weight_matrix(bands).or_fail()
}

/// [`linear_to_mel_weight_matrix`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument for numbers out of range, edges in the wrong order and a dtype that is no float; ResourceExhausted without memory.
#[track_caller]
pub fn try_linear_to_mel_weight_matrix(bands: &MelBands) -> Result<Tensor> {
    let here = Location::caller();
    matrix(bands).map_err(|e| e.named("linear_to_mel_weight_matrix").at(here))
}

#[cfg(test)]
mod tests {
    use super::MelBands;
    use crate as tf;

    #[test]
    fn refusals() {
        let good = MelBands::default();
        for bands in [
            MelBands { num_mel_bins: 0, ..good },
            MelBands { num_mel_bins: usize::MAX, ..good },
            MelBands { num_spectrogram_bins: 0, ..good },
            MelBands { sample_rate: f64::NAN, ..good },
            MelBands { lower_edge_hertz: -1.0, ..good },
            MelBands { lower_edge_hertz: 3800.0, ..good },
            MelBands { upper_edge_hertz: f64::INFINITY, ..good },
            MelBands { upper_edge_hertz: 4001.0, ..good },
            MelBands { dtype: tf::DType::I32, ..good },
        ] {
            let text = tf::try_linear_to_mel_weight_matrix(&bands).unwrap_err().to_string();
            assert!(text.contains("linear_to_mel_weight_matrix"), "{text}");
        }
        assert_eq!(tf::linear_to_mel_weight_matrix(&MelBands { num_spectrogram_bins: 1, ..good }).shape(), [1, 20]);
    }
}
