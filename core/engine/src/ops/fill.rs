//! `zeros`, `ones`, `fill` and their `_like` forms: a constant repeated over a shape; no inputs, no gradient.
//! TensorFlow's `tf.zeros`, `tf.ones`, `tf.fill`, `tf.zeros_like`, `tf.ones_like`.

use crate::ops::NumberOf;
use super::operand::{Operand, ToOperand};
use super::public;
use kernels::backend::cpu::{CpuCall, vector};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::meaning::joined;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use kernels::shape::{IntoShape, Shape};
use crate::tensor::{Tensor, TensorType};
use std::panic::Location;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Fill {
    shape: Shape,
    dtype: DType,
    bits: u64,
}

impl Op for Fill {
    identity!("fill", {
        "shape": Shape = |this| &this.shape,
        "dtype": DType = |this| this.dtype,
        "bits": Int = |this| this.bits as i64,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)?, ..self.clone() })))
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn repeats(&self) -> Option<u64> {
        Some(self.bits)
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.output(self.dtype, self.shape);
        Ok(())
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let out = &call.outputs[0];
        // SAFETY: a dense fresh output of this dtype.
        unsafe { vector::fill(self.dtype.size(), out.ptr, self.bits, out.len()) };
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        // SAFETY: a dense fresh output of this dtype.
        unsafe { cuda::fill(call, &call.outputs[0], self.bits) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a constant depends on nothing")
    }
}

/// A scalar by its bits.
#[track_caller]
pub(crate) fn scalar_of(dtype: DType, bits: u64) -> Result<Tensor> {
    let out = Tensor::uninit(&TensorType::scalar(dtype))?;
    // SAFETY: a fresh scalar.
    unsafe { vector::fill(dtype.size(), out.data(), bits, 1) };
    Ok(out)
}

/// A number repeated over a type.
#[track_caller]
pub(crate) fn fill_with(ty: &TensorType, value: f64) -> Result<Tensor> {
    if ty.dtype == DType::String {
        return constant_of("fill", ty.shape, ty.dtype, value);
    }
    let bits = vector::encode(ty.dtype, value);
    if ty.shape.rank() == 0 && !crate::execute::recording() {
        // The seeds of gradients: a scalar needs no kernel, and no tape follows a constant.
        let out = Tensor::uninit(ty)?;
        // SAFETY: a fresh scalar.
        unsafe { vector::fill(ty.dtype.size(), out.data(), bits, 1) };
        return Ok(out);
    }
    if ty.dtype.is_complex() {
        let part = TensorType::new(ty.dtype.real_dtype(), ty.shape);
        return joined(&fill_with(&part, value)?, &fill_with(&part, 0.0)?);
    }
    execute1(&Fill { shape: ty.shape, dtype: ty.dtype, bits }, &[])
}

#[track_caller]
fn constant_of(op: &str, shape: impl IntoShape, dtype: DType, value: f64) -> Result<Tensor> {
    let shape = shape.into_shape().map_err(|e| e.in_op(op))?;
    if dtype == DType::String && value == 0.0 {
        return super::broadcast_to_shape(&Tensor::of_strings(&[""], &Shape::SCALAR)?, &shape).map_err(|e| e.in_op(op));
    }
    if dtype == DType::String {
        return Err(Error::invalid_argument(op, "strings are no numbers: there is no 1 among them"));
    }
    if dtype.size() == 0 {
        return Err(Error::invalid_argument(op, "a resource handle holds no numbers"));
    }
    fill_with(&TensorType::new(dtype, shape), value).map_err(|e| e.in_op(op))
}

/// Zeros of a shape, `float32`; [`try_zeros`] takes a dtype as well.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::zeros([2, 2]).to_vec::<f32>(), [0.0; 4]);
/// ```
///
/// # Panics
/// For a negative size, more than 8 dimensions, or more memory than there is.
#[track_caller]
pub fn zeros(shape: impl IntoShape) -> Tensor {
    try_zeros(shape, DType::F32).or_fail()
}

/// Zeros of a shape and dtype.
///
/// # Errors
/// InvalidArgument for a negative size or more than 8 dimensions, ResourceExhausted without memory.
#[track_caller]
pub fn try_zeros(shape: impl IntoShape, dtype: DType) -> Result<Tensor> {
    let here = Location::caller();
    constant_of("zeros", shape, dtype, 0.0).map_err(|e| e.at(here))
}

/// Ones of a shape, `float32`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::ones(3).to_vec::<f32>(), [1.0; 3]);
/// ```
///
/// # Panics
/// As [`zeros`].
#[track_caller]
pub fn ones(shape: impl IntoShape) -> Tensor {
    try_ones(shape, DType::F32).or_fail()
}

/// Ones of a shape and dtype.
///
/// # Errors
/// As [`try_zeros`].
#[track_caller]
pub fn try_ones(shape: impl IntoShape, dtype: DType) -> Result<Tensor> {
    let here = Location::caller();
    constant_of("ones", shape, dtype, 1.0).map_err(|e| e.at(here))
}

/// A scalar repeated over a shape; a number takes its own dtype, `f32` for float literals and `i32` for integers.
///
/// A tensor as value keeps its gradient.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::fill([2, 2], 7).to_vec::<i32>(), [7; 4]);
/// ```
///
/// # Panics
/// As [`try_fill`] fails.
#[track_caller]
pub fn fill(shape: impl IntoShape, value: impl ToOperand) -> Tensor {
    try_fill(shape, value).or_fail()
}

/// A scalar repeated over a shape.
///
/// # Errors
/// As [`try_zeros`], and InvalidArgument for a value that is not a scalar.
#[track_caller]
pub fn try_fill(shape: impl IntoShape, value: impl ToOperand) -> Result<Tensor> {
    let here = Location::caller();
    fill_operand(shape, value.to_operand()).map_err(|e| e.in_op("fill").at(here))
}

#[track_caller]
fn fill_operand(shape: impl IntoShape, value: Operand<'_>) -> Result<Tensor> {
    let shape = shape.into_shape()?;
    let value = match value {
        Operand::Number(number, dtype) => number.tensor("fill", dtype)?,
        size @ Operand::Size(_) => size.tensor("fill", DType::I32)?.into_owned(),
        Operand::Borrowed(tensor) => tensor.clone(),
        Operand::Owned(tensor) => tensor,
    };
    if value.rank() != 0 {
        return Err(Error::invalid_argument("fill", "the value must be a scalar").got(value.ty()).expected("shape []"));
    }
    super::broadcast_to_shape(&value, &shape)
}

public! {
    /// Zeros of the dtype and shape of `x`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::zeros_like(&tf::constant([1, 2])).to_vec::<i32>(), [0, 0]);
    /// ```
    pub fn zeros_like, try_zeros_like(x) -> Tensor {
        constant_of("zeros_like", x.shape(), x.dtype(), 0.0)
    }

    /// Ones of the dtype and shape of `x`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::ones_like(&tf::constant([1, 2])).to_vec::<i32>(), [1, 1]);
    /// ```
    pub fn ones_like, try_ones_like(x) -> Tensor {
        constant_of("ones_like", x.shape(), x.dtype(), 1.0)
    }
}
