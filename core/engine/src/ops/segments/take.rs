//! `segment_rows`: the row of its segment for each id, zeros for a negative one; dx adds dy's rows up in their segments.
//! The gradients of the folds over segments are made of it; TensorFlow gathers and masks in its place.

use super::fold::{Fold, SegmentFold};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::backend::cuda::{CudaCall, DIVIDED, Moving, moving, unit_of};
use kernels::dtype::{DType, DTypes};
use kernels::error::Result;
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;

/// Inputs: a row for each segment, and ids that a fold has checked.
#[derive(Clone)]
struct SegmentRows;

/// Bytes that one chunk moves, about.
const CHUNK: usize = 128 * 1024;

impl Op for SegmentRows {
    identity!("segment_rows");

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::ALL)?;
        cx.check_dtype(1, DTypes::of(&[DType::I16, DType::I32, DType::I64]))?;
        let dims: SmallVec<[Dim; MAX_RANK]> = cx.shape(1).iter().chain(cx.shape(0).iter().skip(1)).collect();
        cx.output(cx.dtype(0), Shape::from_dims(&dims)?);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let out = &call.outputs[0];
        let chunks = (out.len() * out.dtype.size()).div_ceil(CHUNK).min(64).min(call.inputs[1].len());
        Work::chunks(chunks.max(1))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let (from, ids, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let bytes = from.dims()[1..].iter().product::<usize>() * out.dtype.size();
        let own = part(ids.len(), chunk, self.work(call).phases[0], 1);
        if out.is_empty() {
            return Ok(());
        }
        // SAFETY: dense views of the inferred types; chunks write disjoint rows, and read those that exist.
        unsafe {
            for (to, id) in own.clone().zip(ids.part(own.start, own.len()).integers()) {
                let to = out.ptr.add(to * bytes);
                match usize::try_from(id).ok().filter(|&id| id < from.dims()[0]) {
                    Some(id) => std::ptr::copy_nonoverlapping(from.ptr.add(id * bytes), to, bytes),
                    None => std::ptr::write_bytes(to, 0, bytes),
                }
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (from, ids, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let row = from.dims()[1..].iter().product::<usize>() * out.dtype.size();
        if out.is_empty() {
            return Ok(());
        }
        let unit = unit_of([row, from.ptr.addr(), out.ptr.addr()]);
        let (kernel, ty) = SEGMENT_ROWS.of(unit);
        // SAFETY: dense views of the inferred types; rows outside of the tensor are not read.
        unsafe {
            call.elements(kernel, &[ty, ids.dtype], ids.len() * row / unit, |arguments| {
                [from, ids, out].into_iter().for_each(|view| arguments.view(view));
                arguments.sizes(&[row / unit, from.dims()[0]]);
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[1])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let size = g.input_type(0).shape.dim(0);
        let sum = SegmentFold::inner(Fold::Sum, size)?;
        let dx = execute1(&sum, &[&g.dy(0)?, g.input(1)?])?;
        g.give(0, dx);
        Ok(())
    }
}

static SEGMENT_ROWS: Moving = moving!("segment_rows", DIVIDED, include_str!("segment_rows.cuh"));

/// The row of its segment for each id; zeros for a negative one.
#[track_caller]
pub(super) fn rows_at(rows: &Tensor, ids: &Tensor) -> Result<Tensor> {
    execute1(&SegmentRows, &[rows, ids])
}
