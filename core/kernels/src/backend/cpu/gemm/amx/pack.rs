//! Copies operands to what the matrix unit reads: panels of B in which two rows lie interleaved, and dense rows of A, both with zeros beyond k.
//! `amx` calls it in the first phase of a product.

use super::unit::{STEPS, TILE};
use super::{PANEL, WORDS};
use crate::backend::cpu::gemm::transpose;
use crate::backend::cpu::simd::transpose::{side, square_of};

/// Two tiles of a panel: word `j` of row `r` of a tile holds elements `2r` and `2r + 1` of column `j`, the first in the lower half. What
/// is beyond the rows is zero; of a tile that is beyond the columns nothing is written.
///
/// # Safety
///
/// The processor has AVX2. As many rows and columns as `size` says lie at `from`, and there is room for two tiles at `to`.
#[target_feature(enable = "avx2")]
pub unsafe fn tiles(from: *const u16, [rs, cs]: [isize; 2], [rows, columns]: [usize; 2], to: *mut u32) {
    // SAFETY: the caller's promises.
    unsafe {
        match (rs, cs) {
            (_, 1) => {
                for pair in 0..STEPS / 2 {
                    let row = |r: usize| {
                        let mut row = [0_u16; PANEL];
                        let from = from.wrapping_offset(r as isize * rs);
                        match (r < rows, columns) {
                            (false, _) => {}
                            (true, PANEL) => row = from.cast::<[u16; PANEL]>().read(),
                            (true, _) => row.as_mut_ptr().copy_from_nonoverlapping(from, columns),
                        }
                        row
                    };
                    interleave(&row(2 * pair), &row(2 * pair + 1), to.add(pair * TILE));
                }
            }
            // The words of squares are turned.
            (1, _) if rows == STEPS && columns == PANEL && cs % 2 == 0 => {
                for tile in 0..2 {
                    let from = from.offset((tile * TILE) as isize * cs).cast();
                    transpose::strip(from, cs / 2, to.add(tile * WORDS).cast(), TILE as isize, TILE);
                }
            }
            _ => {
                for column in 0..columns {
                    let to = to.add(column / TILE * WORDS + column % TILE);
                    let from = from.offset(column as isize * cs);
                    let element = |r: usize| if r < rows { u32::from(*from.offset(r as isize * rs)) } else { 0 };
                    for pair in 0..STEPS / 2 {
                        *to.add(pair * TILE) = element(2 * pair) | element(2 * pair + 1) << 16;
                    }
                }
            }
        }
    }
}

/// A row of both tiles from two rows of B.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn interleave(first: &[u16; PANEL], second: &[u16; PANEL], to: *mut u32) {
    for tile in 0..2 {
        let mut words = [0_u32; TILE];
        for j in 0..TILE {
            words[j] = u32::from(first[tile * TILE + j]) | u32::from(second[tile * TILE + j]) << 16;
        }
        // SAFETY: the caller's promise.
        unsafe { to.add(tile * WORDS).cast::<[u32; TILE]>().write(words) }
    }
}

/// Rows of A to rows that are `pitch` apart, a multiple of [`STEPS`], with zeros behind them.
///
/// # Safety
///
/// The processor has AVX2. As many rows and columns as `size` says lie at `from`, and there is room for so many rows at `to`.
#[target_feature(enable = "avx2")]
pub unsafe fn rows(from: *const u16, [rs, cs]: [isize; 2], [rows, columns]: [usize; 2], to: *mut u16, pitch: usize) {
    const SIDE: usize = side::<u16>();
    // SAFETY: the caller's promises; squares lie in the rows.
    unsafe {
        let turned = if rs == 1 && rows % SIDE == 0 { columns / SIDE * SIDE } else { 0 };
        for column in (0..turned).step_by(SIDE) {
            for row in (0..rows).step_by(SIDE) {
                let from = from.offset(row as isize + column as isize * cs);
                square_of(from, cs, to.add(row * pitch + column), pitch as isize);
            }
        }
        for row in 0..rows {
            let (from, to) = (from.offset(row as isize * rs), to.add(row * pitch));
            if cs == 1 {
                to.copy_from_nonoverlapping(from, columns);
            } else {
                for column in turned..columns {
                    *to.add(column) = *from.offset(column as isize * cs);
                }
            }
            to.add(columns).write_bytes(0, pitch - columns);
        }
    }
}
