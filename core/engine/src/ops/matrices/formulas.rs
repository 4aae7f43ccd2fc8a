//! The words that gradient rules of operations on matrices are written in: products, adjoints, triangles, gaps between eigenvalues.
//! The files about such operations call them.

use super::super::functions::{self, try_matmul};
use super::super::transpose::swap_last;
use super::super::{cast_to, sum_axes};
use crate::tensor::Tensor;
use kernels::error::Result;
use kernels::shape::AxisSet;

/// A B.
#[track_caller]
pub(crate) fn mm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    try_matmul(a, b)
}

/// The conjugate transpose.
#[track_caller]
pub(crate) fn adj(a: &Tensor) -> Result<Tensor> {
    super::super::conj::conjugate(&swap_last(a)?)
}

#[track_caller]
pub(crate) fn plus(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    functions::try_add(a, b)
}

#[track_caller]
pub(crate) fn minus(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    functions::try_subtract(a, b)
}

#[track_caller]
pub(crate) fn times(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    functions::try_multiply(a, b)
}

#[track_caller]
pub(crate) fn negative(a: &Tensor) -> Result<Tensor> {
    functions::try_neg(a)
}

/// A real number times a tensor of any numbers.
#[track_caller]
pub(crate) fn scaled(a: &Tensor, factor: f64) -> Result<Tensor> {
    functions::try_multiply(a, factor)
}

/// A with its diagonal halved.
#[track_caller]
pub(crate) fn half_diagonal(a: &Tensor) -> Result<Tensor> {
    functions::try_set_diag(a, &scaled(&functions::try_diag_part(a)?, 0.5)?)
}

/// The lower triangle of A with its diagonal, or the upper one.
#[track_caller]
pub(crate) fn triangle(a: &Tensor, lower: bool) -> Result<Tensor> {
    if lower { functions::try_band_part(a, -1, 0) } else { functions::try_band_part(a, 0, -1) }
}

/// The identity matrix of the size of the last axis, one for each matrix of the batch, of the same dtype.
#[track_caller]
pub(crate) fn identity_like(a: &Tensor) -> Result<Tensor> {
    functions::try_eye(*a.shape(), a.dtype())
}

/// The sum over one axis.
#[track_caller]
pub(crate) fn summed(a: &Tensor, axis: usize) -> Result<Tensor> {
    sum_axes(a, AxisSet::of(&[axis]), false)
}

/// 1 / (e_j - e_i) off the diagonal and 0 on it, with TensorFlow's guard against eigenvalues that are equal.
#[track_caller]
pub(crate) fn gaps(e: &Tensor) -> Result<Tensor> {
    let across = functions::try_expand_dims(e, -2)?;
    let down = functions::try_expand_dims(e, -1)?;
    let f = safe_reciprocal(&minus(&across, &down)?)?;
    functions::try_set_diag(&f, &functions::try_zeros_like(e)?)
}

/// x / (x² + 1e-20).
#[track_caller]
pub(crate) fn safe_reciprocal(x: &Tensor) -> Result<Tensor> {
    times(x, &functions::try_reciprocal(plus(&times(x, x)?, &small_like(x)?)?)?)
}

fn small_like(x: &Tensor) -> Result<Tensor> {
    cast_to(&Tensor::from(1e-20), x.dtype())
}
