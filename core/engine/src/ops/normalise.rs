//! What softmax, its logarithm and the cross entropies share: the axis moved last, and slices of rows for the kernels.
//! Those operations' files call it.

use super::transpose::try_transpose;
use crate::op::Infer;
use crate::tensor::Tensor;
use kernels::backend::cpu::softmax_columns::{Normalise, Planes};
use kernels::backend::cpu::{CpuCall, View, Work, softmax_rows};
use kernels::backend::cuda::{Buffer, CudaCall, RowKernel, copy};
use kernels::dtype::{DType, DTypes, Element};
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

/// The tensor with `axis` exchanged with the last one.
#[track_caller]
pub(super) fn axis_last(op: &str, x: &Tensor, axis: isize) -> Result<Tensor> {
    let axis = resolve_axis(op, axis, x.rank())?;
    let last = x.rank() - 1;
    if axis == last {
        return Ok(x.clone());
    }
    let mut order: SmallVec<[isize; MAX_RANK]> = (0..x.rank() as isize).collect();
    order.swap(axis, last);
    try_transpose(x, &order)
}

/// The part of an `impl Op` that softmax, its logarithm and their gradients have in common: an operation along its `axis`, by rows where that is the last
/// one, and else by columns with the same bits. GPUs have kernels for rows, to which the operands are turned.
macro_rules! along_an_axis {
    ($name:literal, $text:literal, $columns:ident, $kernel:ident($($input:ident),+)) => {
        identity!($name, { "axis": Int = |op| op.axis as i64 });

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
                None => along_axis_work(&call.outputs[0], self.axis),
            }
        }

        unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, index: usize) -> Result<()> {
            if let Some(staged) = Staged::new(call, 1) {
                // SAFETY: by the caller's promise; what is staged is what the loops know.
                return unsafe { staged.run(phase, index, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
            }
            let ([$($input),+], out) = (call.inputs, &call.outputs[0]) else { return Ok(()) };
            let planes = planes_of(out, self.axis);
            if planes.inner > 1 {
                // SAFETY: dense tensors of one shape; chunks have columns of their own.
                unsafe { in_columns(call, &planes, Normalise::$columns, index) };
                return Ok(());
            }
            let n = planes.n;
            let range = softmax_rows::chunk(planes.outer, n, index);
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
            // SAFETY: dense tensors of one shape.
            unsafe { on_gpu(call, &KERNEL, self.axis) }
        }

        fn gradient(&self) -> Gradient {
            Gradient::Rule
        }
    };
}

pub(super) use along_an_axis;

/// How a dense tensor lies around an axis.
pub(super) fn planes_of(view: &View, axis: usize) -> Planes {
    let (n, inner) = (view.dims()[axis], view.dims()[axis + 1..].iter().product::<usize>());
    // No planes where there are no elements, whichever axis is empty.
    Planes { outer: view.len().checked_div(n * inner).unwrap_or(0), n, inner }
}

/// Chunks along any axis.
pub(super) fn along_axis_work(view: &View, axis: usize) -> Work {
    let planes = planes_of(view, axis);
    match planes.inner {
        0 | 1 => Work::chunks(softmax_rows::chunks(planes.outer, planes.n)),
        _ => planes.work(),
    }
}

/// A chunk along an axis that is not the last.
///
/// # Safety
/// Dense operands of one shape and of 32 or 64 bits; chunks have columns of their own.
pub(super) unsafe fn in_columns(call: &CpuCall<'_>, planes: &Planes, normalise: Normalise, chunk: usize) {
    let (a, out) = (&call.inputs[0], &call.outputs[0]);
    let b = call.inputs.get(1).unwrap_or(a);
    // SAFETY: by the caller's promise.
    unsafe {
        match out.dtype {
            DType::F64 => planes.run::<f64>(call.isa, normalise, a.as_ptr(), b.as_ptr(), out.as_ptr(), chunk),
            _ => planes.run::<f32>(call.isa, normalise, a.as_ptr(), b.as_ptr(), out.as_ptr(), chunk),
        }
    }
}

/// A kernel over rows along any axis: operands are turned so that it is the last, and the result back.
///
/// # Safety
/// As `Op::cuda`, for dense operands of one shape.
pub(super) unsafe fn on_gpu(call: &CudaCall<'_>, kernel: &'static RowKernel, axis: usize) -> Result<()> {
    let out = &call.outputs[0];
    let Planes { outer, n, inner } = planes_of(out, axis);
    // SAFETY: by the caller's promise; memory that is taken here is freed in the order of the stream.
    unsafe {
        if inner == 1 || outer == 0 {
            return call.rows(kernel, &[out.dtype], [outer, n], false, |to| {
                call.inputs.iter().for_each(|input| to.view(input));
                to.view(out);
            });
        }
        let (mut rooms, mut rows) = (SmallVec::<[Buffer; 3]>::new(), SmallVec::<[View; 3]>::new());
        for view in call.inputs.iter().chain([out]) {
            let room = call.scratch(out.len() * out.dtype.size())?;
            let at = std::ptr::without_provenance_mut(room.address() as usize);
            rows.push(View::dense(at, view.dtype, &[outer, inner, n]));
            rooms.push(room);
        }
        let by_rows = [(n * inner) as isize, 1, inner as isize];
        for (input, row) in call.inputs.iter().zip(&rows) {
            copy(call, &View::new(input.ptr, input.dtype, row.dims(), &by_rows), row)?;
        }
        call.rows(kernel, &[out.dtype], [outer * inner, n], false, |to| rows.iter().for_each(|row| to.view(row)))?;
        let back = [(n * inner) as isize, 1, n as isize];
        let (planes, result) = ([outer, n, inner], rows[rows.len() - 1]);
        copy(call, &View::new(result.ptr, out.dtype, &planes, &back), &View::dense(out.ptr, out.dtype, &planes))
    }
}

/// The axis of an operation that normalises floats.
#[track_caller]
pub(super) fn axis_of(op: &str, x: &Tensor, axis: isize) -> Result<usize> {
    check(op, x)?;
    resolve_axis(op, axis, x.rank())
}
