//! `fft`, `ifft` and those of two and three axes: discrete Fourier transforms of complex numbers along the last axes; dx is the adjoint
//! of dy. TensorFlow's `tf.signal.fft`, `ifft`, `fft2d`, `ifft2d`, `fft3d` and `ifft3d`.

use super::fourier::{Wanted, check, transformed};
use super::public;
use crate::tensor::Tensor;
use kernels::backend::cpu::fourier::{Divided, Half};
use kernels::error::{OnTheWay, Result};

#[track_caller]
fn along_last(op: &'static str, x: &Tensor, count: usize, inverse: bool) -> Result<Tensor> {
    check(op, x, true, count)?;
    let axes = x.rank() - count..x.rank();
    let wanted = Wanted {
        op,
        lengths: axes.clone().map(|axis| x.shape().dim(axis)).collect(),
        axes: axes.collect(),
        inverse,
        half: Half::Neither,
        divided: if inverse { Divided::ByCount } else { Divided::Never },
    };
    transformed(x, &wanted).map_err(|e| e.named(op))
}

public! {
    /// The discrete Fourier transform along the last axis of `complex64` or `complex128` numbers: yₖ = Σ xₙ exp(-2πi k n / N).
    /// TensorFlow's `tf.signal.fft`. The shape stays; any length does, and primes take a few times as long as others.
    ///
    /// ```
    /// use eagerflow::{self as tf, Complex};
    /// let x = tf::Tensor::from([1.0, 0.0, -1.0, 0.0].map(|re| Complex::new(re, 0.0_f32)));
    /// assert_eq!(tf::signal::fft(&x).real().to_vec::<f32>(), [0.0, 2.0, 0.0, 2.0]);
    /// ```
    pub fn fft, try_fft(x) -> Tensor {
        along_last("fft", x, 1, false)
    }

    /// The inverse of [`fft`](fn@fft): xₙ = Σ yₖ exp(2πi k n / N) / N. TensorFlow's `tf.signal.ifft`.
    ///
    /// ```
    /// use eagerflow::{self as tf, Complex};
    /// let x = tf::Tensor::from([0.0, 2.0, 0.0, 2.0].map(|re| Complex::new(re, 0.0_f32)));
    /// assert_eq!(tf::signal::ifft(&x).real().to_vec::<f32>(), [1.0, 0.0, -1.0, 0.0]);
    /// ```
    pub fn ifft, try_ifft(x) -> Tensor {
        along_last("ifft", x, 1, true)
    }

    /// [`fft`](fn@fft) along the last two axes. TensorFlow's `tf.signal.fft2d`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::fft2d(tf::cast(tf::ones([3, 2, 2]), tf::complex64));
    /// assert_eq!(y.real().to_vec::<f32>()[..4], [4.0, 0.0, 0.0, 0.0]);
    /// ```
    pub fn fft2d, try_fft2d(x) -> Tensor {
        along_last("fft2d", x, 2, false)
    }

    /// The inverse of [`fft2d`](fn@fft2d). TensorFlow's `tf.signal.ifft2d`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::ifft2d(tf::cast(tf::ones([2, 2]), tf::complex64));
    /// assert_eq!(y.real().to_vec::<f32>(), [1.0, 0.0, 0.0, 0.0]);
    /// ```
    pub fn ifft2d, try_ifft2d(x) -> Tensor {
        along_last("ifft2d", x, 2, true)
    }

    /// [`fft`](fn@fft) along the last three axes. TensorFlow's `tf.signal.fft3d`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::fft3d(tf::cast(tf::ones([2, 1, 2]), tf::complex128));
    /// assert_eq!(y.real().to_vec::<f64>(), [4.0, 0.0, 0.0, 0.0]);
    /// ```
    pub fn fft3d, try_fft3d(x) -> Tensor {
        along_last("fft3d", x, 3, false)
    }

    /// The inverse of [`fft3d`](fn@fft3d). TensorFlow's `tf.signal.ifft3d`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::ifft3d(tf::cast(tf::ones([2, 1, 2]), tf::complex64));
    /// assert_eq!(y.real().to_vec::<f32>(), [1.0, 0.0, 0.0, 0.0]);
    /// ```
    pub fn ifft3d, try_ifft3d(x) -> Tensor {
        along_last("ifft3d", x, 3, true)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    fn z(x: &[tf::Tensor]) -> tf::Tensor {
        tf::complex(&x[0], &x[1])
    }

    fn seen(y: &tf::Tensor) -> tf::Tensor {
        tf::real(y).square() + tf::imag(y) * 0.7
    }

    #[test]
    fn gradients_of_both_orders() {
        let x = [numbers(1, &[2, 3, 4]), numbers(2, &[2, 3, 4])];
        check(&|x| seen(&tf::fft(&z(x))), &x);
        check(&|x| seen(&tf::ifft(&z(x))), &x);
        check(&|x| seen(&tf::fft2d(&z(x))), &x);
        check(&|x| seen(&tf::ifft2d(&z(x))), &x);
        check(&|x| seen(&tf::fft3d(&z(x))), &x);
        check(&|x| seen(&tf::ifft3d(&z(x))), &x);
    }

    #[test]
    fn one_undoes_the_other() {
        for n in [1, 2, 17, 60, 1009, 4096] {
            let x = tf::complex(&numbers(3, &[2, n]), &numbers(4, &[2, n]));
            let back = tf::ifft(&tf::fft(&x));
            assert!(tf::abs(&(&back - &x)).to_vec::<f64>().iter().all(|d| *d < 1e-12), "{n}");
        }
    }

    #[test]
    fn empty_tensors_and_refusals() {
        for shape in [[0, 4], [3, 0]] {
            assert_eq!(tf::fft(&tf::zeros(shape).cast(tf::complex64)).shape(), shape);
        }
        assert!(tf::try_fft(&tf::ones([3])).unwrap_err().to_string().contains("rfft"));
        let scalar = tf::ones(()).cast(tf::complex64);
        assert!(tf::try_fft(&scalar).unwrap_err().to_string().contains("at least 1 axes"));
        assert!(tf::try_fft2d(&tf::ones([3]).cast(tf::complex64)).is_err());
    }
}
