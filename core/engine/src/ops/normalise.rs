//! What softmax, its logarithm and the cross entropies share: the axis moved last, and slices of rows for the kernels.
//! Those operations' files call it.

use super::transpose::try_transpose;
use crate::execute::execute1;
use crate::op::{Infer, Op};
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

/// The part of an `impl Op` that all operations over dense rows have in common: kernels of `softmax_rows` on the CPU, and a text for
/// GPUs, on as many inputs as are named.
macro_rules! over_rows {
    ($name:literal, $text:literal, $kernel:ident($($input:ident),+)) => {
        identity!($name);

        fn kind(&self) -> Kind {
            Kind::Opaque
        }

        fn may_fail(&self) -> bool {
            false
        }

        fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
            infer_same(cx)
        }

        fn work(&self, call: &CpuCall<'_>) -> Work {
            match Staged::new(call, 1) {
                Some(staged) => staged.work(|call| self.work(call)),
                None => work(&call.outputs[0]),
            }
        }

        unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, index: usize) -> Result<()> {
            if let Some(staged) = Staged::new(call, 1) {
                // SAFETY: by the caller's promise; what is staged is what the loops know.
                return unsafe { staged.run(phase, index, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
            }
            let ([$($input),+], out) = (call.inputs, &call.outputs[0]) else { return Ok(()) };
            let (range, n) = chunk(out, index);
            // SAFETY: dense tensors of one shape; chunks have rows of their own.
            unsafe {
                match out.dtype {
                    DType::F64 => softmax_rows::$kernel::<f64>(
                        call.isa, n, $(part($input, &range, n),)+ part_mut(out, &range, n),
                    ),
                    _ => softmax_rows::$kernel::<f32>(
                        call.isa, n, $(part($input, &range, n),)+ part_mut(out, &range, n),
                    ),
                }
            }
            Ok(())
        }

        unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
            static KERNEL: RowKernel = row_kernel!($name, $text);
            let ([$($input),+], out) = (&call.inputs[..], &call.outputs[0]) else { return Ok(()) };
            let (rows, n) = rows_of(out);
            // SAFETY: dense tensors of one shape.
            unsafe { call.rows(&KERNEL, &[out.dtype], [rows, n], false, |to| to.views(&[$($input,)+ out])) }
        }

        fn gradient(&self) -> Gradient {
            Gradient::Rule
        }
    };
}

pub(super) use over_rows;

/// What an operation along the last axis makes of any floats along any axis.
#[track_caller]
pub(super) fn along(op: &'static dyn Op, x: &Tensor, axis: isize) -> Result<Tensor> {
    check(op.name(), x)?;
    let (x, order) = axis_last(op.name(), x, axis)?;
    let y = execute1(op, &[&x])?;
    match order {
        None => Ok(y),
        Some(order) => try_transpose(&y, &order),
    }
}
