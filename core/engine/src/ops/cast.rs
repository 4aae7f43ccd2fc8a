//! `cast`: another dtype; dx = dy cast back, between floating-point types.
//! Complex numbers become real ones by their real part, real ones complex with an imaginary part of 0.
//! TensorFlow's `tf.cast`: floats round to nearest even, floats become integers toward zero (saturating), bool is 0 or 1.

use super::{public, zeros_of};
use kernels::dtype::{DType, DTypes};
use kernels::error::Result;
use crate::execute::execute1;
use crate::meaning::{joined, parts};
use crate::op::{Sizes, Gradient, Kind, Op, identity};
use kernels::scalar::{Scalar, Val};
use crate::tensor::{Tensor, TensorType};

#[derive(Clone)]
pub(crate) struct Cast {
    to: DType,
}

impl Op for Cast {
    identity!("cast", { "to": DType = |this| this.to });

    fn kind(&self) -> Kind {
        Kind::Elementwise { accepts: DTypes::REAL, direct: None }
    }

    fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
        s.exact();
        s.cast(x[0], self.to)
    }

    fn sizes(&self, inputs: &[&Sizes], _: &[&TensorType], _: usize) -> Option<Sizes> {
        self.to.is_integer().then(|| inputs[0].clone())
    }

    fn gradient(&self) -> Gradient {
        match self.to.is_floating() {
            true => Gradient::Rule,
            false => Gradient::Stops("integers and truth values carry no gradient"),
        }
    }
}

/// A tensor in another dtype; the same handle if it has it.
#[track_caller]
pub(crate) fn cast_to(x: &Tensor, dtype: DType) -> Result<Tensor> {
    if x.dtype() == dtype {
        return Ok(x.clone());
    }
    if x.dtype().is_complex() || dtype.is_complex() {
        return complex(x, dtype);
    }
    execute1(&Cast { to: dtype }, &[x])
}

/// A cast from or to complex numbers, by their parts.
#[track_caller]
fn complex(x: &Tensor, dtype: DType) -> Result<Tensor> {
    let part = dtype.real_dtype();
    if !x.dtype().is_complex() {
        let re = cast_to(x, part)?;
        return joined(&re, &zeros_of(re.ty())?);
    }
    let (re, im) = parts(x)?;
    let re = cast_to(&re, part)?;
    if dtype.is_complex() { joined(&re, &cast_to(&im, part)?) } else { Ok(re) }
}

public! {
    /// The elements converted to another dtype.
    ///
    /// Floats become integers toward zero and saturate at the type's range (NaN becomes 0); integers wrap; anything
    /// but zero is `true`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::cast(&tf::constant([1.7, -1.7]), tf::DType::I32);
    /// assert_eq!(x.to_vec::<i32>(), [1, -1]);
    /// ```
    pub fn cast, try_cast(x, dtype: DType) -> Tensor {
        cast_to(x, dtype)
    }
}
