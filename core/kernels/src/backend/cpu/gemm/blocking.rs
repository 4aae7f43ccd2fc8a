//! How a product is cut: which operands are copied first, which kernel runs, how many chunks each phase has.
//! `work` reports it and `run` recomputes it for every chunk, so it is arithmetic on a few numbers, some of which the processor tells.
//!
//! The constants come from measurements on a table of some twenty shapes; `docs/performance.md` has them.

use super::cuts::{MOST, cut};
use super::multiply::PASS;
use super::pairs::{self, Pairs};
use super::{MatMul, Work, no_numbers};
use crate::backend::cpu::PHASES;
use crate::backend::cpu::isa::Isa;
use crate::dtype::DType;

/// Rows of a copied operand that are one unit of a chunk: a cache line of `f32`, so that transposing reads whole ones.
pub(super) const STRIP: usize = 16;
/// Elements that one chunk of copying moves, about.
const COPY_GRAIN: usize = 24 << 10;
/// Bytes of B from which it is copied for very many rows, where tiles do not pack it themselves. It is read over and over
/// from beyond the second-level cache then, and rows that start within a cache line, as a user's own vector may, cost a
/// twentieth of the product.
const LARGE: usize = 12 << 20;
/// The same where rows lie half a page apart, or a multiple of that, and so fall on a few lines of the first-level cache.
const LARGE_AT_HALF_PAGES: usize = 4 << 20;
/// Bytes of B from which few rows read it along its rows, from beyond the second-level cache.
const MUCH: usize = 1 << 20;
/// The most rows of C that read B so.
pub const FEW_ROWS: usize = 32;
/// The fewest columns of B that few rows read so.
pub(super) const FEWEST_IN_RUN: usize = 256;
/// Rows of C, and bytes of B, from which B is copied to panels once, in place of once for each cut of the rows; and its columns and rows.
const IN_PANELS: &[(usize, usize)] = &[(512, 64 << 10), (128, 1 << 20)];
/// The same for wide panels, which chunks of fewer rows pack faster for themselves, unless B is large: tiles ask for the panel that comes next while they
/// compute, which they cannot where chunks pack.
const IN_WIDE_PANELS: &[(usize, usize)] = &[(320, 64 << 10), (256, 512 << 10), (128, 4 << 20)];
/// The same for wide panels of columns of B, each of which takes more to pack. With AVX2 that made no difference.
const TURNED_IN_WIDE_PANELS: &[(usize, usize)] = &[(320, 64 << 10), (256, 4 << 20)];
/// Columns of C, and bytes of A, from which wide tiles are better off with a copy of a transposed A: below they read it from the second-level cache,
/// where its columns lie at most so many bytes apart.
const MANY_READS: usize = 384;
const LARGE_TURNED: usize = 1 << 20;
const FAR_TURNED: usize = 2 << 10;
const FEWEST_COLUMNS: usize = 64;
const FEWEST_ROWS: usize = 256;
/// Bytes of a row of a panel: what the widest tile of each instruction set reads.
const PANEL_ROW: usize = 64;
const WIDE_PANEL_ROW: usize = 256;
/// Bytes of a transposed A from which it is packed in blocks, and columns of a B that is packed too, at most.
const LARGE_IN_BLOCKS: usize = 1 << 20;
const MOST_WITH_PACKED_B: usize = 256;
/// Bytes between columns of A at whose multiples they fall on few lines of the caches, and rows that are worth a block.
const COLLIDING: usize = 512;
const FEWEST_ROWS_IN_BLOCKS: usize = 64;

/// Which kernel multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// Tiles of C, from rows of B.
    Tile,
    /// Dot products of rows of A with columns of B.
    Dot,
}

/// An operand as the multiplication reads it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// Strides where it lies now, in elements: row, column, batch.
    pub from: [isize; 3],
    /// Strides as the multiplication sees it: the same, or those of the copy.
    pub seen: [isize; 3],
    /// From one panel of columns to the next, where the copy lies in panels, whose rows `seen` tells; 0 where it lies in rows.
    pub panels: isize,
    pub rows: usize,
    pub cols: usize,
    /// Whether the copy holds pairs of `bfloat16`, and of which neighbours.
    pub pairs: Option<Pairs>,
    /// How many different matrices there are.
    pub count: usize,
    /// Where in scratch the copy goes, in bytes.
    pub copied_to: Option<usize>,
}

impl Operand {
    /// Whether the multiplication reads a copy in scratch.
    pub fn copied(&self) -> bool {
        self.copied_to.is_some()
    }

    /// The strips of rows that are to be copied.
    pub fn strips(&self) -> usize {
        if self.copied() { self.count * self.rows.div_ceil(STRIP) } else { 0 }
    }
}

pub(super) struct Blocking {
    pub isa: Isa,
    pub route: Route,
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub batch: usize,
    pub a: Operand,
    pub b: Operand,
    /// Whether A and B have changed places.
    pub swapped: bool,
    /// Whether tiles pack rows of B that lie far apart.
    pub packs: bool,
    /// Whether chunks pack blocks of a transposed A, whose columns lie far apart.
    pub packs_a: bool,
    /// Strides of C, row and batch.
    pub c: [isize; 2],
    /// Cuts of the rows, the columns and k of one product.
    pub cuts: [usize; 3],
    /// Products of the batch per chunk; 1 if a product is cut.
    pub group: usize,
    /// Where in scratch the sums are that go to C later, in bytes, as `[part of k][batch][m][n]` of the compute type.
    pub partial: Option<usize>,
    /// Whether a chunk rounds its sums itself, which are whole then, from scratch to C.
    pub rounds: bool,
    work: Work,
}

impl Blocking {
    pub fn new(p: &MatMul, dtype: DType, isa: Isa) -> Self {
        if !(dtype.is_floating() || dtype.is_integer()) {
            no_numbers(dtype);
        }
        let compute = dtype.compute();
        let size = compute.size();
        let widen = compute != dtype;
        let vector = compute.is_floating() && isa != Isa::Portable;
        let (mut p, swapped) = normal(p);
        // One column is a dot product of widened numbers.
        let pairs = dtype == DType::BF16 && p.n > 1 && pairs::available(isa);
        let length = p.k;
        if pairs {
            p.k = length.div_ceil(2);
        }
        let p = &p;
        let mut a = Operand::of(p.m, p.k, [p.a_rs, p.a_cs, p.a_bs], p.batch);
        let mut b = Operand::of(p.k, p.n, [p.b_rs, p.b_cs, p.b_bs], p.batch);
        if pairs {
            (a.pairs, b.pairs) = (Some(Pairs::Columns(length)), Some(Pairs::Rows(length)));
        }

        // Few rows or columns do not pay for a transposed copy of the other operand, and a copy of the few is cheap.
        let few = p.m.min(p.n);
        let few = few <= 4 || (few <= 16 && p.k >= 256);
        let a_in_rows = p.a_cs == 1 || p.k == 1;
        let b_in_columns = p.b_rs == 1 || p.k == 1;
        let dot = vector
            && !pairs
            && few
            && p.k >= 16
            && match (p.m, p.n) {
                (_, 1) => a_in_rows,
                // A widened operand is in rows.
                _ if widen || p.b_cs == 1 => false,
                (1, _) => b_in_columns,
                _ => a_in_rows && b_in_columns,
            };
        let route = if dot { Route::Dot } else { Route::Tile };
        // `matrixmultiply` takes any strides.
        let any_strides = compute.is_floating() && isa == Isa::Portable;
        // Rows of B a page apart all fall on the same few lines of the cache; `panels` packs them on the way with AVX2, and with AVX-512 where that pays.
        let wide = isa == Isa::Avx512;
        let packs = compute.is_floating() && !pairs && (isa == Isa::Avx2 || wide && packs_wide_panels());
        let collides = (p.b_rs.unsigned_abs() * size).is_multiple_of(4096) && p.b_rs != 0 && p.k >= 256 && p.m >= 64;
        let half_pages = p.b_rs != 0 && (p.b_rs.unsigned_abs() * size).is_multiple_of(2048);
        let large = if half_pages { LARGE_AT_HALF_PAGES } else { LARGE };
        let large = p.m >= 1024 && (p.k * p.n).saturating_mul(size) >= large;
        // Rows of A that lie half a page apart, or whole ones, leave the first-level cache before they are read again.
        let a_collides =
            vector && p.m > 4 && along_rows(p, size) && (p.a_rs.unsigned_abs() * size).is_multiple_of(2048);
        let (copy_a, copy_b) = match route {
            Route::Dot => (!a_in_rows, !b_in_columns),
            Route::Tile if any_strides => (false, false),
            // Tiles read A from where it lies; only many reads of a transposed A pay for a copy. Panels of a transposed B are packed.
            Route::Tile if packs => {
                let often = p.n >= 160 || p.n >= 96 && p.k >= 1024;
                let (all, step) = (p.m.saturating_mul(p.k * size), p.a_cs.unsigned_abs().saturating_mul(size));
                let near = wide && p.n < MANY_READS && all < LARGE_TURNED && step <= FAR_TURNED;
                let copy_a = !a_in_rows && p.m >= 64 && often && !near;
                (copy_a || a_collides, p.b_cs != 1 && p.n != 1 && !b_in_columns)
            }
            Route::Tile => {
                (!a_in_rows && p.n >= 320 && p.m >= 64 || a_collides, p.b_cs != 1 && p.n != 1 || collides || large)
            }
        };
        let in_columns = vector && !pairs && !widen && route == Route::Tile && p.a_rs == 1 && !a_in_rows;
        let packs_a = in_columns && pays_in_blocks(p, size, packs);
        let mut scratch = 0;
        for (operand, copy) in [(&mut a, copy_a && !packs_a || widen), (&mut b, copy_b || widen)] {
            if copy {
                operand.copy_to(&mut scratch, size);
            }
        }
        // Panels of many different Bs would take as much memory as all of them, and leave the caches before they are read.
        let one = route == Route::Tile && p.n > 1 && !b.copied() && b.count == 1;
        let least = match (p.b_cs == 1, wide) {
            (true, true) => IN_WIDE_PANELS,
            (true, false) => IN_PANELS,
            (false, true) => TURNED_IN_WIDE_PANELS,
            (false, false) => &[],
        };
        if packs && one && pays_in_panels(p, size, least) {
            b.copy_to_panels(&mut scratch, size, if wide { WIDE_PANEL_ROW } else { PANEL_ROW });
        }
        let vector_bytes = if !vector {
            0
        } else if wide {
            64
        } else {
            32
        };
        let (cuts, group) = cut(p, size, vector_bytes, packs, packs_a);
        let partial = (widen || cuts[2] > 1).then(|| {
            let at = scratch;
            scratch += cuts[2] * p.batch * p.m * p.n * size;
            at
        });
        let rounds = widen && cuts[2] == 1;
        let elements = p.batch * p.m * p.n;
        let mut phases = [0; PHASES];
        if elements > 0 {
            if a.copied() || b.copied() {
                phases[0] = ((a.moved() + b.moved()) / COPY_GRAIN).clamp(1, MOST).min(a.strips() + b.strips());
            }
            phases[1] = cuts[0] * cuts[1] * cuts[2] * if p.batch == group { 1 } else { p.batch.div_ceil(group) };
            if partial.is_some() && !rounds {
                phases[2] = (cuts[2] * elements / COPY_GRAIN).clamp(1, MOST).min(p.batch * p.m);
            }
        }
        let work = Work { scratch, phases };
        let c = [p.c_rs, p.c_bs];
        let (m, n, k, batch) = (p.m, p.n, p.k, p.batch);
        Self { isa, route, m, n, k, batch, a, b, swapped, packs, packs_a, c, cuts, group, partial, rounds, work }
    }

    pub fn work(&self) -> Work {
        self.work
    }

    /// Whether tiles finish each element of C at once, so that something can be added on the way.
    pub fn finishes_at_once(&self) -> bool {
        let tiles = self.route == Route::Tile && self.isa != Isa::Portable && self.m > 1 && !self.swapped;
        tiles && self.batch == 1 && self.partial.is_none() && self.k <= PASS
    }
}

/// The same product in the form that the kernels like best, and whether A and B changed places for it.
pub(super) fn normal(p: &MatMul) -> (MatMul, bool) {
    let mut p = *p;
    if p.batch > 1 && p.b_bs == 0 && p.a_bs == p.a_rs * p.m as isize && p.c_bs == p.c_rs * p.m as isize {
        // One B for all, and the As one below the other: a single tall product.
        p.m *= p.batch;
        p.batch = 1;
    }
    let swap = p.n == 1 && p.m > 1 && p.c_rs == 1 && p.a_rs == 1 && p.a_cs != 1;
    if swap {
        // A column-major matrix times a vector is a vector times a row-major matrix.
        (p.m, p.n) = (1, p.m);
        (p.a_rs, p.a_cs, p.b_rs, p.b_cs) = (p.b_cs, p.b_rs, p.a_cs, p.a_rs);
        (p.a_bs, p.b_bs) = (p.b_bs, p.a_bs);
        p.c_rs = p.n as isize;
    }
    (p, swap)
}

/// Whether rows of C are so few, and B so large, that `panels` goes along its rows.
fn along_rows(p: &MatMul, size: usize) -> bool {
    p.b_cs == 1 && few_rows(p, size)
}

/// The same of rows of a B that lies in any way.
pub(super) fn few_rows(p: &MatMul, size: usize) -> bool {
    (2..=FEW_ROWS).contains(&p.m) && p.n >= FEWEST_IN_RUN && p.k.saturating_mul(p.n * size) >= MUCH
}

/// Whether enough rows read B that a copy in panels is worth its price.
fn pays_in_panels(p: &MatMul, size: usize, least: &[(usize, usize)]) -> bool {
    let bytes = p.k.saturating_mul(p.n * size);
    p.n >= FEWEST_COLUMNS && p.k >= FEWEST_ROWS && least.iter().any(|&(rows, least)| p.m >= rows && bytes >= least)
}

/// Whether a transposed A is worth packing block by block: it is large, and its columns lie so far apart that they fall on few lines of the caches. Where B
/// is packed as well, a copy in rows is better for many columns.
fn pays_in_blocks(p: &MatMul, size: usize, packs: bool) -> bool {
    let apart = p.a_cs.unsigned_abs().saturating_mul(size);
    let large = p.m.saturating_mul(p.k * size) >= LARGE_IN_BLOCKS;
    let collide = apart > 0 && apart.is_multiple_of(COLLIDING);
    large && collide && p.m >= FEWEST_ROWS_IN_BLOCKS && p.n >= FEWEST_COLUMNS && (!packs || p.n <= MOST_WITH_PACKED_B)
}

#[cfg(test)]
thread_local! {
    /// What this thread's products of 64-byte vectors do with B, whatever the processor.
    pub(super) static PACKS_WIDE_PANELS: std::cell::Cell<Option<bool>> = const { std::cell::Cell::new(None) };
}

/// Whether products by vectors of 64 bytes pack B: on Intel's processors, which do two such multiply-adds a cycle and wait for B else, most of all where
/// its rows begin within cache lines. On Zen 4, which does one, and on Zen 5, which reads two lines a cycle, rows are read where they lie.
fn packs_wide_panels() -> bool {
    #[cfg(test)]
    if let Some(packs) = PACKS_WIDE_PANELS.get() {
        return packs;
    }
    #[cfg(target_arch = "x86_64")]
    {
        static INTEL: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
            let maker = std::arch::x86_64::__cpuid(0);
            [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes).as_flattened() == b"GenuineIntel"
        });
        *INTEL
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

impl Operand {
    fn of(rows: usize, cols: usize, from: [isize; 3], batch: usize) -> Self {
        let count = if from[2] == 0 { batch.min(1) } else { batch };
        Self { from, seen: from, panels: 0, rows, cols, pairs: None, count, copied_to: None }
    }

    /// Plans a copy with rows of unit stride, or columns if there is only one: a column is then contiguous.
    fn copy_to(&mut self, scratch: &mut usize, size: usize) {
        // Long rows start at a cache line each.
        let mut pitch = if self.cols < 512 { self.cols } else { self.cols.next_multiple_of(64 / size) };
        if self.cols > 1 && self.rows > 4 && (pitch * size).is_multiple_of(1024) {
            // Rows at such a distance fall on the same few lines of the cache.
            pitch += 64 / size;
        }
        let bytes = self.rows * pitch;
        self.seen = [pitch as isize, 1, if self.from[2] == 0 { 0 } else { bytes as isize }];
        self.copied_to = Some(*scratch);
        *scratch += (self.count * bytes * size).next_multiple_of(64);
    }

    /// Plans a copy in which the rows of each panel of columns lie one after the other, the last panel's with zeros beyond the columns.
    fn copy_to_panels(&mut self, scratch: &mut usize, size: usize, row: usize) {
        let width = row / size;
        let panel = self.rows * width;
        let all = panel * self.cols.div_ceil(width);
        self.panels = panel as isize;
        self.seen = [width as isize, 1, if self.from[2] == 0 { 0 } else { all as isize }];
        self.copied_to = Some(*scratch);
        *scratch += self.count * all * size;
    }

    fn moved(&self) -> usize {
        if self.copied() { self.count * self.rows * self.cols } else { 0 }
    }
}
