//! `clip_by_global_norm`: several tensors scaled by one factor, so that the norm of all their elements is at most c;
//! `global_norm` is that norm. TensorFlow's `tf.clip_by_global_norm` and `tf.linalg.global_norm`, composed.

use super::clip_by_norm::check_floating;
use super::operand::ToOperand;
use super::{AsTensor, TensorRef};
use kernels::error::{Error, OrFail, Result};
use crate::ops::functions::{
    try_add, try_divide, try_minimum, try_multiply, try_reduce_sum, try_sqrt, try_square, try_subtract,
};
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::panic::Location;

/// The tensors of a list that are there.
type Refs<'a> = SmallVec<[TensorRef<'a>; 8]>;

/// What [`global_norm`] and [`clip_by_global_norm`] take: a list of tensors, or the [`Gradients`](crate::Gradients) that a tape
/// gives, in which some may be missing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of tensors",
    note = "pass what `tape.gradient` gives for a list of sources, or a list of tensors"
)]
pub trait TensorList {
    /// The same list, clipped.
    type Clipped;
    #[doc(hidden)]
    type Items;

    #[doc(hidden)]
    fn items(self) -> Self::Items;
    #[doc(hidden)]
    fn refs(items: &Self::Items) -> SmallVec<[TensorRef<'_>; 8]>;
    /// The list with others in place of the tensors that are there.
    #[doc(hidden)]
    fn clipped(items: Self::Items, tensors: Vec<Tensor>) -> Self::Clipped;
}

impl<T: AsTensor, I: IntoIterator<Item = T>> TensorList for I {
    type Clipped = Vec<Tensor>;
    type Items = Vec<T>;

    fn items(self) -> Vec<T> {
        self.into_iter().collect()
    }
    fn refs(items: &Vec<T>) -> SmallVec<[TensorRef<'_>; 8]> {
        items.iter().map(AsTensor::as_tensor).collect()
    }
    fn clipped(_: Vec<T>, tensors: Vec<Tensor>) -> Vec<Tensor> {
        tensors
    }
}

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
pub fn global_norm(tensors: impl TensorList) -> Tensor {
    try_global_norm(tensors).or_fail()
}

/// [`global_norm`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument without tensors, for dtypes that differ and for those that are not floating-point.
#[track_caller]
pub fn try_global_norm<L: TensorList>(tensors: L) -> Result<Tensor> {
    let here = Location::caller();
    norm_of("global_norm", &L::refs(&tensors.items())).map_err(|e| e.at(here))
}

/// Scales tensors by one factor so that the norm of all their elements together is at most `clip_norm`.
///
/// The answer is the scaled tensors and the norm before. All are NaN if that norm is not finite. Gradients of a tape stay
/// gradients, which an optimizer takes; missing ones stay so, and rows of an embedding count as they are.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Optimizer, SGD};
/// let w = [tf::Variable::new([3.0]), tf::Variable::new([4.0]), tf::Variable::new(9.0)];
/// let tape = tf::GradientTape::new();
/// let loss = tf::reduce_sum(w[0].value().square() + w[1].value().square(), ()) * 0.5;
/// let (clipped, norm) = tf::clip_by_global_norm(tape.gradient(&loss, &w[..2]), 2.5);
/// assert_eq!(norm.item::<f32>(), 5.0);
/// SGD::new(1.0).apply_gradients(&clipped, &w[..2]);
/// assert_eq!(w[1].value().to_vec::<f32>(), [2.0]);
/// // A list of tensors gives a list of tensors.
/// let (a, b) = (tf::constant([[3.0]]), tf::constant([0.0, 4.0]));
/// let (clipped, _) = tf::clip_by_global_norm([&a, &b], 2.5);
/// assert_eq!(clipped[1].to_vec::<f32>(), [0.0, 2.0]);
/// ```
///
/// # Panics
/// Where [`try_clip_by_global_norm`] answers an error, with its message at the caller's line.
#[track_caller]
pub fn clip_by_global_norm<L: TensorList>(tensors: L, clip_norm: impl ToOperand) -> (L::Clipped, Tensor) {
    try_clip_by_global_norm(tensors, clip_norm).or_fail()
}

/// [`clip_by_global_norm`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument without tensors, for dtypes that differ and for those that are not floating-point.
#[track_caller]
pub fn try_clip_by_global_norm<L: TensorList>(tensors: L, clip_norm: impl ToOperand) -> Result<(L::Clipped, Tensor)> {
    let here = Location::caller();
    let items = tensors.items();
    let (clipped, norm) = clip(&L::refs(&items), clip_norm).map_err(|e| e.at(here))?;
    Ok((L::clipped(items, clipped), norm))
}
