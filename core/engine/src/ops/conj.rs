//! `conj`: the complex conjugate, x - iy of x + iy; dz = conj(dy). Of real numbers, the tensor itself.
//! TensorFlow's `tf.math.conj`.

use super::public;
use super::real::check_numbers;
use crate::execute::execute1;
use crate::op::{Gradient, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::error::Result;
use kernels::scalar::{ComplexVal, Meant, Scalar, Val};

#[derive(Clone)]
pub(crate) struct Conj;

impl Op for Conj {
    identity!("conj");

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::NUMBERS, direct: None }
    }

    fn scalar(&self, _: &Scalar, x: &[Val]) -> Val {
        x[0]
    }

    fn complex(&self, s: &Scalar, x: &[ComplexVal]) -> Option<Meant> {
        Some(x[0].conj(s).into())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }
}

/// The conjugate of complex numbers; real ones as they are.
#[track_caller]
pub(crate) fn conjugate(x: &Tensor) -> Result<Tensor> {
    match x.dtype().is_complex() {
        true => execute1(&Conj, &[x]),
        false => Ok(x.clone()),
    }
}

public! {
    /// The complex conjugate of each element. A tensor of real numbers is its own.
    ///
    /// ```
    /// use eagerflow::{self as tf, Complex};
    /// let z = tf::Tensor::from([Complex::new(1.0_f32, 2.0)]);
    /// assert_eq!(tf::conj(&z).to_vec::<Complex<f32>>(), [Complex::new(1.0, -2.0)]);
    /// ```
    pub fn conj, try_conj(x) -> Tensor {
        check_numbers("conj", x)?;
        conjugate(x)
    }
}
