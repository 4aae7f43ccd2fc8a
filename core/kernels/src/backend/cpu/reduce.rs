//! Reductions over any set of axes of a strided view, with one monoid: sum, product, extremes, any and all.
//! Reduction operations and the un-broadcasting of gradients call it; the order of combination depends on the shape alone.

mod short_rows;
mod strided_rows;
#[cfg(test)]
mod tests;
mod walk;

use super::vector::fold::{self, Fold, WIDE};
use super::{Isa, View, Work, part};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::shape::AxisSet;
use std::ops::Range;
use walk::Odometer;

/// How elements are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Monoid {
    Sum,
    Prod,
    /// NaN if any element is; the lowest value for nothing.
    Max,
    /// NaN if any element is; the highest value for nothing.
    Min,
    Any,
    All,
}

/// Rows (or columns) that one partial result covers: enough to hide its cost, few enough to keep sums accurate.
const BLOCK: usize = 4096;
/// Partial results per output at the most, so that scratch stays small.
const MOST_BLOCKS: usize = 256;
/// Bytes of a row that a chunk reads at least, where chunks share columns.
const NARROWEST: usize = 1024;
/// Units that are not cut further: 4096 by 4096 numbers in pieces of 1 KiB took two threads twice as long, of 4 KiB a quarter longer.
const UNITS: usize = 4;

/// A reduction that reads a dense operand from front to back: `groups` times `count` rows of `columns` neighbours, the
/// rows of each group cut into blocks of `step`. Each column of a group is one output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InOrder {
    pub columns: usize,
    pub groups: usize,
    pub count: usize,
    pub blocks: usize,
    pub step: usize,
}

/// Blocks of rows are multiples of this.
pub const GRAIN: usize = 512;

/// The walk over a view: kept dimensions outside, reduced ones inside. The sizes say in which order elements are combined;
/// the strides say only where they lie.
pub struct ReducePlan {
    kept: Odometer,
    reduced: Odometer,
    /// Outputs that are neighbours in a dense operand; 1 if those are elements of one output.
    columns: usize,
    /// Elements of one output that are neighbours in a dense operand; 1 if those are of different outputs.
    row: usize,
    /// Number of outputs.
    outputs: usize,
    /// Reduced elements per output.
    count: usize,
    /// Blocks the reduced elements are cut into, each with a partial result.
    blocks: usize,
    dtype: DType,
}

impl ReducePlan {
    pub fn new(input: &View, axes: AxisSet) -> Self {
        let folds = |axis| axes.contains(axis);
        let (mut kept, mut reduced) = (Odometer::NONE, Odometer::NONE);
        for (axis, (&dim, &stride)) in input.dims().iter().zip(input.strides()).enumerate() {
            if folds(axis) { &mut reduced } else { &mut kept }.push(dim, stride);
        }
        let (count, outputs) = (reduced.count(), kept.count());
        let innermost = |folded: bool| {
            let axes = input.dims().iter().enumerate().rev().filter(|(_, dim)| **dim != 1);
            axes.take_while(|(axis, _)| folds(*axis) == folded).map(|(_, dim)| dim).product::<usize>()
        };
        let row = innermost(true);
        // No outputs are in no columns.
        let columns = innermost(false).max(1);
        // Rows shorter than BLOCK are grouped.
        let blocks = if columns > 1 { count.div_ceil(BLOCK / 4) } else { count.div_ceil(BLOCK) };
        let worth = outputs.max(1) * count >= 2 * BLOCK;
        let blocks = if worth { blocks.clamp(1, MOST_BLOCKS) } else { 1 };
        Self { kept, reduced, columns, row, outputs, count, blocks, dtype: input.dtype }
    }

    /// Bytes of one accumulator.
    fn acc_size(&self) -> usize {
        self.dtype.compute().size()
    }

    /// Groups of outputs that are reduced together: rows of columns, or single outputs.
    fn groups(&self) -> usize {
        self.outputs / self.columns
    }

    /// Reduced elements per block. Whole tiles, so that a fused loop can fold what it has in cache in the same order.
    fn step(&self) -> usize {
        let step = self.count.div_ceil(self.blocks);
        if self.blocks > 1 && self.columns == 1 { step.next_multiple_of(GRAIN) } else { step }
    }

    /// How a dense operand is walked, if that is in the order of memory.
    pub fn in_order(&self) -> Option<InOrder> {
        let one_run =
            |walk: &Odometer, stride: usize| walk.rank == 0 || (walk.rank == 1 && walk.strides[0] == stride as isize);
        let kept = match self.columns {
            1 => one_run(&self.kept, self.count),
            columns if self.kept.rank == 1 => columns == self.outputs,
            columns => self.kept.rank == 2 && self.kept.strides[0] == (self.count * columns) as isize,
        };
        let reduced = one_run(&self.reduced, self.columns);
        (kept && reduced).then_some(InOrder {
            columns: self.columns,
            groups: self.groups(),
            count: self.count,
            blocks: self.blocks,
            step: self.step(),
        })
    }

    /// Chunks that there is work for: about 16k elements each; fewer are not worth a thread.
    fn wanted(&self) -> usize {
        (self.count * self.outputs).div_ceil(16 * 1024).clamp(1, 64)
    }

    /// Pieces of a group's columns that threads share, where there are fewer groups and blocks than chunks are wanted. How results are
    /// folded does not depend on it.
    fn pieces(&self) -> usize {
        if self.columns == 1 {
            return 1;
        }
        let (units, bytes) = ((self.groups() * self.blocks).max(1), self.columns * self.dtype.size());
        (self.wanted() / units).min(UNITS / units).clamp(1, (bytes / NARROWEST).max(1))
    }

    pub fn work(&self) -> Work {
        let units = self.groups() * self.blocks * self.pieces();
        let most = if self.bundles() { units.div_ceil(strided_rows::FEWEST) } else { units };
        let chunks = self.wanted().min(most.max(1));
        if self.direct() {
            return Work { scratch: 0, phases: [chunks, 0, 0, 0, 0] };
        }
        let scratch = (self.blocks * self.outputs * self.acc_size()).next_multiple_of(64);
        Work { scratch, phases: [chunks, self.outputs.div_ceil(16 * 1024).clamp(1, 64), 0, 0, 0] }
    }

    /// Whether each output is one row in one block, which needs no memory for partial results.
    fn direct(&self) -> bool {
        self.blocks == 1 && self.columns == 1
    }

    /// Runs one chunk: partial results into scratch in phase 0, the outputs in phase 1.
    ///
    /// # Safety
    /// The input is the view the plan was made for; `scratch` and the dense `output` are as large as the plan says.
    pub unsafe fn run(
        &self,
        op: &str,
        monoid: Monoid,
        mean: bool,
        input: &View,
        output: &View,
        scratch: *mut u8,
        isa: Isa,
        phase: usize,
        chunk: usize,
    ) -> Result<()> {
        // `float16` is widened first where that pays.
        let widened = if self.dtype == DType::F16 { DType::F32 } else { self.dtype };
        let [Some(fold), Some(wide)] = [self.dtype, widened].map(|dtype| fold::lookup(monoid, dtype, isa)) else {
            return Err(Error::invalid_argument(op, "this reduction has no meaning for the dtype").got(self.dtype));
        };
        let divisor = mean.then_some(self.count);
        if phase == 1 {
            let range = part(self.outputs, chunk, self.work().phases[1], 1);
            // SAFETY: all partial results are there after phase 0; chunks write disjoint outputs.
            unsafe { (fold.finish)(range, self.outputs, self.blocks, scratch, divisor, output.ptr) };
            return Ok(());
        }
        let pieces = self.pieces();
        let grain = if self.bundles() { 16 } else { 1 };
        let units = part(self.groups() * self.blocks * pieces, chunk, self.work().phases[0], grain);
        if self.are_narrow() {
            // SAFETY: by the caller's promise.
            unsafe { self.narrow_rows([&fold, &wide], input, output, divisor, units) };
            return Ok(());
        }
        if self.are_short() {
            // SAFETY: by the caller's promise.
            unsafe { self.short_rows(&fold, input, output, divisor, units) };
            return Ok(());
        }
        if self.are_few() {
            // SAFETY: by the caller's promise.
            unsafe { self.few_columns([&fold, &wide], input, scratch, units) };
            return Ok(());
        }
        if self.bundles() {
            // SAFETY: by the caller's promise.
            unsafe { self.bundled(&fold, input, scratch, output, divisor, units) };
            return Ok(());
        }
        for unit in units {
            // SAFETY: by the caller's promise; units write disjoint partial results or outputs.
            unsafe {
                if self.direct() {
                    let mut acc = 0u64;
                    let acc = std::ptr::from_mut(&mut acc).cast::<u8>();
                    self.unit(&fold, input, acc, unit, 0);
                    (fold.finish)(0..1, 1, 1, acc, divisor, output.ptr.add(unit * self.dtype.size()));
                } else {
                    let (unit, piece) = (unit / pieces, unit % pieces);
                    let (group, block) = (unit / self.blocks, unit % self.blocks);
                    let first = (block * self.outputs + group * self.columns) * self.acc_size();
                    let acc = scratch.add(first);
                    match self.columns {
                        1 => self.unit(&fold, input, acc, group, block),
                        // Whole lines of accumulators.
                        columns => {
                            self.columns(&fold, input, acc, group, self.block(block), part(columns, piece, pieces, 16))
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The reduced elements of a block.
    fn block(&self, block: usize) -> Range<usize> {
        let step = self.step();
        (block * step).min(self.count)..((block + 1) * step).min(self.count)
    }

    /// The partial result of block `block` for the output `group`, into `acc`.
    ///
    /// # Safety
    /// As [`ReducePlan::run`], for outputs that are no neighbours; `acc` has room for an accumulator.
    unsafe fn unit(&self, fold: &Fold, input: &View, acc: *mut u8, group: usize, block: usize) {
        // SAFETY: by the caller's promise.
        unsafe {
            (fold.start)(1, acc);
            self.rows(fold, input, acc, group, self.block(block));
        }
    }

    /// Folds a range of elements into some of a group's outputs, one element after the other.
    ///
    /// # Safety
    /// As [`ReducePlan::run`]; `acc` has room for the group's accumulators.
    unsafe fn columns(
        &self,
        fold: &Fold,
        input: &View,
        acc: *mut u8,
        group: usize,
        range: Range<usize>,
        own: Range<usize>,
    ) {
        let (size, first) = (self.dtype.size(), group * self.columns);
        // SAFETY: by the caller's promise.
        unsafe { (fold.start)(own.len(), acc.add(own.start * self.acc_size())) };
        for columns in self.kept.runs(first + own.start..first + own.end) {
            for rows in self.reduced.runs(range.clone()) {
                // SAFETY: offsets are those of elements of the view; the accumulators are the caller's.
                unsafe {
                    let from = input.ptr.offset((columns.offset + rows.offset) * size as isize);
                    let acc = acc.add((columns.first - first) * self.acc_size());
                    match columns.stride {
                        1 => (fold.columns)(rows.len, rows.stride, columns.len, from, acc),
                        across => (fold.apart)(rows.len, rows.stride, columns.len, across, from, acc),
                    }
                }
            }
        }
    }
}

const _: () = assert!(WIDE <= BLOCK);
