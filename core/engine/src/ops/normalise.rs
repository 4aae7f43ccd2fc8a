//! What softmax, its logarithm and the cross entropies share: the axis moved last, and slices of rows for the kernels.
//! Those operations' files call it.

use super::transpose::try_transpose;
use crate::op::Infer;
use crate::tensor::Tensor;
use kernels::backend::cpu::{View, Work, softmax_rows};
use kernels::dtype::{DTypes, Element};
use kernels::error::{Error, Result};
use kernels::shape::{MAX_RANK, resolve_axis};
use smallvec::SmallVec;

/// What is normalised; 16-bit floats are computed with in f32.
pub(super) const REAL: DTypes = DTypes::FLOATING;

/// Elements of the last dimension, and how many rows of them there are.
pub(super) fn rows_of(view: &View) -> (usize, usize) {
    let n = view.dims().last().copied().unwrap_or(1);
    (view.len().checked_div(n).unwrap_or(0), n)
}

/// Chunks of rows of the last dimension.
pub(super) fn work(view: &View) -> Work {
    let (count, n) = rows_of(view);
    Work::chunks(softmax_rows::chunks(count, n))
}

/// The rows of a chunk as a slice.
///
/// # Safety
/// The view is dense and valid, and nobody writes these rows.
pub(super) unsafe fn part<'a, T: Element>(view: &View, range: &std::ops::Range<usize>, n: usize) -> &'a [T] {
    // SAFETY: by the caller's promise; the range lies within the rows.
    unsafe { std::slice::from_raw_parts(view.as_ptr::<T>().add(range.start * n), range.len() * n) }
}

/// The rows of a chunk as a slice to write.
///
/// # Safety
/// As [`part`], and nobody else uses these rows.
pub(super) unsafe fn part_mut<'a, T: Element>(view: &View, range: &std::ops::Range<usize>, n: usize) -> &'a mut [T] {
    // SAFETY: by the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(view.as_ptr::<T>().add(range.start * n), range.len() * n) }
}

/// The rows that a chunk works on, and their length.
pub(super) fn chunk(view: &View, index: usize) -> (std::ops::Range<usize>, usize) {
    let (count, n) = rows_of(view);
    (softmax_rows::chunk(count, n, index), n)
}

/// The type rule of operations on operands of one shape that answer in it.
pub(super) fn infer_same(cx: &mut Infer<'_>) -> Result<()> {
    cx.same_dtype()?;
    cx.check_dtype(0, REAL)?;
    let shape = cx.broadcast_all()?;
    cx.output(cx.dtype(0), shape);
    Ok(())
}

/// An error unless the tensor has a dimension to normalise along and holds floats.
pub(super) fn check(op: &str, x: &Tensor) -> Result<()> {
    if !DTypes::FLOATING.has(x.dtype()) {
        return Err(Error::invalid_argument(op, "the input must hold floating-point numbers")
            .got(x.dtype())
            .expected(DTypes::FLOATING)
            .help("convert it with `cast`"));
    }
    match x.rank() {
        0 => Err(Error::invalid_argument(op, "a scalar has no axis to normalise along").got(x.ty())),
        _ => Ok(()),
    }
}

/// The tensor with `axis` exchanged with the last one, and whether that was needed to be undone later.
#[track_caller]
pub(super) fn axis_last(op: &str, x: &Tensor, axis: isize) -> Result<(Tensor, Option<SmallVec<[isize; MAX_RANK]>>)> {
    let axis = resolve_axis(op, axis, x.rank())?;
    let last = x.rank() - 1;
    if axis == last {
        return Ok((x.clone(), None));
    }
    let mut order: SmallVec<[isize; MAX_RANK]> = (0..x.rank() as isize).collect();
    order.swap(axis, last);
    Ok((try_transpose(x, &order)?, Some(order)))
}
