//! `imag`: the imaginary parts of complex numbers, a view without a copy; dz = complex(0, dy). Of real numbers, zeros.
//! TensorFlow's `tf.math.imag`. The operation is `real`'s.

use super::real::PartView;
use super::{public, zeros_of};
use crate::execute::execute1;
use crate::tensor::Tensor;

public! {
    /// The imaginary part of each element, as a view: no element is copied. Those of real numbers are zeros.
    ///
    /// ```
    /// use eagerflow::{self as tf, Complex};
    /// let z = tf::Tensor::from([Complex::new(1.0_f32, 2.0), Complex::new(3.0, -4.0)]);
    /// assert_eq!(tf::imag(&z).to_vec::<f32>(), [2.0, -4.0]);
    /// assert_eq!(tf::imag(&tf::constant([1, 2])).to_vec::<i32>(), [0, 0]);
    /// ```
    pub fn imag, try_imag(x) -> Tensor {
        match x.dtype().is_complex() {
            true => execute1(&PartView { imaginary: true }, &[x]),
            false => zeros_of(x.ty()),
        }
    }
}
