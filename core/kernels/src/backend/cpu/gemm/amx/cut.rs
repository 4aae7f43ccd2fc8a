//! How the work of products on the matrix unit is cut, and which products are for it.
//! The plan in `amx` asks once per product, and again for every chunk: all follows from sizes.

use super::PANEL;
use super::unit::{STEPS, TILE};
use crate::backend::cpu::gemm::MatMul;

/// Multiply-adds below which the copy of B and the set-up of the unit cost more than it gains.
const LEAST: usize = 64 << 10;
/// Rows of C below which reading B as it lies costs less than the copy: 4 by 1,024 by 4,096 takes the same time both ways.
const FEWEST_ROWS: usize = 4;
/// Multiply-adds of a chunk.
const GRAIN: usize = 8 << 20;
/// The most chunks of one product.
pub const MOST: usize = 64;

/// Whether a product is so large that the unit pays.
pub fn pays(p: &MatMul) -> bool {
    let large = p.m >= FEWEST_ROWS && p.n >= TILE && p.k >= STEPS;
    large && p.m.saturating_mul(p.n).saturating_mul(p.k).saturating_mul(p.batch) >= LEAST
}

/// The `index`-th of so many parts of the rows, cut between pairs of tiles.
pub fn at_tiles(rows: usize, parts: usize, index: usize) -> (usize, usize) {
    let (start, end) = crate::backend::cpu::gemm::multiply::part(rows.div_ceil(PANEL), parts, index);
    (start * PANEL, (end * PANEL).min(rows))
}

/// Cuts of rows and columns, and products per chunk.
pub fn cut(p: &MatMul) -> ([usize; 2], usize) {
    let each = p.m.saturating_mul(p.n).saturating_mul(p.k).max(1);
    let wanted = 1 << (each.saturating_mul(p.batch) / GRAIN).clamp(1, MOST).ilog2();
    if p.batch >= wanted {
        return ([1; 2], p.batch.div_ceil(wanted));
    }
    let mut wanted = wanted.div_ceil(p.batch).next_power_of_two();
    let mut cuts = [1; 2];
    while wanted > 1 {
        // The longer side of a chunk: what is read for it grows with both.
        let sides = [p.m / cuts[0], p.n / cuts[1]];
        let longer = usize::from(sides[1] > sides[0]);
        if sides[longer] < 2 * PANEL {
            break;
        }
        cuts[longer] *= 2;
        wanted /= 2;
    }
    (cuts, 1)
}
