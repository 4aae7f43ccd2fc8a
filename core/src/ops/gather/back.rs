//! `gather_back`: the gradient of a gather along an inner axis: slices added up at their indices; its own dx is a gather.
//! The gradient rule of `gather` runs it.

use super::{Gather, Parts};
use crate::backend::cpu::numbered_rows::{self as rows, Write};
use crate::backend::cpu::vector::fill;
use crate::backend::cpu::{CpuCall, Work, part};
use crate::backend::cuda::{self, CudaCall, Kernel, Names, Rows};
use crate::dtype::DTypes;
use crate::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Saves, identity};
use crate::shape::Shape;
use crate::tape::Backward;
use std::sync::Arc;

/// Inputs: slices and their indices; the slices added up in zeros of the tensor they were gathered from.
#[derive(Clone)]
pub(super) struct GatherBack {
    pub gather: Gather,
    pub whole: Shape,
}

impl Op for GatherBack {
    identity!("gather_back", {
        "axis": Int = |this| this.gather.axis as i64,
        "batch_dims": Int = |this| this.gather.batch as i64,
        "shape": Shape = |this| &this.whole,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { gather: self.gather.clone(), whole: self.whole.bind(lookup)? })))
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::NUMBERS)?;
        cx.output(cx.dtype(0), self.whole);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let parts = Parts::new(&self.gather, call.outputs[0].dims(), call.inputs[1].dims());
        let out = &call.outputs[0];
        rows::work(call.inputs[1].len(), out.len() * out.dtype.size(), parts.groups)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let (given, indices, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let parts = Parts::new(&self.gather, out.dims(), indices.dims());
        if phase == 0 {
            // SAFETY: a dense view of integers, and scratch as `work` asked for.
            return unsafe { rows::check("gather", indices, indices.len(), 1, &[parts.size], call.scratch) };
        }
        let (size, bytes) = (out.dtype.size(), parts.row * out.dtype.size());
        // SAFETY: phase 0 checked the numbers; chunks write disjoint groups of the dense output.
        unsafe {
            let numbers = rows::numbers(call.scratch, indices.len());
            for group in part(parts.groups, chunk, self.work(call).phases[1], 1) {
                let to = out.ptr.add(group * parts.size * bytes);
                fill(size, to, 0, parts.size * parts.row);
                let own = numbers.iter().skip(parts.batch_of(group) * parts.each).take(parts.each);
                for (i, &number) in own.enumerate() {
                    let from = given.ptr.add((group * parts.each + i) * bytes);
                    rows::change(Write::Add, out.dtype, to.add(number * bytes), from, parts.row);
                }
            }
        }
        Ok(())
    }

    /// Few slices are looked for by each element; many are sorted.
    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (given, indices, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let Parts { groups, inner_groups, size, row, each } = Parts::new(&self.gather, out.dims(), indices.dims());
        // SAFETY: dense views of the inferred types; slices of wrong indices are left out.
        unsafe {
            if each <= FEW && out.len() > 0 {
                return call.elements(&GATHER_BACK, &[out.dtype, indices.dtype], out.len(), |arguments| {
                    arguments.faults(call);
                    [given, indices, out].into_iter().for_each(|view| arguments.view(view));
                    [row, each, inner_groups, size].into_iter().for_each(|n| arguments.size(n));
                });
            }
            cuda::fill(call, out, 0)?;
            let names = Names::Axis { indices, each, inner_groups, size };
            let (rows, count) = (groups * size, groups * each);
            let rows = Rows { write: Write::Add, to: out, rows, row, updates: given, count, all_or_nothing: false };
            cuda::scatter(call, &names, &rows)
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[1])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = execute1(&self.gather, &[&g.dy(0)?, g.input(1)?])?;
        g.give(0, dx);
        Ok(())
    }
}

/// The most indices of a group that every element compares itself with.
const FEW: usize = 8;

static GATHER_BACK: Kernel = Kernel {
    name: "gather_back",
    text: concat!(include_str!("../../backend/cuda/divided.cuh"), include_str!("back.cuh")),
};

