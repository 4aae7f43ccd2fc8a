//! The way of a batch to the kernels' layout and back: channels last, two or three spatial axes, one batch dimension.
//! The public forms of convolutions and poolings go through it; all of it is views, which kernels copy where they need to.

use super::functions::DataFormat;
use super::reshape_to;
use super::transpose::permuted;
use crate::tensor::Tensor;
use kernels::error::Result;
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;

/// The batch with its channels last.
#[track_caller]
pub(super) fn channels_last(x: &Tensor, format: DataFormat) -> Result<Tensor> {
    if format == DataFormat::ChannelsLast || x.rank() < 3 {
        return Ok(x.clone());
    }
    let order: SmallVec<[usize; MAX_RANK]> = [0].into_iter().chain(2..x.rank()).chain([1]).collect();
    permuted(x, &order)
}

/// The batch with its channels where the format has them.
#[track_caller]
pub(super) fn as_format(y: Tensor, format: DataFormat) -> Result<Tensor> {
    if format == DataFormat::ChannelsLast {
        return Ok(y);
    }
    let order: SmallVec<[usize; MAX_RANK]> = [0, y.rank() - 1].into_iter().chain(1..y.rank() - 1).collect();
    permuted(&y, &order)
}

/// The sizes of a batch in a format, with the channels last.
pub(super) fn sizes_last(shape: &Shape, format: DataFormat) -> Result<Shape> {
    if format == DataFormat::ChannelsLast || shape.rank() < 3 {
        return Ok(*shape);
    }
    let sizes: SmallVec<[Dim; MAX_RANK]> =
        [shape.dim(0)].into_iter().chain(shape.iter().skip(2)).chain([shape.dim(1)]).collect();
    Shape::from_dims(&sizes)
}

/// The same elements with a dimension of size 1 more.
#[track_caller]
pub(super) fn with_axis(x: &Tensor, axis: usize) -> Result<Tensor> {
    reshape_to(x, &x.shape().insert(axis, 1)?)
}

/// The same elements without a dimension of size 1.
#[track_caller]
pub(super) fn without_axis(x: &Tensor, axis: usize) -> Result<Tensor> {
    let sizes: SmallVec<[Dim; MAX_RANK]> =
        x.shape().iter().enumerate().filter(|(i, _)| *i != axis).map(|(_, dim)| dim).collect();
    reshape_to(x, &Shape::from_dims(&sizes)?)
}
