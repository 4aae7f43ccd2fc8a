//! `layer_normalization` and `rms_norm`: parts of a tensor brought to mean 0 and variance 1, or to mean square 1. `groups.rs` has groups of channels.
//! PyTorch's `layer_norm` and `rms_norm`; Keras' functions and layers of these names. 16-bit floats in f32.

pub(super) mod channels;
mod channels_cuda;
mod groups;
mod device_columns;
mod rows;
mod second_order;
#[cfg(test)]
mod tests;

pub use groups::{group_normalization, try_group_normalization};

use super::axes::IntoAxes;
use super::functions::try_transpose;
use super::{AsTensor, reshape_to};
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

/// An error where scale or offset have another dtype than the input.
fn check_dtypes(op: &str, x: &Tensor, [scale, offset]: [Option<&Tensor>; 2]) -> Result<()> {
    for (what, given) in [("scale", scale), ("offset", offset)] {
        if let Some(given) = given.filter(|given| given.dtype() != x.dtype()) {
            return Err(Error::invalid_argument(op, format!("the {what} has another dtype than the input"))
                .got(format!("{} and {}", given.dtype(), x.dtype()))
                .help("convert it with `cast`"));
        }
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
    check_dtypes(op, x, [scale, offset])?;
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
