//! `clip_by_global_norm`: several tensors scaled by one factor, so that the norm of all their elements is at most c;
//! `global_norm` is that norm. TensorFlow's `tf.clip_by_global_norm` and `tf.linalg.global_norm`, composed.

use super::clip_by_norm::check_floating;
use super::operand::ToOperand;
use super::{AsTensor, TensorRef};
use crate::error::{Error, OrFail, Result};
use crate::ops::functions::{
    try_add, try_divide, try_minimum, try_multiply, try_reduce_sum, try_sqrt, try_square, try_subtract,
};
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::panic::Location;

type Refs<'a> = SmallVec<[TensorRef<'a>; 8]>;

#[track_caller]
fn norm_of(op: &str, tensors: &Refs<'_>) -> Result<Tensor> {
    let mut sum: Option<Tensor> = None;
    for tensor in tensors {
        check_floating(op, tensor)?;
        if tensor.dtype() != tensors[0].dtype() {
            return Err(Error::invalid_argument(op, "the tensors have different dtypes")
                .got(format!("{} and {}", tensors[0].dtype(), tensor.dtype()))
                .expected("one dtype for all")
                .help("convert them with `cast`"));
        }
        let squares = try_reduce_sum(try_square(&**tensor)?, ())?;
        sum = Some(match sum {
            Some(sum) => try_add(sum, squares)?,
            None => squares,
        });
    }
    match sum {
        Some(sum) => try_sqrt(sum),
        None => Err(Error::invalid_argument(op, "there are no tensors").expected("at least one tensor")),
    }
}

#[track_caller]
fn clip(tensors: &Refs<'_>, clip_norm: impl ToOperand) -> Result<(Vec<Tensor>, Tensor)> {
    let op = "clip_by_global_norm";
    let norm = norm_of(op, tensors)?;
    let limit = clip_norm.to_operand().tensor(op, norm.dtype())?;
    let smaller = try_minimum(try_divide(1.0, &norm)?, try_divide(1.0, &*limit)?)?;
    // The difference is 0, or NaN if the norm is not finite: such gradients must not look like zeros.
    let scale = try_add(try_multiply(&*limit, smaller)?, try_subtract(&norm, &norm)?)?;
    // A loop, not a closure, which would hide the caller's line from the tape.
    let mut clipped = Vec::with_capacity(tensors.len());
    for tensor in tensors {
        clipped.push(try_multiply(&**tensor, &scale)?);
    }
    Ok((clipped, norm))
}

/// The Euclidean norm of all elements of several tensors together.
///
/// ```
/// use eagerflow as tf;
/// let (a, b) = (tf::constant([[3.0]]), tf::constant([0.0, 4.0]));
/// assert_eq!(tf::global_norm([&a, &b]).item::<f32>(), 5.0);
/// ```
///
/// # Panics
/// Where [`try_global_norm`] answers an error, with its message at the caller's line.
#[track_caller]
pub fn global_norm<T: AsTensor>(tensors: impl IntoIterator<Item = T>) -> Tensor {
    try_global_norm(tensors).or_fail()
}

/// [`global_norm`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument without tensors, for dtypes that differ and for those that are not floating-point.
#[track_caller]
pub fn try_global_norm<T: AsTensor>(tensors: impl IntoIterator<Item = T>) -> Result<Tensor> {
    let here = Location::caller();
    let tensors: SmallVec<[T; 8]> = tensors.into_iter().collect();
    norm_of("global_norm", &tensors.iter().map(AsTensor::as_tensor).collect()).map_err(|e| e.at(here))
}

/// Scales tensors by one factor so that the norm of all their elements together is at most `clip_norm`.
///
/// The answer is the scaled tensors and the norm before. All are NaN if that norm is not finite.
///
/// ```
/// use eagerflow as tf;
/// let (a, b) = (tf::constant([[3.0]]), tf::constant([0.0, 4.0]));
/// let (clipped, norm) = tf::clip_by_global_norm([&a, &b], 2.5);
/// assert_eq!(norm.item::<f32>(), 5.0);
/// assert_eq!(clipped[1].to_vec::<f32>(), [0.0, 2.0]);
/// ```
///
/// # Panics
/// Where [`try_clip_by_global_norm`] answers an error, with its message at the caller's line.
#[track_caller]
pub fn clip_by_global_norm<T: AsTensor>(
    tensors: impl IntoIterator<Item = T>,
    clip_norm: impl ToOperand,
) -> (Vec<Tensor>, Tensor) {
    try_clip_by_global_norm(tensors, clip_norm).or_fail()
}

/// [`clip_by_global_norm`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument without tensors, for dtypes that differ and for those that are not floating-point.
#[track_caller]
pub fn try_clip_by_global_norm<T: AsTensor>(
    tensors: impl IntoIterator<Item = T>,
    clip_norm: impl ToOperand,
) -> Result<(Vec<Tensor>, Tensor)> {
    let here = Location::caller();
    let tensors: SmallVec<[T; 8]> = tensors.into_iter().collect();
    clip(&tensors.iter().map(AsTensor::as_tensor).collect(), clip_norm).map_err(|e| e.at(here))
}
