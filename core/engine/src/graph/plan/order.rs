//! In which order a fused loop walks its elements so that what it folds is combined as the reduction kernels combine it.
//! `fused_loop.rs` runs the tiles; the units, accumulators and lanes of the folds are kept here.

use super::fused_loop::Tile;
use kernels::backend::cpu::part;
use kernels::backend::cpu::reduce::InOrder;
use kernels::backend::cpu::vector::fold::WIDE;

/// The walk of a fused loop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Order {
    /// Nothing is folded: any ranges.
    Flat,
    /// Every result is a fold of one row that fits into a tile.
    ShortRows(InOrder),
    /// Every result is a fold of a long row, in blocks.
    LongRows(InOrder),
    /// Neighbouring elements belong to different results.
    Columns(InOrder),
}

/// What a tile's folds do.
pub(super) enum Mode {
    Plain,
    /// Whole rows, the first of which is result number `row`.
    Rows {
        row: usize,
    },
    /// A whole unit in one tile.
    Unit {
        group: usize,
        block: usize,
    },
    /// A part of a long row, into the lanes.
    Lanes,
    /// Rows of columns: partial results of accumulator `first` on, columns `column..column + width` of each row.
    Columns {
        first: usize,
        column: usize,
        width: usize,
    },
}

impl Order {
    pub fn new(in_order: Option<InOrder>, tile: usize) -> Self {
        match in_order {
            None => Self::Flat,
            Some(o) if o.columns > 1 => Self::Columns(o),
            Some(o) if o.blocks == 1 && o.count <= tile => Self::ShortRows(o),
            Some(o) => Self::LongRows(o),
        }
    }

    fn in_order(&self) -> Option<&InOrder> {
        match self {
            Self::Flat => None,
            Self::ShortRows(o) | Self::LongRows(o) | Self::Columns(o) => Some(o),
        }
    }

    pub fn wants_lanes(&self) -> bool {
        matches!(self, Self::LongRows(_))
    }

    /// Elements per result.
    pub fn count(&self) -> usize {
        self.in_order().map_or(0, |o| o.count)
    }

    pub fn blocks(&self) -> usize {
        self.in_order().map_or(1, |o| o.blocks)
    }

    /// Results of each fold.
    pub fn outputs(&self) -> usize {
        self.in_order().map_or(0, |o| o.groups * o.columns)
    }

    /// Accumulators of each fold that outlive a tile.
    pub fn partials(&self) -> usize {
        match self {
            Self::Flat | Self::ShortRows(_) => 0,
            _ => self.outputs() * self.blocks(),
        }
    }

    /// Whether results are combined from blocks in a phase of its own.
    pub fn finishes_apart(&self) -> bool {
        self.blocks() > 1
    }

    /// Independent parts of the work.
    pub fn units(&self) -> usize {
        self.in_order().map_or(1, |o| o.groups * o.blocks)
    }
}

/// Short rows that are folded by one call: a call for each costs more than its few elements.
const TOGETHER: usize = 256;

impl Tile<'_> {
    /// Runs the units of one chunk.
    ///
    /// # Safety
    /// As [`super::fused_loop::FusedLoop::run`], for an order that folds.
    pub(super) unsafe fn fold_units(&mut self, chunk: usize) {
        let fused = self.fused;
        let Some(o) = fused.order.in_order().copied() else { return };
        let units = part(o.groups * o.blocks, chunk, fused.work.phases[0], 1);
        // SAFETY: by the caller's promise; units are disjoint ranges of elements and accumulators.
        unsafe {
            if let Order::ShortRows(_) = fused.order {
                let rows = (fused.tile / o.count).max(1);
                for row in units.clone().step_by(rows) {
                    let n = rows.min(units.end - row);
                    self.one(row * o.count, n * o.count, row == units.start, &mut Mode::Rows { row });
                }
                return;
            }
            for unit in units {
                let (group, block) = (unit / o.blocks, unit % o.blocks);
                let rows = (block * o.step).min(o.count)..((block + 1) * o.step).min(o.count);
                match fused.order {
                    Order::Columns(_) => self.columns(&o, group, block, rows),
                    _ => self.long_row(&o, group, block, rows),
                }
                if o.blocks == 1 {
                    fused.finish(group * o.columns..(group + 1) * o.columns, self.results, self.scratch);
                }
            }
        }
    }

    unsafe fn long_row(&mut self, o: &InOrder, group: usize, block: usize, rows: std::ops::Range<usize>) {
        let (start, end) = (group * o.count + rows.start, group * o.count + rows.end);
        // SAFETY: by the caller's promise.
        unsafe {
            if rows.is_empty() {
                self.each_partial(o, group, block, |folded, acc, _| (folded.fold.start)(1, acc));
                return;
            }
            if rows.len() <= self.fused.tile && !(self.fused.folds_in_lanes() && rows.len() >= WIDE) {
                return self.one(start, rows.len(), true, &mut Mode::Unit { group, block });
            }
            self.each_partial(o, group, block, |folded, _, lanes| (folded.fold.start)(WIDE, lanes));
            self.range(start, end, &mut Mode::Lanes);
            self.each_partial(o, group, block, |folded, acc, lanes| {
                (folded.fold.start)(1, acc);
                (folded.fold.join)(lanes, acc);
            });
        }
    }

    unsafe fn columns(&mut self, o: &InOrder, group: usize, block: usize, rows: std::ops::Range<usize>) {
        let fused = self.fused;
        let first = block * o.groups * o.columns + group * o.columns;
        let base = group * o.count * o.columns;
        // SAFETY: by the caller's promise.
        unsafe {
            for folded in &fused.folds {
                (folded.fold.start)(o.columns, self.scratch.add(folded.partials + first * folded.acc));
            }
            if o.columns <= fused.tile {
                let mut mode = Mode::Columns { first, column: 0, width: o.columns };
                return self.range(base + rows.start * o.columns, base + rows.end * o.columns, &mut mode);
            }
            for row in rows {
                for column in (0..o.columns).step_by(fused.tile) {
                    let width = fused.tile.min(o.columns - column);
                    let mut mode = Mode::Columns { first, column, width };
                    self.one(base + row * o.columns + column, width, true, &mut mode);
                }
            }
        }
    }

    /// Calls `visit` with each fold, its partial result for a block, and its lanes.
    unsafe fn each_partial(
        &self,
        o: &InOrder,
        group: usize,
        block: usize,
        visit: impl Fn(&super::fused_loop::Folded, *mut u8, *mut u8),
    ) {
        let at = block * o.groups * o.columns + group * o.columns;
        for (n, folded) in self.fused.folds.iter().enumerate() {
            let acc = self.scratch.wrapping_add(folded.partials + at * folded.acc);
            visit(folded, acc, self.lanes.wrapping_add(n * WIDE * 8));
        }
    }

    /// Folds the `count` elements that a tile has for fold `n`.
    ///
    /// # Safety
    /// As [`super::fused_loop::FusedLoop::run`]; `from` holds the elements.
    #[inline]
    pub(super) unsafe fn fold(&mut self, n: usize, from: *const u8, count: usize, mode: &mut Mode) {
        let folded = &self.fused.folds[n];
        let (fold, row) = (&folded.fold, self.fused.order.count());
        // SAFETY: accumulators lie in the scratch memory or here, results where the caller says.
        unsafe {
            match *mode {
                Mode::Plain => {}
                Mode::Lanes => (fold.lanes)(count, 1, 1, from, self.lanes.wrapping_add(n * WIDE * 8)),
                Mode::Rows { row: first } if row < WIDE => {
                    let mut acc = [0u64; TOGETHER];
                    let acc = acc.as_mut_ptr().cast::<u8>();
                    for r in (0..count / row).step_by(TOGETHER) {
                        let rows = TOGETHER.min(count / row - r);
                        (fold.start)(rows, acc);
                        (fold.short)(row, 1, rows, row as isize, from.add(r * row * folded.size), acc);
                        let out = self.results[n].add((first + r) * folded.size);
                        (fold.finish)(0..rows, rows, 1, acc, folded.divisor, out);
                    }
                }
                Mode::Rows { row: first } => {
                    for r in 0..count / row {
                        let mut acc = 0u64;
                        let acc = std::ptr::from_mut(&mut acc).cast::<u8>();
                        (fold.start)(1, acc);
                        (fold.row)(row, 1, 1, from.add(r * row * folded.size), acc);
                        let out = self.results[n].add((first + r) * folded.size);
                        (fold.finish)(0..1, 1, 1, acc, folded.divisor, out);
                    }
                }
                Mode::Unit { group, block } => {
                    let outputs = self.fused.order.outputs();
                    let acc = self.scratch.add(folded.partials + (block * outputs + group) * folded.acc);
                    (fold.start)(1, acc);
                    (fold.row)(count, 1, 1, from, acc);
                }
                Mode::Columns { first, column, width } => {
                    let acc = self.scratch.add(folded.partials + (first + column) * folded.acc);
                    (fold.columns)(count / width, width as isize, width, from, acc);
                }
            }
        }
    }
}
