//! `gather_back`: the gradient of a gather along an inner axis: slices added up at their indices in zeros, or in what there is of
//! the gradient already (`gather_add`); the slices' own dx is a gather. The gradient rule of `gather` runs both.

use super::{Gather, Parts};
use kernels::backend::cpu::indexed_rows::{self as rows, Changes, Share, Write};
use kernels::backend::cpu::vector::fill;
use kernels::backend::cpu::{CpuCall, View, Work, part};
use kernels::backend::cuda::{self, CudaCall, DIVIDED, Kernel, Names, Rows};
use kernels::dtype::DTypes;
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Saves, identity};
use kernels::shape::Shape;
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

    fn onto(&self) -> Option<OpRef> {
        Some(OpRef::Shared(Arc::new(GatherAdd { gather: self.gather.clone() })))
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let out = &call.outputs[0];
        Slices::of(&self.gather, &call.inputs[0], &call.inputs[1], out).work(out)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let (given, indices, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let chunks = self.work(call).phases[1];
        // SAFETY: dense views of the inferred types, scratch and chunks as `work` says.
        unsafe {
            Slices::of(&self.gather, given, indices, out).add(call.scratch, phase, chunk, chunks, |start, n| {
                fill(out.dtype.size(), out.ptr.add(start * out.dtype.size()), 0, n);
            })
        }
    }

    /// Few slices are looked for by each element; many are sorted.
    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (given, indices, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let Parts { inner_groups, size, row, each, .. } = Parts::new(&self.gather, out.dims(), indices.dims());
        // SAFETY: dense views of the inferred types; slices of wrong indices are left out.
        unsafe {
            if each <= FEW && !out.is_empty() {
                return call.elements(&GATHER_BACK, &[out.dtype, indices.dtype], out.len(), |arguments| {
                    arguments.faults(call);
                    [given, indices, out].into_iter().for_each(|view| arguments.view(view));
                    [row, each, inner_groups, size].into_iter().for_each(|n| arguments.size(n));
                });
            }
            cuda::fill(call, out, 0)?;
            Slices::of(&self.gather, given, indices, out).add_cuda(call)
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

/// Inputs: a tensor, then as those of [`GatherBack`]; the slices are added to the tensor.
#[derive(Clone)]
struct GatherAdd {
    gather: Gather,
}

impl Op for GatherAdd {
    identity!("gather_add", {
        "axis": Int = |this| this.gather.axis as i64,
        "batch_dims": Int = |this| this.gather.batch as i64,
    });

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::NUMBERS)?;
        cx.check_dtype(1, DTypes::of(&[cx.dtype(0)]))?;
        cx.output(cx.dtype(0), *cx.shape(0));
        Ok(())
    }

    fn overwrites(&self) -> Option<usize> {
        Some(0)
    }

    fn adds_to(&self) -> Option<usize> {
        Some(0)
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let moved = if call.lies_over(0) { &call.inputs[1] } else { &call.outputs[0] };
        Slices::of(&self.gather, &call.inputs[1], &call.inputs[2], &call.outputs[0]).work(moved)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let (from, out) = (&call.inputs[0], &call.outputs[0]);
        let (size, in_place, chunks) = (out.dtype.size(), call.lies_over(0), self.work(call).phases[1]);
        let slices = Slices::of(&self.gather, &call.inputs[1], &call.inputs[2], out);
        // SAFETY: dense views of the inferred types, scratch and chunks as `work` says; the output is fresh, or is the tensor.
        unsafe {
            slices.add(call.scratch, phase, chunk, chunks, |start, n| {
                if !in_place {
                    std::ptr::copy_nonoverlapping(from.ptr.add(start * size), out.ptr.add(start * size), n * size);
                }
            })
        }
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let out = &call.outputs[0];
        // SAFETY: dense views of the inferred types; slices of wrong indices are left out.
        unsafe {
            if !call.lies_over(0) {
                cuda::copy(call, &call.inputs[0], out)?;
            }
            Slices::of(&self.gather, &call.inputs[1], &call.inputs[2], out).add_cuda(call)
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[2])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dy = g.dy(0)?;
        if g.needs(1) {
            let dx = execute1(&self.gather, &[&dy, g.input(2)?])?;
            g.give(1, dx);
        }
        if g.needs(0) {
            g.give(0, dy);
        }
        Ok(())
    }
}

/// Slices that are added to a tensor, all dense.
struct Slices<'a> {
    parts: Parts,
    given: &'a View,
    indices: &'a View,
    out: &'a View,
}

impl<'a> Slices<'a> {
    fn of(gather: &Gather, given: &'a View, indices: &'a View, out: &'a View) -> Self {
        Self { parts: Parts::new(gather, out.dims(), indices.dims()), given, indices, out }
    }

    /// The work, shared out by what is `moved`.
    fn work(&self, moved: &View) -> Work {
        rows::work(self.indices.len(), moved.len() * moved.dtype.size(), self.parts.groups)
    }

    /// Phase 0 checks the indices, phase 1 adds the slices of the groups of `chunk`. `prepare` is given the first element of a
    /// group and how many it has, before it changes.
    ///
    /// # Safety
    /// As `Op::cpu`, with the work that [`Slices::work`] says.
    unsafe fn add(
        &self,
        scratch: *mut u8,
        phase: usize,
        chunk: usize,
        chunks: usize,
        prepare: impl Fn(usize, usize),
    ) -> Result<()> {
        let Parts { size, row, each, groups, .. } = self.parts;
        if phase == 0 {
            // SAFETY: a dense view of integers, and scratch as `work` asked for.
            return unsafe { rows::check("gather", self.indices, self.indices.len(), 1, &[size], chunk, scratch) };
        }
        let (dtype, bytes) = (self.out.dtype, row * self.out.dtype.size());
        // SAFETY: phase 0 checked the numbers; chunks write disjoint groups of the dense output.
        unsafe {
            let numbers = rows::numbers(scratch, self.indices.len());
            for group in part(groups, chunk, chunks, 1) {
                prepare(group * size * row, size * row);
                let to = self.out.ptr.add(group * size * bytes);
                // There are no numbers where an index was refused.
                let own = numbers.get(self.parts.batch_of(group) * each..).map_or(&[][..], |own| &own[..each.min(own.len())]);
                let changes = Changes { write: Write::Add, dtype, count: each, rows: size, row, sorted: false };
                let all = Share { rows: 0..size, columns: 0..row };
                changes.run(&all, own, to, self.given.ptr.add(group * each * bytes));
            }
        }
        Ok(())
    }

    /// # Safety
    /// As `Op::cuda`.
    unsafe fn add_cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let Parts { groups, inner_groups, size, row, each } = self.parts;
        let names = Names::Axis { indices: self.indices, each, inner_groups, size };
        let (rows, count) = (groups * size, groups * each);
        let (write, to, updates) = (Write::Add, self.out, self.given);
        // SAFETY: by the caller's promise.
        unsafe { cuda::scatter(call, &names, &Rows { write, to, rows, row, updates, count, all_or_nothing: false }) }
    }
}

/// The most indices of a group that every element compares itself with.
const FEW: usize = 8;

static GATHER_BACK: Kernel = Kernel {
    name: "gather_back",
    text: &[DIVIDED, include_str!("back.cuh")],
};

