//! `fftnd`, `ifftnd`, `rfftnd` and `irfftnd`: Fourier transforms along any axes, with lengths and a norm.
//! TensorFlow's `tf.signal.fftnd` and its kin, which run on its GPU alone; the numbers are NumPy's `fftn`, whose arguments these are.

use super::fourier::{Wanted, check, transformed};
use super::public;
use super::rfft::points_of_half;
use crate::tensor::Tensor;
use kernels::backend::cpu::fourier::{Divided, Half, MOST_AXES};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dims, Shape, resolve_axis};
use smallvec::SmallVec;

/// By which number transforms divide: TensorFlow's and NumPy's `norm`. N is the number of points along all axes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FftNorm {
    /// `"backward"`: inverse transforms by N.
    #[default]
    Backward,
    /// `"forward"`: the others by N.
    Forward,
    /// `"ortho"`: both by the square root of N.
    Ortho,
}

/// What [`fftnd_with`](fn@crate::fftnd_with) and its kin are told. TensorFlow's defaults: all axes, as long as they are.
///
/// ```
/// use eagerflow as tf;
/// use tf::signal::{FftNd, FftNorm};
/// let x = tf::ones([2, 3, 4]);
/// let how = FftNd { axes: Some(vec![0, 2]), fft_length: Some(tf::Shape::new(&[2, 5])?), norm: FftNorm::Ortho };
/// assert_eq!(tf::signal::rfftnd_with(&x, &how).shape(), [2, 3, 3]);
/// # Ok::<(), tf::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FftNd {
    /// Points along each of the axes, which are cut, or filled up with zeros.
    pub fft_length: Option<Shape>,
    /// The axes, of which the last one has the half of a spectrum; negative ones count from the end. Each at most once.
    pub axes: Option<Vec<isize>>,
    /// By which number is divided.
    pub norm: FftNorm,
}

#[track_caller]
fn along(op: &'static str, x: &Tensor, half: Half, inverse: bool, how: &FftNd) -> Result<Tensor> {
    check(op, x, half != Half::Result, 0)?;
    let rank = x.rank();
    let mut axes: SmallVec<[usize; MOST_AXES]> = SmallVec::new();
    match &how.axes {
        None => axes.extend(0..rank),
        Some(listed) => {
            for &axis in listed {
                let axis = resolve_axis(op, axis, rank)?;
                if axes.contains(&axis) {
                    return Err(Error::invalid_argument(op, "an axis is transformed twice").got(format!("{listed:?}")));
                }
                axes.push(axis);
            }
        }
    }
    let mut lengths: Dims = axes.iter().map(|&axis| x.shape().dim(axis)).collect();
    match &how.fft_length {
        Some(given) if given.rank() != axes.len() => {
            return Err(Error::invalid_argument(op, "the lengths are not for the axes that are transformed")
                .got(format!("{given} for {} axes", axes.len()))
                .expected("a length for each axis"));
        }
        Some(given) => lengths = given.iter().collect(),
        None if half == Half::Operand => lengths.iter_mut().rev().take(1).for_each(|last| *last = points_of_half(*last)),
        None => {}
    }
    if axes.is_empty() {
        return match half {
            Half::Neither => Ok(x.clone()),
            _ => Err(Error::invalid_argument(op, "there is no axis for the half of a spectrum").got("no axes")),
        };
    }
    let divided = match (how.norm, inverse) {
        (FftNorm::Ortho, _) => Divided::ByRoot,
        (FftNorm::Backward, true) | (FftNorm::Forward, false) => Divided::ByCount,
        _ => Divided::Never,
    };
    transformed(x, &Wanted { op, axes, lengths, inverse, half, divided }).map_err(|e| e.named(op))
}

public! {
    /// The Fourier transform of complex numbers along all axes. TensorFlow's `tf.signal.fftnd`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::fftnd(tf::cast(tf::ones([2, 3]), tf::complex64));
    /// assert_eq!(y.real().to_vec::<f32>(), [6.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// ```
    pub fn fftnd, try_fftnd(x) -> Tensor {
        along("fftnd", x, Half::Neither, false, &FftNd::default())
    }

    /// [`fftnd`](fn@fftnd) along some axes, with lengths and a norm.
    ///
    /// ```
    /// use eagerflow::{self as tf, signal::FftNd};
    /// let x = tf::cast(tf::ones([2, 2]), tf::complex64);
    /// let y = tf::signal::fftnd_with(&x, &FftNd { axes: Some(vec![0]), ..FftNd::default() });
    /// assert_eq!(y.real().to_vec::<f32>(), [2.0, 2.0, 0.0, 0.0]);
    /// ```
    pub fn fftnd_with, try_fftnd_with(x, how: &FftNd) -> Tensor {
        along("fftnd", x, Half::Neither, false, how)
    }

    /// The inverse of [`fftnd`](fn@fftnd). TensorFlow's `tf.signal.ifftnd`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::signal::ifftnd(tf::cast(tf::ones([2, 2]), tf::complex64));
    /// assert_eq!(y.real().to_vec::<f32>(), [1.0, 0.0, 0.0, 0.0]);
    /// ```
    pub fn ifftnd, try_ifftnd(x) -> Tensor {
        along("ifftnd", x, Half::Neither, true, &FftNd::default())
    }

    /// [`ifftnd`](fn@ifftnd) along some axes, with lengths and a norm.
    ///
    /// ```
    /// use eagerflow::{self as tf, signal::{FftNd, FftNorm}};
    /// let x = tf::cast(tf::ones([2, 2]), tf::complex64);
    /// let y = tf::signal::ifftnd_with(&x, &FftNd { norm: FftNorm::Forward, ..FftNd::default() });
    /// assert_eq!(y.real().to_vec::<f32>(), [4.0, 0.0, 0.0, 0.0]);
    /// ```
    pub fn ifftnd_with, try_ifftnd_with(x, how: &FftNd) -> Tensor {
        along("ifftnd", x, Half::Neither, true, how)
    }

    /// The Fourier transform of real numbers along all axes, of which the last one has the first half. TensorFlow's `tf.signal.rfftnd`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::signal::rfftnd(tf::ones([2, 3, 4, 6])).shape(), [2, 3, 4, 4]);
    /// ```
    pub fn rfftnd, try_rfftnd(x) -> Tensor {
        along("rfftnd", x, Half::Result, false, &FftNd::default())
    }

    /// [`rfftnd`](fn@rfftnd) along some axes, with lengths and a norm.
    ///
    /// ```
    /// use eagerflow::{self as tf, signal::FftNd};
    /// let how = FftNd { axes: Some(vec![-1, 0]), ..FftNd::default() };
    /// assert_eq!(tf::signal::rfftnd_with(tf::ones([4, 3, 2]), &how).shape(), [3, 3, 2]);
    /// ```
    pub fn rfftnd_with, try_rfftnd_with(x, how: &FftNd) -> Tensor {
        along("rfftnd", x, Half::Result, false, how)
    }

    /// The inverse of [`rfftnd`](fn@rfftnd), of an even number of columns. TensorFlow's `tf.signal.irfftnd`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::signal::irfftnd(tf::signal::rfftnd(tf::ones([2, 3, 4]))).shape(), [2, 3, 4]);
    /// ```
    pub fn irfftnd, try_irfftnd(x) -> Tensor {
        along("irfftnd", x, Half::Operand, true, &FftNd::default())
    }

    /// [`irfftnd`](fn@irfftnd) along some axes, with lengths and a norm.
    ///
    /// ```
    /// use eagerflow::{self as tf, signal::FftNd};
    /// let how = FftNd { axes: Some(vec![0]), ..FftNd::default() };
    /// assert_eq!(tf::signal::irfftnd_with(tf::cast(tf::ones([3, 2]), tf::complex64), &how).shape(), [4, 2]);
    /// ```
    pub fn irfftnd_with, try_irfftnd_with(x, how: &FftNd) -> Tensor {
        along("irfftnd", x, Half::Operand, true, how)
    }
}

#[cfg(test)]
mod tests {
    use super::{FftNd, FftNorm};
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use kernels::shape::Shape;

    fn how(axes: &[isize], lengths: &[usize], norm: FftNorm) -> FftNd {
        FftNd { fft_length: Some(Shape::new(lengths).unwrap()), axes: Some(axes.to_vec()), norm }
    }

    #[test]
    fn gradients_of_both_orders() {
        let seen = |y: &tf::Tensor| tf::real(y).square() + tf::imag(y) * 0.7;
        let x = [numbers(1, &[2, 3, 3]), numbers(2, &[2, 3, 3])];
        let z = |x: &[tf::Tensor]| tf::complex(&x[0], &x[1]);
        for how in [how(&[2, 0], &[4, 2], FftNorm::Ortho), how(&[1], &[2], FftNorm::Forward)] {
            check(&|x| seen(&tf::fftnd_with(&z(x), &how)), &x);
            check(&|x| seen(&tf::ifftnd_with(&z(x), &how)), &x);
            check(&|x| seen(&tf::rfftnd_with(&x[0], &how)), &x[..1]);
            check(&|x| tf::irfftnd_with(&z(x), &how).square(), &x);
        }
    }

    #[test]
    fn more_axes_than_a_call_takes() {
        let x = numbers(1, &[2, 1, 3, 2, 1, 2, 3, 4]);
        let y = tf::rfftnd(&x);
        assert!(tf::abs(&(tf::irfftnd(&y) - &x)).to_vec::<f64>().iter().all(|d| *d < 1e-12));
        let whole = tf::fftnd(&x.cast(tf::complex128));
        let half = tf::slice(&whole, [0; 8], [2, 1, 3, 2, 1, 2, 3, 3]);
        assert!(tf::abs(&(half - y)).to_vec::<f64>().iter().all(|d| *d < 1e-12));
    }

    #[test]
    fn refusals() {
        let x = tf::ones([2, 3]);
        for axes in [vec![2], vec![0, 0], vec![1, -1], vec![]] {
            assert!(tf::try_rfftnd_with(&x, &FftNd { axes: Some(axes), ..FftNd::default() }).is_err());
        }
        assert!(tf::try_rfftnd_with(&x, &how(&[0], &[2, 2], FftNorm::Backward)).is_err());
        assert!(tf::try_fftnd(&x).is_err());
    }
}
