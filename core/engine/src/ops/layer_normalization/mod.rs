//! `layer_normalization`, `rms_normalization`, `group_normalization`: parts of a tensor brought to mean 0 and variance 1, or to mean square 1.
//! PyTorch's `layer_norm`, `rms_norm` and `group_norm`; Keras' functions and layers of these names. 16-bit floats in f32.

mod rows;
#[cfg(test)]
mod tests;

use super::axes::IntoAxes;
use super::functions::{try_add, try_cast, try_multiply, try_rsqrt, try_square, try_subtract, try_transpose};
use super::reduce_mean::mean_axes;
use super::{AsTensor, broadcast_to_shape, reshape_to};
use crate::execute::execute;
use crate::tensor::Tensor;
use kernels::dtype::DTypes;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{AxisSet, Dim, MAX_RANK, Shape};
use smallvec::SmallVec;
use std::panic::Location;

const NAME: &str = "layer_normalization";

fn check(op: &str, x: &Tensor, epsilon: f64) -> Result<()> {
    if !DTypes::FLOATING.has(x.dtype()) {
        return Err(Error::invalid_argument(op, "only floating-point numbers can be normalised")
            .got(x.dtype())
            .expected(DTypes::FLOATING)
            .help("convert the input with `cast`"));
    }
    if !(epsilon >= 0.0 && epsilon.is_finite()) {
        return Err(Error::invalid_argument(op, "epsilon is no number from 0 up").got(epsilon));
    }
    Ok(())
}

/// The shape of some axes of a tensor, in order.
fn of_axes(shape: &Shape, axes: AxisSet) -> Result<Shape> {
    let sizes: SmallVec<[Dim; MAX_RANK]> = axes.iter().map(|axis| shape.dim(axis)).collect();
    Shape::from_dims(&sizes)
}

/// Scale or offset as one number for each element of the axes.
#[track_caller]
fn columns(op: &str, what: &str, x: &Tensor, shape: &Shape) -> Result<Tensor> {
    let fits = x.rank() == shape.rank() && x.shape().iter().zip(shape.iter()).all(|(a, b)| a.can_equal(b));
    if !fits {
        return Err(Error::invalid_argument(op, format!("the {what} does not fit the axes that are normalised"))
            .got(x.shape())
            .expected(shape));
    }
    match x.rank() {
        1 => Ok(x.clone()),
        _ => reshape_to(x, &Shape::from_dims(&[shape.element_count()])?),
    }
}

#[track_caller]
fn normalised(
    op: &'static str,
    x: &Tensor,
    axes: AxisSet,
    [scale, offset]: [Option<&Tensor>; 2],
    epsilon: f64,
    centred: bool,
) -> Result<Tensor> {
    check(op, x, epsilon)?;
    if axes.is_empty() {
        return Err(Error::invalid_argument(op, "there is no axis to normalise").got(x.ty()).expected("at least one axis"));
    }
    for (what, given) in [("scale", scale), ("offset", offset)] {
        if let Some(given) = given.filter(|given| given.dtype() != x.dtype()) {
            return Err(Error::invalid_argument(op, format!("the {what} has another dtype than the input"))
                .got(format!("{} and {}", given.dtype(), x.dtype()))
                .help("convert it with `cast`"));
        }
    }
    let shape = of_axes(x.shape(), axes)?;
    let scale = scale.map(|scale| columns(op, "scale", scale, &shape)).transpose()?;
    let offset = offset.map(|offset| columns(op, "offset", offset, &shape)).transpose()?;
    // The axes last, and one of them.
    let rank = x.rank();
    let order: SmallVec<[isize; MAX_RANK]> =
        axes.complement(rank).iter().chain(axes.iter()).map(|axis| axis as isize).collect();
    let in_place = order.iter().enumerate().all(|(i, &axis)| i as isize == axis);
    let turned = if in_place { x.clone() } else { try_transpose(x, &order)? };
    let mut sizes: SmallVec<[Dim; MAX_RANK]> = turned.shape().sizes()[..rank - axes.len()].into();
    sizes.push(shape.element_count());
    let rows = if axes.len() == 1 { turned.clone() } else { reshape_to(&turned, &Shape::from_dims(&sizes)?)? };
    let form = rows::Form { epsilon, centred, scaled: scale.is_some(), shifted: offset.is_some() };
    let mut inputs: SmallVec<[&Tensor; 3]> = SmallVec::from_iter([&rows]);
    inputs.extend(scale.as_ref());
    inputs.extend(offset.as_ref());
    let y = execute(&rows::NormalizeRows { form }, &inputs)?.swap_remove(0);
    let y = if axes.len() == 1 { y } else { reshape_to(&y, turned.shape())? };
    if in_place {
        return Ok(y);
    }
    let mut back: SmallVec<[isize; MAX_RANK]> = SmallVec::from_elem(0, rank);
    order.iter().enumerate().for_each(|(i, &axis)| back[axis as usize] = i as isize);
    try_transpose(&y, &back)
}

/// The elements along `axes`, less their mean, over the root of their variance and `epsilon`; then times `scale` and plus `offset`, which have the
/// sizes of the axes. Floats, of the same shape out. 16-bit floats are computed with in `float32`.
///
/// PyTorch's `torch.nn.functional.layer_norm` (whose axes are the last ones, with an epsilon of 1e-5) and Keras' `LayerNormalization` (1e-3).
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 3.0], [2.0, 6.0]]);
/// let y = tf::layer_normalization(&x, -1, None, None, 0.0);
/// assert_eq!(y.to_vec::<f32>(), [-1.0, 1.0, -1.0, 1.0]);
/// assert_eq!(tf::layer_normalization!(&x).shape(), [2, 2]);
/// ```
///
/// # Panics
/// As [`try_layer_normalization`] fails.
#[track_caller]
pub fn layer_normalization(
    x: impl AsTensor,
    axes: impl IntoAxes,
    scale: Option<&Tensor>,
    offset: Option<&Tensor>,
    epsilon: f64,
) -> Tensor {
    try_layer_normalization(x, axes, scale, offset, epsilon).or_fail()
}

/// The elements along `axes`, less their mean, over the root of their variance and `epsilon`; then times `scale` and plus `offset`.
///
/// # Errors
/// InvalidArgument for an input that holds no floats, no axis or a wrong one, a scale or an offset of another dtype or other sizes than those of the
/// axes, or an epsilon below 0.
#[track_caller]
pub fn try_layer_normalization(
    x: impl AsTensor,
    axes: impl IntoAxes,
    scale: Option<&Tensor>,
    offset: Option<&Tensor>,
    epsilon: f64,
) -> Result<Tensor> {
    let here = Location::caller();
    let x = x.as_tensor();
    let run = || {
        let (axes, _) = axes.into_axes().resolve(NAME, x.rank())?;
        normalised(NAME, &x, axes, [scale, offset], epsilon, true)
    };
    run().map_err(|e| e.at(here))
}

/// The elements along `axes` over the root of their mean square and `epsilon`; then times `scale`, which has the sizes of the axes
/// (Zhang and Sennrich 2019). Floats, of the same shape out.
///
/// PyTorch's `torch.nn.functional.rms_norm`, whose axes are the last ones and whose epsilon is the dtype's machine epsilon unless told, and Keras'
/// `keras.ops.rms_normalization`. Both add epsilon to the mean square, as is done here.
///
/// ```
/// use eagerflow as tf;
/// let y = tf::rms_norm(tf::constant([1.0, 7.0]), -1, None, 0.0);
/// assert_eq!(y.to_vec::<f32>(), [0.2, 1.4]);
/// ```
///
/// # Panics
/// As [`try_rms_norm`] fails.
#[track_caller]
pub fn rms_norm(x: impl AsTensor, axes: impl IntoAxes, scale: Option<&Tensor>, epsilon: f64) -> Tensor {
    try_rms_norm(x, axes, scale, epsilon).or_fail()
}

/// The elements along `axes` over the root of their mean square and `epsilon`; then times `scale`.
///
/// # Errors
/// As [`try_layer_normalization`].
#[track_caller]
pub fn try_rms_norm(
    x: impl AsTensor,
    axes: impl IntoAxes,
    scale: Option<&Tensor>,
    epsilon: f64,
) -> Result<Tensor> {
    let here = Location::caller();
    let x = x.as_tensor();
    let run = || {
        let (axes, _) = axes.into_axes().resolve("rms_norm", x.rank())?;
        normalised("rms_norm", &x, axes, [scale, None], epsilon, false)
    };
    run().map_err(|e| e.named("rms_norm").at(here))
}

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
    let axis = kernels::shape::resolve_axis(OP, axis, x.rank())?;
    if axis == 0 {
        return Err(Error::invalid_argument(OP, "the first dimension has the examples, not the channels").got(x.ty()));
    }
    let channels = x.shape().dim(axis);
    if groups == 0 || channels.known_value().is_some_and(|channels| channels % groups != 0) {
        return Err(Error::invalid_argument(OP, "the channels do not divide into so many groups")
            .got(format!("{groups} groups of {channels} channels"))
            .expected("a number of groups that divides the channels"));
    }
    let one_each = Shape::from_dims(&[channels])?;
    let along = along(x, axis)?;
    let dtype = x.dtype().compute();
    let spread = |what: &str, given: Option<&Tensor>| {
        given.map(|given| try_cast(&reshape_to(&columns(OP, what, given, &one_each)?, &along)?, dtype)).transpose()
    };
    for (what, given) in [("scale", scale), ("offset", offset)] {
        if let Some(given) = given.filter(|given| given.dtype() != x.dtype()) {
            return Err(Error::invalid_argument(OP, format!("the {what} has another dtype than the input"))
                .got(format!("{} and {}", given.dtype(), x.dtype()))
                .help("convert it with `cast`"));
        }
    }
    let (scale, offset) = (spread("scale", scale)?, spread("offset", offset)?);
    let y = match axis {
        1 => behind_each_other(x, groups, scale.as_ref(), epsilon)?,
        _ => side_by_side(x, groups, axis, scale.as_ref(), epsilon)?,
    };
    let y = if let Some(offset) = offset { try_add(&y, &offset)? } else { y };
    try_cast(&y, x.dtype())
}

/// The shape of one number for each channel, which broadcasts to that of the tensor.
fn along(x: &Tensor, axis: usize) -> Result<Shape> {
    let mut sizes = [Dim::ONE; MAX_RANK];
    sizes[axis] = x.shape().dim(axis);
    Shape::from_dims(&sizes[..x.rank()])
}

/// The shape with its channels apart: groups, and the channels of a group.
fn apart(shape: &Shape, groups: usize, axis: usize) -> Result<Shape> {
    shape.with(axis, Dim::known(groups))?.insert(axis + 1, shape.dim(axis) / Dim::known(groups))
}

/// Channels right behind the examples: each group of an example is a row.
#[track_caller]
fn behind_each_other(x: &Tensor, groups: usize, scale: Option<&Tensor>, epsilon: f64) -> Result<Tensor> {
    let wide = try_cast(&reshape_to(x, &apart(x.shape(), groups, 1)?)?, x.dtype().compute())?;
    let axes = AxisSet::of(&[0, 1]).complement(wide.rank());
    let y = reshape_to(&normalised("group_normalization", &wide, axes, [None, None], epsilon, true)?, x.shape())?;
    if let Some(scale) = scale { try_multiply(&y, scale) } else { Ok(y) }
}

/// Channels behind other axes, as those that come last: a group's elements do not lie together, so channels are summed each by itself, and then the
/// few sums of a group. All have as many elements: the mean of their means is the group's.
#[track_caller]
fn side_by_side(x: &Tensor, groups: usize, axis: usize, scale: Option<&Tensor>, epsilon: f64) -> Result<Tensor> {
    let wide = try_cast(x, x.dtype().compute())?;
    let others = AxisSet::of(&[0, axis]).complement(x.rank());
    let of_groups = |x: &Tensor| {
        let channels = mean_axes(x, others, true)?;
        let split = apart(channels.shape(), groups, axis)?;
        let means = mean_axes(&reshape_to(&channels, &split)?, AxisSet::of(&[axis + 1]), true)?;
        reshape_to(&broadcast_to_shape(&means, &split)?, channels.shape())
    };
    let far = try_subtract(&wide, &of_groups(&wide)?)?;
    let mut root = try_rsqrt(&try_add(&of_groups(&try_square(&far)?)?, epsilon)?)?;
    if let Some(scale) = scale {
        root = try_multiply(&root, scale)?;
    }
    try_multiply(&far, &root)
}
