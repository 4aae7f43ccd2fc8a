//! `dct` and `idct`: discrete cosine transforms of the last axis, types I to IV, made of an `rfft`, and `mfccs_from_log_mel_spectrograms`.
//! TensorFlow's functions in `tf.signal` of these names; the numbers are SciPy's.

use super::functions::{self, try_irfft_with, try_rfft, try_rfft_with};
use super::pad::pad_axis;
use super::window_functions::{number, positions};
use super::{cast_to, concat_all, public, slice_axis};
use crate::meaning::{joined, parts};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::Dim;
use std::f64::consts::{FRAC_PI_2, FRAC_1_SQRT_2, SQRT_2};

/// The types of cosine transforms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DctType {
    /// Of a signal that is even around its first and last samples; its own inverse, but for a factor.
    I,
    /// What "the" cosine transform is; type III is its inverse.
    #[default]
    II,
    /// The inverse of type II.
    III,
    /// Of a signal that is even in front and odd behind; its own inverse, but for a factor.
    IV,
}

/// What [`dct_with`](fn@crate::dct_with) and [`idct_with`](fn@crate::idct_with) are told. TensorFlow's defaults.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dct {
    /// The type.
    pub kind: DctType,
    /// The number of samples, to which the axis is cut, or filled up with zeros.
    pub n: Option<Dim>,
    /// TensorFlow's `norm="ortho"`: whether the transform is an orthogonal matrix. Type I has no such form.
    pub ortho: bool,
}

/// The cosines and sines of π (2 k) / (4 n), for k from 0 up to n.
#[track_caller]
fn quarter_turns(n: Dim, dtype: DType) -> Result<(Tensor, Tensor)> {
    let step = functions::try_divide(FRAC_PI_2, number(n, DType::F64)?)?;
    let angles = functions::try_multiply(positions(n, DType::F64)?, step)?;
    Ok((cast_to(&functions::try_cos(&angles)?, dtype)?, cast_to(&functions::try_sin(&angles)?, dtype)?))
}

/// `first` for the first of n numbers, and `other` for the rest.
#[track_caller]
fn weights(n: Dim, dtype: DType, first: &Tensor, other: &Tensor) -> Result<Tensor> {
    let is_first = functions::try_equal(positions(n, DType::I64)?, 0_i64)?;
    cast_to(&functions::try_where(is_first, first, other)?, dtype)
}

#[track_caller]
pub(super) fn transformed(op: &str, x: &Tensor, how: Dct) -> Result<Tensor> {
    super::fourier::check(op, x, false, 1)?;
    let (axis, dtype) = (x.rank() - 1, x.dtype());
    let mut x = x.clone();
    if let Some(n) = how.n {
        let n = super::frame::samples(op, "n", n, 1)?;
        let size = x.shape().dim(axis);
        if n != size {
            let kept = n.min(size);
            x = pad_axis(&slice_axis(&x, axis, Dim::ZERO, kept)?, axis, Dim::ZERO, n - kept)?;
        }
    }
    let n = x.shape().dim(axis);
    let least = if how.kind == DctType::I { 2 } else { 1 };
    if n.known_value().is_some_and(|n| n < least) {
        return Err(Error::invalid_argument(op, "the last axis is too short for this transform")
            .got(x.shape())
            .expected(format!("at least {least} samples")));
    }
    match how.kind {
        DctType::I if how.ortho => Err(Error::invalid_argument(op, "there is no orthogonal transform of type I")
            .got("`ortho` with `DctType::I`")
            .help("leave `ortho` at its default")),
        DctType::I => {
            let inner = functions::try_reverse(slice_axis(&x, axis, Dim::ONE, n - 2)?, axis as isize)?;
            functions::try_real(try_rfft(concat_all(&[&x, &inner], axis)?)?)
        }
        DctType::II => {
            let y = second(&x, n, axis)?;
            if !how.ortho {
                return Ok(y);
            }
            let first = functions::try_multiply(functions::try_rsqrt(number(n, DType::F64)?)?, 0.5)?;
            functions::try_multiply(&y, weights(n, dtype, &first, &functions::try_multiply(&first, SQRT_2)?)?)
        }
        DctType::III => {
            let count = number(n, DType::F64)?;
            let scale = match how.ortho {
                true => {
                    let first = functions::try_sqrt(&count)?;
                    weights(n, dtype, &first, &functions::try_multiply(&first, FRAC_1_SQRT_2)?)?
                }
                false => cast_to(&count, dtype)?,
            };
            let x = functions::try_multiply(functions::try_multiply(&x, scale)?, 2.0)?;
            let (cos, sin) = quarter_turns(n, dtype)?;
            let z = joined(&functions::try_multiply(&x, &cos)?, &functions::try_multiply(&x, &sin)?)?;
            slice_axis(&try_irfft_with(&z, n * 2)?, axis, Dim::ZERO, n)
        }
        DctType::IV => {
            // Every other number of a transform of type II of twice the length.
            let whole = second(&pad_axis(&x, axis, Dim::ZERO, n)?, n * 2, axis)?;
            let pairs = super::reshape_to(&whole, &x.shape().push(2)?)?;
            let odd = slice_axis(&pairs, axis + 1, Dim::ONE, Dim::ONE)?;
            let y = super::reshape_to(&odd, x.shape())?;
            if !how.ortho {
                return Ok(y);
            }
            let scale = functions::try_multiply(functions::try_rsqrt(number(n, DType::F64)?)?, FRAC_1_SQRT_2)?;
            functions::try_multiply(&y, cast_to(&scale, dtype)?)
        }
    }
}

/// Type II of n numbers: the spectrum of as many and zeros behind them, turned by a quarter of a step.
#[track_caller]
fn second(x: &Tensor, n: Dim, axis: usize) -> Result<Tensor> {
    let (re, im) = parts(&slice_axis(&try_rfft_with(x, n * 2)?, axis, Dim::ZERO, n)?)?;
    let (cos, sin) = quarter_turns(n, x.dtype())?;
    let y = functions::try_add(functions::try_multiply(&re, &cos)?, functions::try_multiply(&im, &sin)?)?;
    functions::try_multiply(&y, 2.0)
}

#[track_caller]
fn inverse(x: &Tensor, how: Dct) -> Result<Tensor> {
    let kind = match how.kind {
        DctType::II => DctType::III,
        DctType::III => DctType::II,
        other => other,
    };
    transformed("idct", x, Dct { kind, ..how })
}

public! {
    /// The discrete cosine transform of type II along the last axis: yₖ = 2 Σ xₙ cos(π k (2 n + 1) / (2 N)). TensorFlow's
    /// `tf.signal.dct`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::dct(tf::ones([4])).to_vec::<f32>();
    /// assert!(y[0] == 8.0 && y[1..].iter().all(|y| y.abs() < 1e-6));
    /// ```
    pub fn dct, try_dct(x) -> Tensor {
        transformed("dct", x, Dct::default()).map_err(|e| e.named("dct"))
    }

    /// [`dct`](fn@dct) of another type, of another number of samples, or orthogonal.
    ///
    /// ```
    /// use eagerflow::{self as tf, signal::{Dct, DctType}};
    /// let x = tf::constant([1.0, 2.0, 3.0]);
    /// let y = tf::signal::dct_with(&x, Dct { kind: DctType::I, ..Dct::default() });
    /// assert!(tf::abs(y - tf::constant([8.0, -2.0, 0.0])).to_vec::<f32>().iter().all(|d| *d < 1e-5));
    /// ```
    pub fn dct_with, try_dct_with(x, how: Dct) -> Tensor {
        transformed("dct", x, how).map_err(|e| e.named("dct"))
    }

    /// The inverse of [`dct`](fn@dct) times 2 N, which is the transform of type III. TensorFlow's `tf.signal.idct`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1.0, 2.0, 4.0]);
    /// let back = tf::signal::idct(tf::signal::dct(&x)) / 6.0;
    /// assert!(tf::abs(back - x).to_vec::<f32>().iter().all(|d| *d < 1e-5));
    /// ```
    pub fn idct, try_idct(x) -> Tensor {
        inverse(x, Dct::default()).map_err(|e| e.named("idct"))
    }

    /// The inverse of [`dct_with`](fn@dct_with) with the same options, times 2 N (type I: 2 (N - 1)) unless it is orthogonal.
    ///
    /// ```
    /// use eagerflow::{self as tf, signal::Dct};
    /// let (x, how) = (tf::constant([1.0, 2.0, 4.0]), Dct { ortho: true, ..Dct::default() });
    /// let back = tf::signal::idct_with(tf::signal::dct_with(&x, how), how);
    /// assert!(tf::abs(back - x).to_vec::<f32>().iter().all(|d| *d < 1e-5));
    /// ```
    pub fn idct_with, try_idct_with(x, how: Dct) -> Tensor {
        inverse(x, how).map_err(|e| e.named("idct"))
    }

    /// The cepstral coefficients of logarithms of mel spectrograms `[.., mel bins]`: [`dct`](fn@dct) with the scale of HTK. TensorFlow's
    /// `tf.signal.mfccs_from_log_mel_spectrograms`; mostly the first dozen are used.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::mfccs_from_log_mel_spectrograms(tf::ones([5, 8]));
    /// assert_eq!((y.shape().dims(), y.to_vec::<f32>()[0]), (&[5, 8][..], 4.0));
    /// ```
    pub fn mfccs_from_log_mel_spectrograms, try_mfccs_from_log_mel_spectrograms(x) -> Tensor {
        let op = "mfccs_from_log_mel_spectrograms";
        let y = transformed(op, x, Dct::default()).map_err(|e| e.named(op))?;
        let bins = number(x.shape().dim(x.rank() - 1) * 2, DType::F64)?;
        functions::try_multiply(&y, cast_to(&functions::try_rsqrt(bins)?, x.dtype())?)
    }
}

#[cfg(test)]
mod tests {
    use super::{Dct, DctType};
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    const KINDS: [DctType; 4] = [DctType::I, DctType::II, DctType::III, DctType::IV];

    #[test]
    fn gradients_of_both_orders() {
        for kind in KINDS {
            for n in [None, Some(3.into()), Some(7.into())] {
                let how = Dct { kind, n, ortho: kind != DctType::I };
                check(&|x| tf::dct_with(&x[0], how).square(), &[numbers(1, &[2, 5])]);
            }
        }
        check(&|x| tf::mfccs_from_log_mel_spectrograms(&x[0]).square(), &[numbers(1, &[2, 5])]);
    }

    #[test]
    fn one_undoes_the_other() {
        for n in [2, 3, 16, 31] {
            let x = numbers(5, &[2, n]);
            for (kind, ortho) in KINDS.into_iter().flat_map(|kind| [(kind, false), (kind, kind != DctType::I)]) {
                let how = Dct { kind, ortho, ..Dct::default() };
                let scale = match (ortho, kind) {
                    (true, _) => 1.0,
                    (false, DctType::I) => 2.0 * (n as f64 - 1.0),
                    _ => 2.0 * n as f64,
                };
                let back = tf::idct_with(&tf::dct_with(&x, how), how) / scale;
                assert!(tf::abs(&(back - &x)).to_vec::<f64>().iter().all(|d| *d < 1e-12), "{kind:?} {ortho} {n}");
            }
        }
    }

    #[test]
    fn refusals() {
        let x = tf::ones([2, 4]);
        let kind = DctType::I;
        for how in [
            Dct { kind, ortho: true, ..Dct::default() },
            Dct { n: Some(0.into()), ..Dct::default() },
            Dct { n: Some((-3).into()), ..Dct::default() },
            Dct { kind, n: Some(1.into()), ..Dct::default() },
        ] {
            assert!(tf::try_dct_with(&x, how).unwrap_err().to_string().contains("dct"), "{how:?}");
        }
        assert!(tf::try_dct(&tf::ones([2, 0])).is_err() && tf::try_idct(&x.cast(tf::complex64)).is_err());
        assert_eq!(tf::dct(&tf::ones([0, 4])).shape(), [0, 4]);
    }
}
