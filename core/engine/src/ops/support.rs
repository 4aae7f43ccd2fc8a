//! Small helpers that gradient rules and other operations build on: constants of a type, and dense embedding gradients.
//! They are ordinary operations underneath, so they are recorded and differentiated like any other.

use super::scatter_nd::scattering;
use crate::execute::execute1;
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::{Shape, Symbol, pin_hook};

pub(crate) use super::add::add_owned;
pub(crate) use super::broadcast_to::{broadcast_op, broadcast_to_shape};
pub(crate) use super::cast::cast_to;
pub(crate) use super::concat::{concat_all, no_tensors};
pub(crate) use super::fill::fill_with;
pub(crate) use super::fill::scalar_of;
pub(crate) use super::reduce_mean::size_of;
pub(crate) use super::reduce_sum::sum_axes;
pub(crate) use super::reshape::reshape_always;
pub(crate) use super::reshape::reshape_to;
pub(crate) use super::slice::slice_axis;
pub(crate) use super::stack::stack_all;

/// Zeros of a type.
#[track_caller]
pub fn zeros_of(ty: &TensorType) -> Result<Tensor> {
    if ty.dtype == kernels::dtype::DType::Variant {
        return Ok(crate::lists::nothing());
    }
    fill_with(ty, 0.0)
}

/// Ones of a type.
#[track_caller]
pub fn ones_of(ty: &TensorType) -> Result<Tensor> {
    fill_with(ty, 1.0)
}

/// The rows `values` at `indices` of a tensor that is zero elsewhere; repeated rows add up.
#[track_caller]
pub(crate) fn scatter_rows(indices: &Tensor, values: &Tensor, shape: &Shape) -> Result<Tensor> {
    let column = super::reshape::expand_last(indices)?;
    execute1(&scattering(shape), &[&column, values])
}

/// The sum with the rows `values` added at `indices`, in the sum's memory where nobody else holds it.
#[track_caller]
pub(crate) fn add_rows(sum: Tensor, indices: &Tensor, values: &Tensor) -> Result<Tensor> {
    let column = super::reshape::expand_last(indices)?;
    super::tensor_scatter::add_into(sum, &column, values)
}

/// A size where only a number will do, such as a number of results: pins a symbol of the function being traced.
#[track_caller]
pub(crate) fn pinned_size(op: &str, shape: &Shape, axis: usize) -> Result<usize> {
    let size = shape.dim(axis);
    if let Some(size) = size.known_value() {
        return Ok(size);
    }
    if pin_hook().is_none() || size.symbols().iter().any(|s| matches!(s, Symbol::Unbacked(_))) {
        return Err(Error::invalid_argument(op, format!("the size of axis {axis} must be known here"))
            .got(shape)
            .expected("a size that does not depend on values")
            .help("the number of results follows from it; use operations that keep the axis"));
    }
    Ok(shape[axis])
}
