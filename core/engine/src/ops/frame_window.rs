//! [`Window`]: weights of the samples of frames before their number and dtype are known, as `stft`, `mdct` and their inverses take them.
//! TensorFlow's `window_fn`; the windows themselves are in `window_functions.rs`.

use super::window_functions::{hamming, hann, kaiser, kaiser_bessel_derived, vorbis};
use super::{functions, reshape_to};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, IntoDim, Shape};
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

/// The weights of the samples of frames, before their number and dtype are known: TensorFlow's `window_fn`.
///
/// ```
/// use eagerflow::{self as tf, signal::{Stft, Window}};
/// let triangle = Window::of(|length, dtype| {
///     let half = tf::try_add(tf::try_range(0, length, 1)?.try_cast(dtype)?, 0.5)?;
///     tf::try_minimum(&half, tf::try_reverse(&half, 0)?)
/// });
/// let how = Stft { window: triangle, ..Stft::default() };
/// assert_eq!(tf::signal::stft_with(tf::ones([16]), 8, 4, &how).shape(), [3, 5]);
/// ```
#[derive(Clone)]
pub struct Window(Option<Rc<Weights>>);

type Weights = dyn Fn(Dim, DType) -> Result<Tensor>;

impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Window(..)" } else { "Window(none)" })
    }
}

impl Window {
    /// No weights: TensorFlow's `None`.
    pub fn none() -> Self {
        Self(None)
    }

    /// Weights by a function of their number and dtype, which gives a vector.
    pub fn of(weights: impl Fn(Dim, DType) -> Result<Tensor> + 'static) -> Self {
        Self(Some(Rc::new(weights)))
    }

    /// The periodic [`hann_window`](crate::hann_window).
    pub fn hann() -> Self {
        Self::of(|length, dtype| hann(length, true, dtype))
    }

    /// The periodic [`hamming_window`](crate::hamming_window).
    pub fn hamming() -> Self {
        Self::of(|length, dtype| hamming(length, true, dtype))
    }

    /// The [`kaiser_window`](crate::kaiser_window) of a `beta`.
    pub fn kaiser(beta: f64) -> Self {
        Self::of(move |length, dtype| kaiser("kaiser_window", length, beta, dtype))
    }

    /// The [`kaiser_bessel_derived_window`](crate::kaiser_bessel_derived_window) of a `beta`.
    pub fn kaiser_bessel_derived(beta: f64) -> Self {
        Self::of(move |length, dtype| kaiser_bessel_derived(length, beta, dtype))
    }

    /// The [`vorbis_window`](crate::vorbis_window).
    pub fn vorbis() -> Self {
        Self::of(vorbis)
    }

    /// The weights, so many of a dtype; `None` without any.
    ///
    /// # Errors
    /// What the function answers, and InvalidArgument where that is no vector of this length and dtype.
    #[track_caller]
    pub fn weights(&self, length: impl IntoDim, dtype: DType) -> Result<Option<Tensor>> {
        let here = Location::caller();
        let Some(make) = &self.0 else { return Ok(None) };
        let length = length.into_dim().map_err(|e| e.in_op("window").at(here))?;
        let weights = make(length, dtype).map_err(|e| e.at(here))?;
        let fits = weights.rank() == 1 && weights.dtype() == dtype && weights.shape().dim(0).can_equal(length);
        match fits {
            true => Ok(Some(reshape_to(&weights, &Shape::from_dims(&[length])?)?)),
            false => Err(Error::invalid_argument("window", "the weights do not fit the frames")
                .got(weights.ty())
                .expected(format!("{dtype}[{length}]"))
                .at(here)),
        }
    }

    pub(super) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Frames times the weights.
    #[track_caller]
    pub(super) fn weighed(&self, frames: &Tensor, length: Dim) -> Result<Tensor> {
        match self.weights(length, frames.dtype())? {
            Some(weights) => functions::try_multiply(frames, &weights),
            None => Ok(frames.clone()),
        }
    }
}
