//! Cotangents as tensors: zeros where nothing flows, and the rows of an embedding laid into zeros.
//! Gradient rules ask [`Backward`]; they are operations, so that gradients can be differentiated again.

use super::sum_to::sum_undecided;
use super::support::{reshape_to, scatter_rows, sum_axes, zeros_of};
use crate::tape::{Backward, Cotangent, IndexedRows};
use crate::tensor::{Tensor, TensorType};
use kernels::error::Result;
use kernels::shape::broadcast_reduce_axes;

impl Backward<'_> {
    /// The cotangent of output `index`; zeros if nothing flows into that output.
    #[track_caller]
    pub(crate) fn dy(&self, index: usize) -> Result<Tensor> {
        match self.dy_or_none(index) {
            Some(dy) => Ok(dy.clone()),
            None => zeros_of(self.output_type(index)),
        }
    }

    /// As [`dy`](Self::dy), for a rule that asks for it last: the handle is given up, so that its memory may serve.
    #[track_caller]
    pub(crate) fn take_dy(&mut self, index: usize) -> Result<Tensor> {
        match self.take_dy_or_none(index) {
            Some(dy) => Ok(dy),
            None => zeros_of(self.output_type(index)),
        }
    }
}

impl IndexedRows {
    /// The whole tensor, zero where no row is named.
    ///
    /// # Errors
    /// OutOfRange if an index names no row.
    #[track_caller]
    pub fn try_to_dense(&self) -> Result<Tensor> {
        scatter_rows(&self.indices, &self.values, &self.shape)
    }
}

impl Cotangent {
    /// The tensor, rows laid into zeros.
    #[track_caller]
    pub fn to_dense(&self) -> Result<Tensor> {
        match self {
            Self::Dense(tensor) => Ok(tensor.clone()),
            Self::Rows(rows) => rows.try_to_dense(),
        }
    }

    /// As [`Self::to_dense`], of one that is given up.
    #[track_caller]
    pub fn into_dense(self) -> Result<Tensor> {
        match self {
            Self::Dense(tensor) => Ok(tensor),
            Self::Rows(rows) => rows.try_to_dense(),
        }
    }
}

/// Sums a cotangent over the axes along which its input was broadcast.
pub(crate) fn sum_to(dx: Tensor, ty: &TensorType) -> Result<Tensor> {
    if dx.shape() == &ty.shape {
        return Ok(dx);
    }
    let reduction = broadcast_reduce_axes(&ty.shape, dx.shape());
    let summed = sum_axes(&dx, reduction.summed(), true)?;
    let summed = sum_undecided(&summed, reduction.undecided, &ty.shape)?;
    reshape_to(&summed, &ty.shape)
}
