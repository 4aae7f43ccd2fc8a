//! `fftshift` and `ifftshift`: the two halves of each axis change places, so that the frequency 0 stands in the middle, and back.
//! TensorFlow's `tf.signal.fftshift` and `tf.signal.ifftshift`; both are a `roll`.

use super::axes::IntoAxes;
use super::functions::try_roll;
use super::public;
use crate::tensor::Tensor;
use kernels::error::{OnTheWay, Result};
use kernels::shape::{Dim, Dims, resolve_axis};

#[track_caller]
fn shifted(op: &str, x: &Tensor, axes: &super::Axes, by: fn(Dim) -> Dim) -> Result<Tensor> {
    let all: Vec<isize> = (0..x.rank() as isize).collect();
    let (mut places, mut shifts) = (Dims::new(), Dims::new());
    for &axis in axes.listed().unwrap_or(&all) {
        let axis = resolve_axis(op, axis, x.rank())?;
        places.push(Dim::known(axis));
        shifts.push(by(x.shape().dim(axis)));
    }
    try_roll(x, &shifts[..], &places[..]).map_err(|e| e.named(op))
}

public! {
    /// The two halves of `axes` exchanged, `()` for all axes: what [`fft`](fn@crate::fft) gives, with the frequency 0 in the middle.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([0, 1, 2, -2, -1]);
    /// assert_eq!(tf::signal::fftshift(&x, ()).to_vec::<i32>(), [-2, -1, 0, 1, 2]);
    /// ```
    pub fn fftshift, try_fftshift(x, axes: impl IntoAxes) -> Tensor {
        shifted("fftshift", x, &axes.into_axes(), |size| size.floor_div(2))
    }

    /// The inverse of [`fftshift`](fn@fftshift), from which it differs where a size is odd.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([-2, -1, 0, 1, 2]);
    /// assert_eq!(tf::signal::ifftshift(&x, ()).to_vec::<i32>(), [0, 1, 2, -2, -1]);
    /// ```
    pub fn ifftshift, try_ifftshift(x, axes: impl IntoAxes) -> Tensor {
        shifted("ifftshift", x, &axes.into_axes(), |size| size - size.floor_div(2))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_edges() {
        check(&|x| tf::fftshift(&x[0], ()).square(), &[numbers(1, &[3, 4])]);
        let x = numbers(1, &[3, 4, 5]);
        let back = tf::ifftshift(&tf::fftshift(&x, [0_isize, -1]), [0_isize, -1]);
        assert_eq!(back.to_vec::<f64>(), x.to_vec::<f64>());
        assert_eq!(tf::fftshift(&tf::zeros([0, 2]), ()).shape(), [0, 2]);
        assert!(tf::try_fftshift(&x, 3).unwrap_err().to_string().contains("fftshift"));
    }
}
