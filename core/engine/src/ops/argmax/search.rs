//! How `argmax` and `argmin` walk a view on the CPU: what is searched side by side, and the parts that threads share.
//! `argmax.rs` makes a plan for each call; the loops are in `kernels::backend::cpu::extremes`.

use kernels::backend::cpu::copy::strided_row;
use kernels::backend::cpu::extremes::{MOST_COLUMNS, Search};
use kernels::backend::cpu::merge_dims::collapse;
use kernels::backend::cpu::{View, Work, part};
use kernels::shape::MAX_RANK;
use smallvec::SmallVec;
use std::ops::Range;

/// Elements that one chunk looks at, about, and most chunks.
const CHUNK: usize = 64 * 1024;
const MOST_CHUNKS: usize = 64;
/// Elements along the axis that a block has at least.
const BLOCK: usize = 2048;
/// Columns that are read at a time at least, where there are more: memory gives short pieces of rows slowly.
const NARROWEST: usize = 128;
/// Elements that are brought together at a time where rows lie apart.
const TOGETHER: usize = 4096;

/// An axis of results: how many, and how far they lie from each other in the input and in the output.
#[derive(Clone, Copy)]
struct Axis {
    len: usize,
    from: isize,
    to: usize,
}

const NONE: Axis = Axis { len: 1, from: 0, to: 0 };

/// The walk over a view.
pub(super) struct Plan {
    /// Along the axis that is searched.
    len: usize,
    stride: isize,
    /// Results that are found together: neighbours in the input, or rows that follow each other.
    lanes: Axis,
    /// Groups of them that are found together too.
    groups: Axis,
    outer: SmallVec<[Axis; MAX_RANK]>,
    /// Lanes and groups of a unit.
    unit: [usize; 2],
    /// Parts of the axis, each with a place of its own that are compared at the end.
    blocks: usize,
    outputs: usize,
}

/// A unit: what of the results, and of the axis.
struct Unit {
    from: isize,
    to: usize,
    lanes: usize,
    groups: usize,
    block: usize,
}

impl Plan {
    pub fn new(x: &View, y: &View, axis: usize) -> Self {
        let (len, stride) = (x.dims()[axis], x.strides()[axis]);
        let skip = |i: usize| if i < axis { i } else { i + 1 };
        let kept = collapse(
            y.dims(),
            2,
            |operand, i| if operand == 0 { x.strides()[skip(i)] } else { y.strides()[i] },
            |_, _| true,
        );
        let mut axes: SmallVec<[Axis; MAX_RANK]> = (0..kept.dims.len())
            .map(|i| Axis { len: kept.dims[i], from: kept.stride(i, 0), to: kept.stride(i, 1) as usize })
            .collect();
        let neighbours = axes.iter().rposition(|axis| axis.from == 1).filter(|_| stride != 1);
        let lanes = match neighbours {
            Some(i) => axes.remove(i),
            None => axes.pop().unwrap_or(NONE),
        };
        let by_columns = neighbours.is_some();
        // Rows need no groups: many rows are found by one call already.
        let groups = if by_columns { axes.pop().unwrap_or(NONE) } else { NONE };
        let mut plan = Self { len, stride, lanes, groups, outer: axes, unit: [1; 2], blocks: 1, outputs: y.len() };
        plan.unit = plan.sizes(by_columns);
        let spare = plan.wanted() / plan.units().max(1);
        let least = if by_columns || stride == 1 { 1 } else { len.div_ceil(TOGETHER) };
        let blocks = spare.min(len / BLOCK).max(least).max(1);
        // As many as there are elements for.
        plan.blocks = len.div_ceil(len.div_ceil(blocks).max(1)).max(1);
        plan
    }

    /// Lanes and groups of a unit: as many as one call finds, fewer where there would be too few units.
    fn sizes(&self, by_columns: bool) -> [usize; 2] {
        let wanted = self.wanted().min(16);
        let others: usize = self.outer.iter().map(|axis| axis.len).product::<usize>().max(1);
        if by_columns {
            let groups = (MOST_COLUMNS / self.lanes.len.max(1)).max(1).min(self.groups.len.div_ceil(wanted)).max(1);
            let units = others * self.groups.len.div_ceil(groups);
            let lanes = self.lanes.len.div_ceil(wanted.div_ceil(units.max(1))).next_multiple_of(NARROWEST);
            return [lanes.min(MOST_COLUMNS).min(self.lanes.len).max(1), groups];
        }
        let rows = self.lanes.len.div_ceil(wanted.div_ceil(others));
        [rows.min(CHUNK / 4 / self.len.max(1)).clamp(1, MOST_COLUMNS), 1]
    }

    fn wanted(&self) -> usize {
        (self.outputs * self.len).div_ceil(CHUNK).clamp(1, MOST_CHUNKS)
    }

    /// Parts of the results.
    fn units(&self) -> usize {
        let outer: usize = self.outer.iter().map(|axis| axis.len).product();
        outer * self.groups.len.div_ceil(self.unit[1]) * self.lanes.len.div_ceil(self.unit[0])
    }

    fn chunks(&self) -> usize {
        self.wanted().min(self.units() * self.blocks).max(1)
    }

    pub fn work(&self) -> Work {
        if self.outputs == 0 {
            return Work::SERIAL;
        }
        match self.blocks {
            1 => Work::chunks(self.chunks()),
            blocks => {
                let scratch = (blocks * self.outputs * size_of::<u64>()).next_multiple_of(64);
                let compared = (self.outputs * blocks).div_ceil(CHUNK / 16).min(self.outputs);
                Work { scratch, phases: [self.chunks(), compared, 0, 0, 0] }
            }
        }
    }

    /// One chunk: places to scratch memory and then the best of them to `store(first output, step, places)`, or all at once. Where the outputs are
    /// places as they are found, `direct` is the first of them, and those side by side are found there.
    ///
    /// # Safety
    /// The plan is of these views, which are valid; scratch is as large as [`Plan::work`] said, and phases follow each other.
    pub unsafe fn run(
        &self,
        search: &Search,
        x: &View,
        scratch: *mut u64,
        direct: Option<*mut u64>,
        [phase, chunk]: [usize; 2],
        mut store: impl FnMut(usize, usize, &[u64]),
    ) {
        if self.outputs == 0 {
            return;
        }
        if phase == 1 {
            for output in part(self.outputs, chunk, self.work().phases[1], 1) {
                // SAFETY: all places are there after phase 0.
                store(output, 1, &[unsafe { self.best_of_blocks(search, x, scratch, output) }]);
            }
            return;
        }
        let direct = direct.filter(|_| self.blocks == 1 && self.lanes.to == 1);
        let mut found = [0u64; MOST_COLUMNS];
        for unit in part(self.units() * self.blocks, chunk, self.chunks(), 1) {
            let unit = self.unit_of(unit);
            let axis = self.block(unit.block);
            if let (Some(outputs), true) = (direct, unit.groups == 1 || self.groups.to == unit.lanes) {
                // SAFETY: outputs of different units lie apart, and those of this one side by side; the unit lies in the view.
                unsafe {
                    let found = std::slice::from_raw_parts_mut(outputs.add(unit.to), unit.lanes * unit.groups);
                    self.search(search, x, &unit, &axis, found);
                }
                continue;
            }
            let found = &mut found[..unit.lanes * unit.groups];
            // SAFETY: the unit lies in the view; places of different units lie apart.
            unsafe {
                self.search(search, x, &unit, &axis, found);
                for (group, found) in found.chunks(unit.lanes).enumerate() {
                    let to = unit.to + group * self.groups.to;
                    if self.blocks == 1 {
                        store(to, self.lanes.to, found);
                        continue;
                    }
                    for (lane, &at) in found.iter().enumerate() {
                        let output = to + lane * self.lanes.to;
                        *scratch.add(unit.block * self.outputs + output) = at + axis.start as u64;
                    }
                }
            }
        }
    }

    /// The elements along the axis that a block has.
    fn block(&self, block: usize) -> Range<usize> {
        part(self.len, block, self.blocks, 1)
    }

    fn unit_of(&self, unit: usize) -> Unit {
        let (block, mut rest) = (unit % self.blocks, unit / self.blocks);
        let (mut from, mut to, mut sizes) = (0, 0, [1; 2]);
        for (i, (axis, most)) in [(self.lanes, self.unit[0]), (self.groups, self.unit[1])].into_iter().enumerate() {
            let parts = axis.len.div_ceil(most);
            let first = rest % parts * most;
            rest /= parts;
            sizes[i] = most.min(axis.len - first);
            from += first as isize * axis.from;
            to += first * axis.to;
        }
        for axis in self.outer.iter().rev() {
            let index = rest % axis.len;
            rest /= axis.len;
            from += index as isize * axis.from;
            to += index * axis.to;
        }
        Unit { from, to, lanes: sizes[0], groups: sizes[1], block }
    }

    /// The places of a unit, counted from the beginning of its block.
    ///
    /// # Safety
    /// As [`Plan::run`]; `found` has a place for each result.
    unsafe fn search(&self, search: &Search, x: &View, unit: &Unit, axis: &Range<usize>, found: &mut [u64]) {
        let (size, len) = (x.dtype.size(), axis.len());
        let at = unit.from + axis.start as isize * self.stride;
        let from = x.ptr.wrapping_offset(at * size as isize).cast_const();
        let to = found.as_mut_ptr();
        let rows_follow = self.lanes.from == len as isize * self.stride;
        // SAFETY: by the caller's promise.
        unsafe {
            if self.stride == 1 && (rows_follow || unit.lanes == 1) {
                (search.rows)(len, unit.lanes, from, to);
            } else if self.stride == 1 {
                let row = |i: usize| from.wrapping_offset(self.lanes.from * (i * size) as isize);
                (0..unit.lanes).for_each(|i| (search.rows)(len, 1, row(i), to.add(i)));
            } else if self.lanes.from == 1 {
                (search.columns)(len, self.stride, unit.lanes, unit.groups, self.groups.from, from, to);
            } else {
                self.together(search, size, len, rows_follow, from, found);
            }
        }
    }

    /// Rows whose elements lie apart, brought together first.
    ///
    /// # Safety
    /// As [`Plan::search`], for blocks of at most [`TOGETHER`] elements.
    unsafe fn together(
        &self,
        search: &Search,
        size: usize,
        len: usize,
        rows_follow: bool,
        from: *const u8,
        found: &mut [u64],
    ) {
        let mut room = [std::mem::MaybeUninit::<u64>::uninit(); TOGETHER];
        let room = room.as_mut_ptr().cast::<u8>();
        let most = (TOGETHER / len).max(1);
        for (i, found) in found.chunks_mut(most).enumerate() {
            let row = |k: usize| from.wrapping_offset(self.lanes.from * ((i * most + k) * size) as isize);
            // SAFETY: the elements fit in the room, of eight bytes at most.
            unsafe {
                if rows_follow {
                    strided_row(size, row(0), self.stride, room, found.len() * len);
                } else {
                    (0..found.len()).for_each(|k| strided_row(size, row(k), self.stride, room.add(k * len * size), len));
                }
                (search.rows)(len, found.len(), room, found.as_mut_ptr());
            }
        }
    }

    /// The best of what the blocks found for an output.
    ///
    /// # Safety
    /// As [`Plan::run`], in phase 1.
    unsafe fn best_of_blocks(&self, search: &Search, x: &View, scratch: *const u64, output: usize) -> u64 {
        let from: isize = std::iter::once(&self.lanes)
            .chain([&self.groups])
            .chain(&self.outer)
            .map(|axis| (output.checked_div(axis.to).unwrap_or(0) % axis.len) as isize * axis.from)
            .sum();
        let size = x.dtype.size();
        let mut values: SmallVec<[u64; 64]> = SmallVec::from_elem(0, (self.blocks * size).div_ceil(8));
        let mut best = 0;
        // SAFETY: places are those of elements; the values have room.
        unsafe {
            let place = |block: usize| *scratch.add(block * self.outputs + output);
            let values = values.as_mut_ptr().cast::<u8>();
            for block in 0..self.blocks {
                let at = from + place(block) as isize * self.stride;
                std::ptr::copy_nonoverlapping(x.ptr.offset(at * size as isize), values.add(block * size), size);
            }
            (search.rows)(self.blocks, 1, values, &raw mut best);
            place(best as usize)
        }
    }
}
