//! Reductions over any set of axes of a strided view, with one monoid: sum, product, extremes, any and all.
//! Reduction operations and the un-broadcasting of gradients call it; the order of combination depends on the shape alone.

use super::collapse::{Collapsed, collapse};
use super::vector::fold::{self, Fold, RowLoop, WIDE};
use super::{Isa, View, Work, part};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::shape::{AxisSet, MAX_RANK};
use smallvec::SmallVec;

/// How elements are combined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Monoid {
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

/// The walk over a view: kept dimensions outside, reduced ones inside, as the memory suggests.
pub(crate) struct Plan {
    kept: Collapsed,
    reduced: Collapsed,
    /// Elements of the innermost kept run when it lies dense and inside all reduced dimensions; else 1.
    columns: usize,
    /// Number of outputs.
    outputs: usize,
    /// Reduced elements per output.
    count: usize,
    /// Blocks the reduced elements are cut into, each with a partial result.
    blocks: usize,
    dtype: DType,
}

impl Plan {
    pub fn new(input: &View, axes: AxisSet) -> Self {
        let pick = |reduced: bool| {
            let axes: SmallVec<[usize; MAX_RANK]> =
                (0..input.rank()).filter(|&a| axes.contains(a) == reduced).collect();
            let dims: SmallVec<[usize; MAX_RANK]> = axes.iter().map(|&a| input.dims()[a]).collect();
            collapse(&dims, 1, |_, i| input.strides()[axes[i]], |_, _| true)
        };
        let (kept, reduced) = (pick(false), pick(true));
        let count: usize = reduced.dims.iter().product();
        let outputs: usize = kept.dims.iter().product();
        let (inner_kept, inner_reduced) = (kept.dims.len() - 1, reduced.dims.len() - 1);
        // Columns pay off when neighbours in memory belong to different outputs.
        let columns = match kept.stride(inner_kept, 0) {
            1 if reduced.stride(inner_reduced, 0) != 1 => kept.dims[inner_kept],
            _ => 1,
        };
        // A block is a run of the outermost reduced dimension's flat index; rows shorter than BLOCK are grouped.
        let blocks = if columns > 1 { count.div_ceil(BLOCK / 4) } else { count.div_ceil(BLOCK) };
        let worth = outputs.max(1) * count >= 2 * BLOCK;
        let blocks = if worth { blocks.clamp(1, MOST_BLOCKS) } else { 1 };
        Self { kept, reduced, columns, outputs, count, blocks, dtype: input.dtype }
    }

    /// Bytes of one accumulator.
    fn acc_size(&self) -> usize {
        self.dtype.compute().size()
    }

    /// Groups of outputs that are reduced together: rows of columns, or single outputs.
    fn groups(&self) -> usize {
        self.outputs / self.columns
    }

    pub fn work(&self) -> Work {
        let scratch = (self.blocks * self.outputs * self.acc_size()).next_multiple_of(64);
        let units = self.groups() * self.blocks;
        let elements = self.count * self.outputs;
        // About 16k elements a chunk; fewer are not worth a thread.
        let chunks = elements.div_ceil(16 * 1024).clamp(1, units.max(1)).min(64);
        Work { scratch, phases: [chunks, 1, 0, 0] }
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
        let Some(fold) = fold::lookup(monoid, self.dtype, isa) else {
            return Err(Error::invalid_argument(op, "this reduction has no meaning for the dtype").got(self.dtype));
        };
        if phase == 0 {
            let units = part(self.groups() * self.blocks, chunk, self.work().phases[0], 1);
            for unit in units {
                // SAFETY: by the caller's promise; units write disjoint partial results.
                unsafe { self.unit(&fold, input, scratch, unit / self.blocks, unit % self.blocks) };
            }
        } else {
            // SAFETY: all partial results are there after phase 0.
            unsafe { (fold.finish)(self.outputs, self.blocks, scratch, mean.then_some(self.count), output.ptr) };
        }
        Ok(())
    }

    /// The partial results of block `block` for the outputs of `group`.
    ///
    /// # Safety
    /// As [`Plan::run`].
    unsafe fn unit(&self, fold: &Fold, input: &View, scratch: *mut u8, group: usize, block: usize) {
        let size = self.dtype.size();
        let base = offset_of(&self.kept, group * self.columns);
        let step = self.count.div_ceil(self.blocks);
        let range = (block * step).min(self.count)..((block + 1) * step).min(self.count);
        let first = (block * self.outputs + group * self.columns) * self.acc_size();
        // SAFETY: offsets are those of elements of the view; the partial results lie inside scratch.
        unsafe {
            let acc = scratch.add(first);
            (fold.start)(self.columns, acc);
            let inner = self.reduced.dims.len() - 1;
            let (row, stride) = (self.reduced.dims[inner], self.reduced.stride(inner, 0));
            let mut at = range.start;
            while at < range.end {
                let len = (row - at % row).min(range.end - at);
                let from = input.ptr.offset((base + offset_of(&self.reduced, at)) * size as isize);
                let run: RowLoop = if self.columns > 1 { fold.columns } else { fold.row };
                run(len, stride, self.columns, from, acc);
                at += len;
            }
        }
    }
}

/// The offset of a flat index over collapsed dimensions.
fn offset_of(space: &Collapsed, flat: usize) -> isize {
    let mut rest = flat;
    let mut offset = 0;
    for axis in (0..space.dims.len()).rev() {
        offset += (rest % space.dims[axis]) as isize * space.stride(axis, 0);
        rest /= space.dims[axis];
    }
    offset
}

const _: () = assert!(WIDE <= BLOCK);
