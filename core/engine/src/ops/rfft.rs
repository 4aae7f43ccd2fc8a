//! `rfft`, `irfft` and those of two and three axes: transforms of real numbers, of whose spectrum the last axis has the first half.
//! TensorFlow's `tf.signal.rfft`, `irfft`, `rfft2d`, `irfft2d`, `rfft3d` and `irfft3d`; it has no gradients of three axes, we have.

use super::fourier::{Wanted, check, transformed};
use super::public;
use crate::tensor::Tensor;
use kernels::backend::cpu::fourier::{Divided, Half};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, Dims, IntoShape, Shape};

/// The number of points whose half has so many numbers, as TensorFlow takes it: an even one.
pub(super) fn points_of_half(size: Dim) -> Dim {
    match size.known_value() {
        Some(size) => Dim::known(size.saturating_sub(1)) * 2,
        None => (size.max(Dim::ONE) - 1) * 2,
    }
}

#[track_caller]
fn along_last(op: &'static str, x: &Tensor, count: usize, half: Half, fft_length: Option<Shape>) -> Result<Tensor> {
    let inverse = half == Half::Operand;
    check(op, x, inverse, count)?;
    let axes = x.rank() - count..x.rank();
    let mut lengths: Dims = axes.clone().map(|axis| x.shape().dim(axis)).collect();
    match fft_length {
        Some(given) if given.rank() != count => {
            return Err(Error::invalid_argument(op, "the lengths are not for the axes that are transformed")
                .got(format!("{given}"))
                .expected(format!("{count} lengths")));
        }
        Some(given) => lengths = given.iter().collect(),
        None if inverse => lengths[count - 1] = points_of_half(lengths[count - 1]),
        None => {}
    }
    let divided = if inverse { Divided::ByCount } else { Divided::Never };
    transformed(x, &Wanted { op, axes: axes.collect(), lengths, inverse, half, divided }).map_err(|e| e.named(op))
}

public! {
    /// The Fourier transform along the last axis of `float32` or `float64` numbers: of N numbers, the first N / 2 + 1 of the spectrum,
    /// of which the rest are conjugates. TensorFlow's `tf.signal.rfft`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::rfft(tf::constant([1.0, 0.0, -1.0, 0.0]));
    /// assert_eq!((y.dtype(), y.real().to_vec::<f32>()), (tf::complex64, vec![0.0, 2.0, 0.0]));
    /// ```
    pub fn rfft, try_rfft(x) -> Tensor {
        along_last("rfft", x, 1, Half::Result, None)
    }

    /// [`rfft`](fn@rfft) of so many numbers: the axis is cut, or filled up with zeros. TensorFlow's `fft_length`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1.0, 2.0, 3.0]);
    /// assert_eq!(tf::signal::rfft_with(&x, 2).real().to_vec::<f32>(), [3.0, -1.0]);
    /// assert_eq!(tf::signal::rfft_with(&x, [8]).shape(), [5]);
    /// ```
    pub fn rfft_with, try_rfft_with(x, fft_length: impl IntoShape) -> Tensor {
        along_last("rfft", x, 1, Half::Result, Some(fft_length.into_shape()?))
    }

    /// The inverse of [`rfft`](fn@rfft): of M numbers of a spectrum, 2 (M - 1) real ones. TensorFlow's `tf.signal.irfft`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::rfft(tf::constant([1.0, 0.0, -1.0, 0.0]));
    /// assert_eq!(tf::signal::irfft(&y).to_vec::<f32>(), [1.0, 0.0, -1.0, 0.0]);
    /// ```
    pub fn irfft, try_irfft(x) -> Tensor {
        along_last("irfft", x, 1, Half::Operand, None)
    }

    /// [`irfft`](fn@irfft) to so many numbers: an odd number must be told. The spectrum is cut, or filled up with zeros.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1.0, 2.0, 4.0]);
    /// let y = tf::signal::irfft_with(tf::signal::rfft(&x), 3);
    /// assert!(tf::abs(y - x).to_vec::<f32>().iter().all(|d| *d < 1e-5));
    /// ```
    pub fn irfft_with, try_irfft_with(x, fft_length: impl IntoShape) -> Tensor {
        along_last("irfft", x, 1, Half::Operand, Some(fft_length.into_shape()?))
    }

    /// The Fourier transform of real numbers along the last two axes, of which the last has the first half. TensorFlow's
    /// `tf.signal.rfft2d`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::signal::rfft2d(tf::ones([5, 4, 6])).shape(), [5, 4, 4]);
    /// ```
    pub fn rfft2d, try_rfft2d(x) -> Tensor {
        along_last("rfft2d", x, 2, Half::Result, None)
    }

    /// [`rfft2d`](fn@rfft2d) with both axes cut, or filled up with zeros.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::signal::rfft2d_with(tf::ones([4, 6]), [8, 2]).shape(), [8, 2]);
    /// ```
    pub fn rfft2d_with, try_rfft2d_with(x, fft_length: impl IntoShape) -> Tensor {
        along_last("rfft2d", x, 2, Half::Result, Some(fft_length.into_shape()?))
    }

    /// The inverse of [`rfft2d`](fn@rfft2d). TensorFlow's `tf.signal.irfft2d`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::irfft2d(tf::cast(tf::ones([2, 2]), tf::complex64));
    /// assert_eq!(y.to_vec::<f32>(), [1.0, 0.0, 0.0, 0.0]);
    /// ```
    pub fn irfft2d, try_irfft2d(x) -> Tensor {
        along_last("irfft2d", x, 2, Half::Operand, None)
    }

    /// [`irfft2d`](fn@irfft2d) to so many rows and columns.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::rfft2d(tf::ones([2, 3]));
    /// assert_eq!(tf::signal::irfft2d_with(&y, [2, 3]).shape(), [2, 3]);
    /// ```
    pub fn irfft2d_with, try_irfft2d_with(x, fft_length: impl IntoShape) -> Tensor {
        along_last("irfft2d", x, 2, Half::Operand, Some(fft_length.into_shape()?))
    }

    /// The Fourier transform of real numbers along the last three axes, of which the last has the first half. TensorFlow's
    /// `tf.signal.rfft3d`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::signal::rfft3d(tf::ones([5, 4, 6])).shape(), [5, 4, 4]);
    /// ```
    pub fn rfft3d, try_rfft3d(x) -> Tensor {
        along_last("rfft3d", x, 3, Half::Result, None)
    }

    /// [`rfft3d`](fn@rfft3d) with the three axes cut, or filled up with zeros.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::signal::rfft3d_with(tf::ones([2, 4, 6]), [3, 4, 5]).shape(), [3, 4, 3]);
    /// ```
    pub fn rfft3d_with, try_rfft3d_with(x, fft_length: impl IntoShape) -> Tensor {
        along_last("rfft3d", x, 3, Half::Result, Some(fft_length.into_shape()?))
    }

    /// The inverse of [`rfft3d`](fn@rfft3d). TensorFlow's `tf.signal.irfft3d`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::signal::irfft3d(tf::signal::rfft3d(tf::ones([2, 4, 6]))).shape(), [2, 4, 6]);
    /// ```
    pub fn irfft3d, try_irfft3d(x) -> Tensor {
        along_last("irfft3d", x, 3, Half::Operand, None)
    }

    /// [`irfft3d`](fn@irfft3d) to so many numbers along each axis.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::rfft3d(tf::ones([2, 4, 5]));
    /// assert_eq!(tf::signal::irfft3d_with(&y, [2, 4, 5]).shape(), [2, 4, 5]);
    /// ```
    pub fn irfft3d_with, try_irfft3d_with(x, fft_length: impl IntoShape) -> Tensor {
        along_last("irfft3d", x, 3, Half::Operand, Some(fft_length.into_shape()?))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_both_orders() {
        let seen = |y: &tf::Tensor| tf::real(y).square() + tf::imag(y) * 0.7;
        let x = [numbers(1, &[2, 3, 4])];
        for length in [3, 4, 6] {
            check(&|x| seen(&tf::rfft_with(&x[0], length)), &x);
            check(&|x| seen(&tf::rfft2d_with(&x[0], [length, 5])), &x);
        }
        check(&|x| seen(&tf::rfft3d(&x[0])), &x);
        let x = [numbers(1, &[2, 2, 3]), numbers(2, &[2, 2, 3])];
        let z = |x: &[tf::Tensor]| tf::complex(&x[0], &x[1]);
        for length in [3, 4, 5, 8] {
            check(&|x| tf::irfft_with(&z(x), length).square(), &x);
            check(&|x| tf::irfft2d_with(&z(x), [3, length]).square(), &x);
        }
        check(&|x| tf::irfft3d(&z(x)).square(), &x);
    }

    #[test]
    fn edges_and_refusals() {
        assert_eq!(tf::rfft(&tf::zeros([0, 4])).shape(), [0, 3]);
        assert_eq!(tf::rfft_with(&tf::zeros([2, 0]), 4).to_vec::<tf::Complex<f32>>(), [tf::Complex::default(); 6]);
        assert_eq!(tf::irfft(&tf::ones([3, 1]).cast(tf::complex64)).shape(), [3, 0]);
        let texts = [
            tf::try_rfft(&tf::zeros([3, 0])),
            tf::try_rfft_with(&tf::ones([4]), 0),
            tf::try_rfft_with(&tf::ones([4]), -2),
            tf::try_rfft_with(&tf::ones([4]), [4, 4]),
            tf::try_rfft_with(&tf::ones([4]), isize::MAX),
            tf::try_rfft2d(&tf::ones([4])),
            tf::try_rfft(&tf::ones([4]).cast(tf::int32)),
            tf::try_rfft(&tf::ones([4]).cast(tf::complex64)),
        ]
        .map(|y| y.unwrap_err().to_string());
        assert!(texts.iter().all(|text| text.contains("rfft")), "{texts:#?}");
        assert!(tf::try_irfft(&tf::ones([4])).is_err());
    }
}
