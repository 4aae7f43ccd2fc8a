//! `group_normalization`: groups of channels of each example brought to mean 0 and variance 1.
//! PyTorch's `group_norm`, Keras' `GroupNormalization`; the kernels are those of `channels.rs`, and of rows where there is one spot alone.

use super::channels::{ChannelForm, normalise_channels};
use super::{check, check_dtypes, columns, normalised};
use crate::ops::functions::{try_add, try_cast, try_multiply, try_transpose};
use crate::ops::{AsTensor, reshape_to};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{AxisSet, Dim, MAX_RANK, Shape, resolve_axis};
use smallvec::SmallVec;
use std::fmt::Display;
use std::panic::Location;

/// The channels along `axis` in `groups` of neighbours: each group of each example (dimension 0) is brought to mean 0 and variance 1 over all its
/// elements; then each channel is multiplied by its number of `scale` and `offset` is added (Wu and He 2018). Floats, of the same shape out.
///
/// Keras' `GroupNormalization` (axis -1, 32 groups, an epsilon of 1e-3) and PyTorch's `torch.nn.functional.group_norm` (axis 1, 1e-5). One group is
/// the layer normalisation of each example, and as many as channels the instance normalisation.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 3.0, 10.0, 30.0]]);
/// let y = tf::group_normalization(&x, 2, -1, None, None, 0.0);
/// assert_eq!(y.to_vec::<f32>(), [-1.0, 1.0, -1.0, 1.0]);
/// ```
///
/// # Panics
/// As [`try_group_normalization`] fails.
#[track_caller]
pub fn group_normalization(
    x: impl AsTensor,
    groups: usize,
    axis: isize,
    scale: Option<&Tensor>,
    offset: Option<&Tensor>,
    epsilon: f64,
) -> Tensor {
    try_group_normalization(x, groups, axis, scale, offset, epsilon).or_fail()
}

/// The channels along `axis` in `groups`, each brought to mean 0 and variance 1; then times `scale` and plus `offset`.
///
/// # Errors
/// InvalidArgument for an input that holds no floats or has less than two dimensions, an axis that is the first one or none, channels that are no
/// multiple of the groups, a scale or an offset that has not one number for each channel, or an epsilon below 0.
#[track_caller]
pub fn try_group_normalization(
    x: impl AsTensor,
    groups: usize,
    axis: isize,
    scale: Option<&Tensor>,
    offset: Option<&Tensor>,
    epsilon: f64,
) -> Result<Tensor> {
    let here = Location::caller();
    in_groups(&x.as_tensor(), groups, axis, [scale, offset], epsilon).map_err(|e| e.named("group_normalization").at(here))
}

/// The error of channels that groups do not divide.
pub(super) fn uneven(op: &str, groups: impl Display, channels: impl Display) -> Error {
    Error::invalid_argument(op, "the channels do not divide into so many groups")
        .got(format!("{groups} groups of {channels} channels"))
        .expected("a number of groups that divides the channels")
}

/// The shape with its channels apart: groups, and the channels of a group.
pub(super) fn apart(shape: &Shape, groups: usize, axis: usize) -> Result<Shape> {
    shape.with(axis, Dim::known(groups))?.insert(axis + 1, shape.dim(axis) / Dim::known(groups))
}

#[track_caller]
fn in_groups(
    x: &Tensor,
    groups: usize,
    axis: isize,
    [scale, offset]: [Option<&Tensor>; 2],
    epsilon: f64,
) -> Result<Tensor> {
    const OP: &str = "group_normalization";
    check(OP, x, epsilon)?;
    let axis = resolve_axis(OP, axis, x.rank())?;
    if axis == 0 {
        return Err(Error::invalid_argument(OP, "the first dimension has the examples, not the channels").got(x.ty()));
    }
    let channels = x.shape().dim(axis);
    if groups == 0 || channels.known_value().is_some_and(|channels| channels % groups != 0) {
        return Err(uneven(OP, groups, channels));
    }
    check_dtypes(OP, x, [scale, offset])?;
    let (one_each, dtype) = (Shape::from_dims(&[channels])?, x.dtype().compute());
    let wide = |what: &str, given: Option<&Tensor>| {
        given.map(|given| try_cast(&columns(OP, what, given, &one_each)?, dtype)).transpose()
    };
    let (scale, offset) = (wide("scale", scale)?, wide("offset", offset)?);
    if x.rank() == 2 {
        return of_one_spot(x, groups, [scale, offset], epsilon);
    }
    let last = x.rank() - 1;
    let form = ChannelForm { epsilon, groups: Some(groups), last: axis != 1, scaled: false, shifted: false };
    let run = |x: &Tensor| {
        let [y, ..] = normalise_channels(form, x, scale.as_ref(), offset.as_ref())?;
        Ok(y)
    };
    if axis == 1 || axis == last {
        return run(x);
    }
    let mut order: SmallVec<[isize; MAX_RANK]> = (0..x.rank() as isize).collect();
    order.swap(axis, last);
    try_transpose(&run(&try_transpose(x, &order)?)?, &order)
}

/// Channels without spots: each group of an example is a row.
#[track_caller]
fn of_one_spot(x: &Tensor, groups: usize, [scale, offset]: [Option<Tensor>; 2], epsilon: f64) -> Result<Tensor> {
    let wide = try_cast(&reshape_to(x, &apart(x.shape(), groups, 1)?)?, x.dtype().compute())?;
    let rows = normalised("group_normalization", &wide, AxisSet::of(&[2]), [None, None], epsilon, true)?;
    let mut y = reshape_to(&rows, x.shape())?;
    if let Some(scale) = scale {
        y = try_multiply(&y, &scale)?;
    }
    if let Some(offset) = offset {
        y = try_add(&y, &offset)?;
    }
    try_cast(&y, x.dtype())
}
