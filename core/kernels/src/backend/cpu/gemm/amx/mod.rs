//! Products of `bfloat16` on the matrix unit of the processor (AMX): sixteen rows by sixteen columns of sums of `float32` in one register.
//! `gemm::work` and `gemm::run` come here first; where [`Plan::new`] answers nothing the product goes the way of all others.
//!
//! A tile of C is added up over all of k at once, rounded, and written. B is copied to panels first, in which two rows lie interleaved; A is read
//! from where it lies if its rows are dense. 32 steps of k are two chains of fused multiply-adds, of the even and of the odd ones; both are added, and
//! then added to the sum. Denormal numbers count as zero. So results have other last bits than on processors without the unit, or than products too
//! small for it; on the unit they depend neither on threads nor on the other rows or columns.

mod cut;
mod pack;
#[cfg(test)]
pub(super) mod tests;
mod unit;

use super::{MatMul, Work, normal};
use crate::backend::cpu::PHASES;
use crate::backend::cpu::isa::Isa;
use crate::dtype::DType;
use cut::{MOST, at_tiles, cut, pays};
pub(super) use unit::Amx;
use unit::{STEPS, TILE, Tiles, Unit};

/// Columns of a panel of B: two tiles.
const PANEL: usize = 2 * TILE;
/// Words of a tile: each a pair of elements, or a sum.
const WORDS: usize = TILE * TILE;
/// Elements that one chunk of copying moves, about.
const COPY_GRAIN: usize = 64 << 10;
/// Tiles of one panel that are copied in one go, and rows of A.
const STRIP: usize = 16;
/// Bytes of the rows of A that all panels of a chunk are multiplied with before the next rows are: a part of the second-level cache.
const ROWS_IN_CACHE: usize = 512 << 10;

/// How the unit finds A.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rows {
    /// Where it lies.
    InPlace,
    /// Where it lies, but for the last steps of k, fewer than a tile has, which are copied.
    WithTails,
    /// All in a copy.
    Copied,
}

/// A product on the unit: what is copied, and how the work is cut.
pub(super) struct Plan {
    p: MatMul,
    rows: Rows,
    /// Different matrices A and B.
    items: [usize; 2],
    /// Where in scratch the panels of B are, in bytes; what there is of A is before.
    panels_at: usize,
    /// Cuts of the rows and columns of one product.
    cuts: [usize; 2],
    /// Products of the batch per chunk.
    group: usize,
    work: Work,
}

impl Plan {
    /// The plan of a product that the unit computes, if it pays.
    pub fn new(p: &MatMul, dtype: DType, isa: Isa) -> Option<Self> {
        (dtype == DType::BF16 && pays(p) && unit::available(isa)).then(|| Self::planned(p))
    }

    fn planned(p: &MatMul) -> Self {
        let (p, _) = normal(p);
        let rows = match (p.a_cs, p.k % STEPS) {
            (1, 0) => Rows::InPlace,
            (1, _) => Rows::WithTails,
            _ => Rows::Copied,
        };
        let items = [p.a_bs, p.b_bs].map(|apart| if apart == 0 { p.batch.min(1) } else { p.batch });
        let mut plan = Self { p, rows, items, panels_at: 0, cuts: [1; 2], group: 1, work: Work::SERIAL };
        plan.panels_at = (items[0] * p.m * plan.pitch() * 2).next_multiple_of(64);
        let scratch = plan.panels_at + items[1] * plan.panels() * plan.depth() * 2 * WORDS * 4;
        (plan.cuts, plan.group) = cut(&p);
        let mut phases = [0; PHASES];
        if p.batch * p.m * p.n > 0 {
            let moved = items[0] * p.m * plan.pitch() + items[1] * p.k * p.n;
            phases[0] = (moved / COPY_GRAIN).clamp(1, MOST).min(plan.units_of_a() + plan.units_of_b());
            phases[1] = plan.cuts[0] * plan.cuts[1] * p.batch.div_ceil(plan.group);
        }
        plan.work = Work { scratch, phases };
        plan
    }

    pub fn work(&self) -> Work {
        self.work
    }

    /// Tiles along k.
    fn depth(&self) -> usize {
        self.p.k.div_ceil(STEPS)
    }

    /// Panels of B.
    fn panels(&self) -> usize {
        self.p.n.div_ceil(PANEL)
    }

    /// Elements from row to row of what is copied of A.
    fn pitch(&self) -> usize {
        match self.rows {
            Rows::InPlace => 0,
            Rows::WithTails => STEPS,
            Rows::Copied => self.depth() * STEPS,
        }
    }

    fn units_of_a(&self) -> usize {
        if self.rows == Rows::InPlace { 0 } else { self.items[0] * self.p.m.div_ceil(STRIP) }
    }

    fn units_of_b(&self) -> usize {
        self.items[1] * self.panels() * self.depth().div_ceil(STRIP)
    }

    /// Runs one chunk of one phase.
    ///
    /// # Safety
    ///
    /// As for `gemm::run`, with the plan of the same arguments, on a processor with the unit.
    pub unsafe fn run<U: Unit>(
        &self,
        a: *const u16,
        b: *const u16,
        c: *mut u16,
        scratch: *mut u8,
        phase: usize,
        chunk: usize,
    ) {
        // SAFETY: the caller's promises.
        unsafe {
            match phase {
                0 => self.bring(a, b, scratch, chunk),
                _ => self.multiply::<U>(a, c, scratch, chunk),
            }
        }
    }

    unsafe fn bring(&self, a: *const u16, b: *const u16, scratch: *mut u8, chunk: usize) {
        let (of_a, of_b) = (self.units_of_a(), self.units_of_b());
        let (start, end) = super::multiply::part(of_a + of_b, self.work.phases[0], chunk);
        for unit in start..end {
            // SAFETY: the caller's promises; each unit is copied once.
            unsafe {
                match unit.checked_sub(of_a) {
                    None => self.bring_rows(a, scratch, unit),
                    Some(unit) => self.bring_panel(b, scratch, unit),
                }
            }
        }
    }

    /// A strip of rows of A, or of their ends.
    unsafe fn bring_rows(&self, a: *const u16, scratch: *mut u8, unit: usize) {
        let p = &self.p;
        let per_item = p.m.div_ceil(STRIP);
        let (item, row) = (unit / per_item, unit % per_item * STRIP);
        let first = if self.rows == Rows::Copied { 0 } else { p.k / STEPS * STEPS };
        let from = a.wrapping_offset(item as isize * p.a_bs + row as isize * p.a_rs + first as isize * p.a_cs);
        let to = scratch.cast::<u16>().wrapping_add((item * p.m + row) * self.pitch());
        // SAFETY: the rows lie in A and in its copy.
        unsafe { pack::rows(from, [p.a_rs, p.a_cs], [STRIP.min(p.m - row), p.k - first], to, self.pitch()) }
    }

    /// A strip of tiles of a panel of B.
    unsafe fn bring_panel(&self, b: *const u16, scratch: *mut u8, unit: usize) {
        let p = &self.p;
        let strips = self.depth().div_ceil(STRIP);
        let (rest, strip) = (unit / strips, unit % strips);
        let (item, panel) = (rest / self.panels(), rest % self.panels());
        let column = panel * PANEL;
        for tile in strip * STRIP..((strip + 1) * STRIP).min(self.depth()) {
            let row = tile * STEPS;
            let from = b.wrapping_offset(item as isize * p.b_bs + row as isize * p.b_rs + column as isize * p.b_cs);
            let to = self.panel(scratch, item, panel).wrapping_add(tile * 2 * WORDS);
            // SAFETY: the tiles lie in B, and in the copy.
            unsafe { pack::tiles(from, [p.b_rs, p.b_cs], [STEPS.min(p.k - row), PANEL.min(p.n - column)], to) }
        }
    }

    /// The first tile of a panel of B.
    fn panel(&self, scratch: *mut u8, item: usize, panel: usize) -> *mut u32 {
        let item = if self.items[1] == 1 { 0 } else { item };
        scratch
            .wrapping_add(self.panels_at)
            .cast::<u32>()
            .wrapping_add((item * self.panels() + panel) * self.depth() * 2 * WORDS)
    }

    unsafe fn multiply<U: Unit>(&self, a: *const u16, c: *mut u16, scratch: *mut u8, chunk: usize) {
        let [rows, cols] = self.cuts;
        let (rest, i) = (chunk / rows, chunk % rows);
        let (group, j) = (rest / cols, rest % cols);
        let rows = at_tiles(self.p.m, rows, i);
        let panels = super::multiply::part(self.panels(), cols, j);
        let at_once = (ROWS_IN_CACHE / (2 * self.p.k) / PANEL * PANEL).max(PANEL);
        for item in group * self.group..((group + 1) * self.group).min(self.p.batch) {
            for first in (rows.0..rows.1).step_by(at_once) {
                let end = rows.1.min(first + at_once);
                let whole = (end - first) / PANEL * PANEL;
                for (first, count) in [(first, whole), (first + whole, end - first - whole)] {
                    if count > 0 {
                        // SAFETY: the caller's promises; these rows and panels of C are this chunk's own.
                        unsafe { self.block::<U>(a, c, scratch, item, (first, count), panels) }
                    }
                }
            }
        }
        // SAFETY: the processor has the unit.
        unsafe { U::release() }
    }

    /// Rows of C, whole pairs of tiles or less than one pair, by panels of B.
    unsafe fn block<U: Unit>(
        &self,
        a: *const u16,
        c: *mut u16,
        scratch: *mut u8,
        item: usize,
        (first, count): (usize, usize),
        (panel, last): (usize, usize),
    ) {
        let p = &self.p;
        let high = [count.min(TILE), count.saturating_sub(TILE).min(TILE)];
        let item_of_a = if self.items[0] == 1 { 0 } else { item };
        let copied = scratch.cast::<u16>().cast_const().wrapping_add(item_of_a * p.m * self.pitch());
        let whole = if self.rows == Rows::WithTails { p.k / STEPS } else { self.depth() };
        let mut sums = Sums([[0.0; PANEL]; PANEL]);
        // SAFETY: the caller's promises.
        unsafe {
            U::configure(high);
            for panel in panel..last {
                let column = panel * PANEL;
                let wide = PANEL.min(p.n - column);
                for row in (first..first + count).step_by(PANEL) {
                    let (a, a_rs) = match self.rows {
                        Rows::Copied => (copied.wrapping_add(row * self.pitch()), self.pitch() as isize),
                        _ => (a.wrapping_offset(item as isize * p.a_bs + row as isize * p.a_rs), p.a_rs),
                    };
                    let tiles = Tiles {
                        high,
                        wide: [wide.min(TILE), wide.saturating_sub(TILE)],
                        a,
                        a_rs,
                        whole,
                        tail: (self.rows == Rows::WithTails).then(|| copied.wrapping_add(row * STEPS)),
                        b: self.panel(scratch, item, panel),
                    };
                    U::add_up(&tiles, &mut sums.0);
                    let c = c.wrapping_offset(item as isize * p.c_bs + row as isize * p.c_rs).wrapping_add(column);
                    for (i, sums) in sums.0.iter().enumerate().take(high[0] + high[1]) {
                        U::round(sums, c.wrapping_offset(i as isize * p.c_rs), wide);
                    }
                }
            }
        }
    }
}

/// The sums of a pair of tiles by a pair; rows begin at cache lines.
#[repr(align(64))]
struct Sums([[f32; PANEL]; PANEL]);
