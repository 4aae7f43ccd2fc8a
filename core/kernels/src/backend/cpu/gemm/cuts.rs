//! Cuts of a product: its rows, its columns, and k, so that there are chunks enough for all threads.
//! `blocking` asks for them when it plans. Results depend on the cuts of k alone, and those on the problem; cuts of rows and columns lie where kernels
//! begin anew anyway, so they may follow the number of processors.

use super::MatMul;
use super::blocking::{FEW_ROWS, FEWEST_IN_RUN, few_rows};

/// Work of a chunk, in multiply-adds, below which sharing costs more than it brings: about 3 us of an AVX-512 core.
const GRAIN: usize = 320 << 10;
/// The most chunks of one product: enough for the largest machines, and to even out threads that are interrupted.
pub(super) const MOST: usize = 64;
/// Elements moved count as so many multiply-adds, which is what makes matrix-vector products worth sharing.
const MOVE: usize = 4;
/// Chunks that are worth shorter runs of few rows, and that are enough for four processors.
const FEW_CHUNKS: usize = 16;
/// Chunks that are enough for two processors where each cut of the rows packs B once more.
const FEWEST_CHUNKS: usize = 8;
/// A part of k is not cut below this length.
const SHORTEST_K: usize = 2048;
/// Nor below this one where C is small.
const SHORTEST_OF_SMALL: usize = 256;
/// Elements of a small C, at most.
const LARGEST_OF_PARTS: usize = 128 * 128;
/// Bytes of all its partial sums, at most.
const SUMS_OF_PARTS: usize = 512 << 10;
/// Parts, and bytes of the sums of each, that a larger C has at most.
const FEW_PARTS: usize = 4;
const SUMS_OF_FEW_PARTS: usize = 256 << 10;

/// Whether k is worth so many parts: it is long, and C small, yet of whole tiles. Sums of many parts stay in the second-level cache, and a larger C has few.
fn pays_in_parts(p: &MatMul, size: usize, parts: usize) -> bool {
    let elements = p.m.saturating_mul(p.n);
    let sums = elements.saturating_mul(parts * p.batch * size);
    // Shorter sums stay one chain of additions, whatever the sizes beside them.
    let long = p.k >= 2 * SHORTEST_K && p.k / parts >= SHORTEST_OF_SMALL;
    let small = elements <= LARGEST_OF_PARTS && sums <= SUMS_OF_PARTS;
    let few = parts <= FEW_PARTS && sums / parts <= SUMS_OF_FEW_PARTS;
    long && p.m.min(p.n) >= FEW_ROWS && (small || few) && !few_rows(p, size)
}

/// Cuts of rows, columns and k, and products per chunk, for vectors of so many bytes: 0 without any.
#[inline]
pub(super) fn cut(p: &MatMul, size: usize, vector_bytes: usize, packs: bool, packs_a: bool) -> ([usize; 3], usize) {
    let vector = vector_bytes > 0;
    let moved = (p.m * p.k).saturating_add(p.k * p.n).saturating_add(p.m * p.n);
    let mut cost = (p.m * p.n).saturating_mul(p.k).saturating_add(moved.saturating_mul(MOVE)).max(1);
    // An f64 is half a register's lanes; kernels without vectors of their own are slower by as much again.
    cost = cost.saturating_mul(size.max(4) / 4 * if vector { 1 } else { 2 });
    let whole = cost.saturating_mul(p.batch);
    // Vectors of 32 bytes take twice as long, so two share what is less. Cuts of k are those of the problem alone: these products have none.
    let small = whole < 2 * GRAIN;
    if small && !(vector_bytes == 32 && whole >= GRAIN) {
        return ([1; 3], p.batch);
    }
    // Powers of two share out evenly among the usual numbers of threads.
    let wanted = if small { 2 } else { 1 << (whole / GRAIN).min(MOST).ilog2() };
    if p.batch >= 4 * wanted {
        return ([1; 3], p.batch.div_ceil(wanted));
    }
    let mut wanted = wanted.div_ceil(p.batch).next_power_of_two();
    let mut cuts = [1; 3];
    // A small C with long sums: parts of k have nothing of A and B in common, where tiles of C read them over and over.
    while vector && !small && wanted > 1 && pays_in_parts(p, size, 2 * cuts[2]) {
        cuts[2] *= 2;
        wanted /= 2;
    }
    // Columns first, as long as a chunk keeps the widest tile: chunks then share A, which is read once per tile row,
    // and split B, which is read once per tile. Then rows; narrow columns only if nothing else is left.
    let panel = 256 / size.clamp(4, 8);
    // A single row, and few rows as `panels` does it, are added up by rows of B, which may lie in another way but is cut alike: memory gives runs of half a page at two thirds of the speed of longer ones.
    let runs = (p.n / 4).max((p.n / 2).min(1024)).clamp(256, 4096);
    // What packs its panels does so once for each cut of the rows: narrow columns cost it less than few rows.
    let narrow = if packs { panel / 2 } else { panel };
    let several = [(1, p.n, 2 * panel), (0, p.m, 96), (1, p.n, narrow), (0, p.m, 12), (1, p.n, panel / 2)];
    let few_along_rows = vector && few_rows(p, size);
    let along_rows = p.m == 1 || few_along_rows;
    let steps = if along_rows { &[(1, p.n, runs)][..] } else { &several };
    for &(dimension, length, least) in steps {
        while wanted > 1 && length / (2 * cuts[dimension]) >= least {
            cuts[dimension] *= 2;
            wanted /= 2;
        }
    }
    // What is left can only come from k, at the price of partial sums.
    while !small && wanted > 1 && p.k / (2 * cuts[2]) >= SHORTEST_K {
        cuts[2] *= 2;
        wanted /= 2;
    }
    // Runs of 512 bytes are read at half the speed of long ones, and still faster than by one thread alone.
    while few_along_rows && wanted > 1 && cuts[1] * cuts[2] < FEW_CHUNKS && p.n / (2 * cuts[1]) >= FEWEST_IN_RUN / 4 {
        cuts[1] *= 2;
        wanted /= 2;
    }
    if vector && !along_rows {
        [cuts[0], cuts[1]] = few_cuts(p, panel, cuts, packs, packs_a);
    }
    (cuts, 1)
}

/// As many cuts of rows and columns, or fewer: few rows and narrow tiles read the most for what they compute, so they come only until there are
/// enough chunks. So do those that would pack each block of A for few columns. Cuts of k, on which results depend, are those of the problem alone.
fn few_cuts(p: &MatMul, panel: usize, most: [usize; 3], packs: bool, packs_a: bool) -> [usize; 2] {
    let all = most[0] * most[1];
    // Beside a transposed A that is read where it lies, chunks of fewer rows are worth that: 256x256x256 took 5 % longer with half as many.
    let fewest = if packs && (p.b_cs != 1 || p.a_cs == 1) { FEWEST_CHUNKS } else { FEW_CHUNKS };
    let enough = enough_chunks(fewest).div_ceil(p.batch * most[2]).min(all);
    let (across, down) = if packs_a { (4 * panel, 192) } else { (2 * panel, 96) };
    let mut cuts = [1; 2];
    let steps = [
        (all, 1, p.n, across),
        (all, 0, p.m, down),
        (if packs_a { enough } else { all }, 1, p.n, across / 2),
        (enough, 0, p.m, down / 2),
        (enough, 0, p.m, 12),
        (enough, 1, p.n, panel / 2),
    ];
    for (most, dimension, length, least) in steps {
        while cuts[0] * cuts[1] < most && length / (2 * cuts[dimension]) >= least {
            cuts[dimension] *= 2;
        }
    }
    cuts
}

#[cfg(test)]
thread_local! {
    /// What is enough for this thread's products, whatever the processors.
    pub(super) static ENOUGH: std::cell::Cell<Option<usize>> = const { std::cell::Cell::new(None) };
}

/// Chunks that even out what each processor does, however small they have to be: four for each, within limits. No result depends on them.
fn enough_chunks(fewest: usize) -> usize {
    #[cfg(test)]
    if let Some(enough) = ENOUGH.get() {
        return enough;
    }
    static PROCESSORS: std::sync::LazyLock<usize> =
        std::sync::LazyLock::new(|| std::thread::available_parallelism().map_or(1, |processors| processors.get()));
    (4 * *PROCESSORS).clamp(fewest, MOST)
}
