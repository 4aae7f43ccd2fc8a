//! `mdct` and `inverse_mdct`: the modified discrete cosine transform of frames that overlap by a half, and the signals of such transforms.
//! TensorFlow's functions in `tf.signal` of these names; frames, weights, a fold to half their length, and a `dct` of type IV.

use super::dct::{Dct, DctType, transformed};
use super::frame::{Framing, added, frames, samples};
use super::frame_window::Window;
use super::{concat_all, functions, public, slice_axis};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, IntoDim};
use std::f64::consts::FRAC_1_SQRT_2;

/// What [`mdct_with`](fn@crate::mdct_with) and [`inverse_mdct_with`](fn@crate::inverse_mdct_with) are told. TensorFlow's defaults.
#[derive(Clone, Debug)]
pub struct Mdct {
    /// The weights of each frame; without a window all are 1 / √2. A signal comes back where the squares of w and of w half a frame
    /// later add up to 1, as those of a Vorbis window do.
    pub window: Window,
    /// For `mdct`: whether frames go on to the end of the signal, with zeros behind it.
    pub pad_end: bool,
    /// TensorFlow's `norm="ortho"`.
    pub ortho: bool,
}

impl Default for Mdct {
    fn default() -> Self {
        Self { window: Window::vorbis(), pad_end: false, ortho: false }
    }
}

impl Mdct {
    #[track_caller]
    fn weighed(&self, frames: &Tensor, length: Dim) -> Result<Tensor> {
        match self.window.weights(length, frames.dtype())? {
            Some(weights) => functions::try_multiply(frames, &weights),
            None => functions::try_multiply(frames, FRAC_1_SQRT_2),
        }
    }

    fn dct(&self) -> Dct {
        Dct { kind: DctType::IV, n: None, ortho: self.ortho }
    }
}

/// Equal parts of the last axis, each so long.
#[track_caller]
fn split<const N: usize>(x: &Tensor, size: Dim) -> Result<[Tensor; N]> {
    let mut all = Vec::with_capacity(N);
    for part in 0..N {
        all.push(slice_axis(x, x.rank() - 1, size * part, size)?);
    }
    all.try_into().map_err(|_| Error::internal("mdct", "as many parts as were cut"))
}

#[track_caller]
fn forward(x: &Tensor, length: Dim, how: &Mdct) -> Result<Tensor> {
    let op = "mdct";
    super::fourier::check(op, x, false, 1)?;
    let length = samples(op, "frame_length", length, 4)?;
    if length.known_value().is_some_and(|length| length % 4 != 0) {
        return Err(Error::invalid_argument(op, "`frame_length` is out of range").got(length).expected("a multiple of 4"));
    }
    let quarter = length.floor_div(4);
    let framed = frames(op, x, length, quarter * 2, &Framing { pad_end: how.pad_end, ..Framing::default() })?;
    let framed = how.weighed(&framed, length)?;
    let [a, b, c, d] = split(&framed, quarter)?;
    let last = framed.rank() as isize - 1;
    let first = functions::try_subtract(functions::try_neg(functions::try_reverse(&c, last)?)?, &d)?;
    let second = functions::try_subtract(&a, functions::try_reverse(&b, last)?)?;
    transformed(op, &concat_all(&[&first, &second], framed.rank() - 1)?, how.dct())
}

#[track_caller]
fn backward(x: &Tensor, how: &Mdct) -> Result<Tensor> {
    let op = "inverse_mdct";
    super::fourier::check(op, x, false, 2)?;
    if how.pad_end {
        return Err(Error::invalid_argument(op, "`pad_end` says nothing here").help("leave it at its default"));
    }
    let half = x.shape().dim(x.rank() - 1);
    if half.known_value().is_some_and(|half| half == 0 || half % 2 != 0) {
        return Err(Error::invalid_argument(op, "the last axis is no half of a frame").got(x.shape()).expected("an even size"));
    }
    let mut y = transformed(op, x, how.dct())?;
    if !how.ortho {
        let scale = functions::try_divide(0.5, super::window_functions::number(half, x.dtype())?)?;
        y = functions::try_multiply(&y, scale)?;
    }
    let last = x.rank() as isize - 1;
    let [a, b] = split(&y, half.floor_div(2))?;
    let turned = |part: &Tensor| functions::try_neg(functions::try_reverse(part, last)?);
    let framed = concat_all(&[&b, &turned(&b)?, &turned(&a)?, &functions::try_neg(&a)?], x.rank() - 1)?;
    added(op, &how.weighed(&framed, half * 2)?, half)
}

public! {
    /// The modified discrete cosine transform of frames of `frame_length` samples, a multiple of 4, each half of that behind the one
    /// before, weighed by a Vorbis window: `[.., frames, frame_length / 2]`. TensorFlow's `tf.signal.mdct`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::signal::mdct(tf::ones([3, 100]), 20).shape(), [3, 9, 10]);
    /// ```
    pub fn mdct, try_mdct(x, frame_length: impl IntoDim) -> Tensor {
        forward(x, frame_length.into_dim()?, &Mdct::default()).map_err(|e| e.named("mdct"))
    }

    /// [`mdct`](fn@mdct) with another window, the end of the signal filled up, or orthogonal.
    ///
    /// ```
    /// use eagerflow::{self as tf, signal::{Mdct, Window}};
    /// let how = Mdct { window: Window::none(), pad_end: true, ortho: true };
    /// assert_eq!(tf::signal::mdct_with(tf::ones([10]), 8, &how).shape(), [3, 4]);
    /// ```
    pub fn mdct_with, try_mdct_with(x, frame_length: impl IntoDim, how: &Mdct) -> Tensor {
        forward(x, frame_length.into_dim()?, how).map_err(|e| e.named("mdct"))
    }

    /// The signals of such transforms `[.., frames, half a frame]`. TensorFlow's `tf.signal.inverse_mdct`; the first and the last half
    /// frame are in one frame alone, and do not come back.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::range(0.0, 16.0, 1.0);
    /// let back = tf::signal::inverse_mdct(tf::signal::mdct(&x, 8));
    /// let error = tf::slice(&tf::abs(&(back - &x)), [4], [8]);
    /// assert!(error.to_vec::<f32>().iter().all(|d| *d < 1e-4));
    /// ```
    pub fn inverse_mdct, try_inverse_mdct(x) -> Tensor {
        backward(x, &Mdct::default()).map_err(|e| e.named("inverse_mdct"))
    }

    /// [`inverse_mdct`](fn@inverse_mdct) with the options that [`mdct_with`](fn@mdct_with) was given.
    ///
    /// ```
    /// use eagerflow::{self as tf, signal::Mdct};
    /// let how = Mdct { ortho: true, ..Mdct::default() };
    /// assert_eq!(tf::signal::inverse_mdct_with(tf::ones([5, 4]), &how).shape(), [24]);
    /// ```
    pub fn inverse_mdct_with, try_inverse_mdct_with(x, how: &Mdct) -> Tensor {
        backward(x, how).map_err(|e| e.named("inverse_mdct"))
    }
}

#[cfg(test)]
mod tests {
    use super::Mdct;
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use crate::ops::functions::Window;

    #[test]
    fn gradients_of_both_orders() {
        for how in [Mdct::default(), Mdct { window: Window::none(), ortho: true, ..Mdct::default() }] {
            check(&|x| tf::mdct_with(&x[0], 8, &how).square(), &[numbers(1, &[2, 19])]);
            check(&|x| tf::inverse_mdct_with(&x[0], &how).square(), &[numbers(1, &[2, 3, 4])]);
        }
    }

    #[test]
    fn refusals() {
        let x = tf::ones([20]);
        for length in [0, 6, -4] {
            assert!(tf::try_mdct(&x, length).unwrap_err().to_string().contains("mdct"));
        }
        assert!(tf::try_inverse_mdct(&x).is_err() && tf::try_inverse_mdct(&tf::ones([2, 3])).is_err());
        assert!(tf::try_inverse_mdct_with(&tf::ones([2, 4]), &Mdct { pad_end: true, ..Mdct::default() }).is_err());
    }
}
