//! Products of `bfloat16` by the instruction that multiplies pairs and adds both to one sum of `float32` (AVX-512 BF16): twice the work of a step.
//! `blocking` asks whether there is one, `pack` copies operands to pairs, and `number` multiplies them on the tiles of all products.
//!
//! The instruction adds the product of the upper halves first, each product fused with its sum. So the earlier element of a pair goes to the
//! upper half, and results have the bits of the chain of `float32`; but denormal numbers count as zero here as operands too, and at every step.

use super::blocking::{Operand, STRIP};
use crate::backend::cpu::isa::Isa;

/// Along which axis two neighbours of an operand are a pair, and how many elements it has there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairs {
    Columns(usize),
    Rows(usize),
}

/// Whether this processor multiplies pairs. The portable and the AVX2 path never do, so that they compute what other processors do.
pub(super) fn available(isa: Isa) -> bool {
    #[cfg(target_arch = "x86_64")]
    return isa == Isa::Avx512 && is_x86_feature_detected!("avx512bf16");
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = isa;
        false
    }
}

/// Copies some rows of an operand to pairs, the first of which lies at `to`; a last element that is alone has zero beside it.
///
/// # Safety
///
/// `from` is valid for `rows` rows from `row` on of what `operand` describes, and `to` for as many rows of its copy. Nobody else touches them.
pub(super) unsafe fn strip(operand: &Operand, pairs: Pairs, from: *const u16, row: usize, rows: usize, to: *mut u32) {
    let [rs, cs, _] = operand.from;
    let pitch = operand.seen[0];
    // From pair to pair down and across, and from the first of a pair to the second.
    let steps = match pairs {
        Pairs::Columns(_) => [rs, 2 * cs, cs],
        Pairs::Rows(_) => [2 * rs, cs, rs],
    };
    // Rows and columns of whole pairs.
    let (whole_rows, whole_cols) = match pairs {
        Pairs::Columns(length) => (rows, length / 2),
        Pairs::Rows(length) => (rows.min((length / 2).saturating_sub(row)), operand.cols),
    };
    // SAFETY: whole pairs lie in the operand with both elements, the others with their first.
    unsafe {
        match steps {
            [_, 2, 1] => {
                for r in 0..whole_rows as isize {
                    let from = from.offset(r * steps[0]).cast::<[u16; 2]>();
                    let to = std::slice::from_raw_parts_mut(to.offset(r * pitch), whole_cols);
                    for (j, to) in to.iter_mut().enumerate() {
                        let [first, second] = *from.add(j);
                        *to = pair(first, second);
                    }
                }
            }
            [_, 1, _] => {
                for r in 0..whole_rows as isize {
                    let first = std::slice::from_raw_parts(from.offset(r * steps[0]), whole_cols);
                    let second = std::slice::from_raw_parts(from.offset(r * steps[0] + steps[2]), whole_cols);
                    let to = std::slice::from_raw_parts_mut(to.offset(r * pitch), whole_cols);
                    for ((to, &first), &second) in to.iter_mut().zip(first).zip(second) {
                        *to = pair(first, second);
                    }
                }
            }
            _ => squares([whole_rows, whole_cols], from, steps, to, pitch),
        }
        for r in 0..rows {
            let alone = if r < whole_rows { whole_cols } else { 0 };
            for j in alone..operand.cols {
                let first = *from.offset(r as isize * steps[0] + j as isize * steps[1]);
                *to.offset(r as isize * pitch + j as isize) = pair(first, 0);
            }
        }
    }
}

/// The words of two elements: the earlier one in the upper half.
#[inline(always)]
fn pair(first: u16, second: u16) -> u32 {
    u32::from(first) << 16 | u32::from(second)
}

/// Whole pairs from any strides: squares are read by columns and written by rows.
///
/// # Safety
///
/// As for [`strip`], where all pairs are whole.
unsafe fn squares([rows, cols]: [usize; 2], from: *const u16, steps: [isize; 3], to: *mut u32, pitch: isize) {
    const SIDE: usize = 8;
    debug_assert!(rows <= STRIP);
    for j in (0..cols).step_by(SIDE) {
        for r in (0..rows).step_by(SIDE) {
            let (high, wide) = (SIDE.min(rows - r), SIDE.min(cols - j));
            let mut square = [[0; SIDE]; SIDE];
            for c in 0..wide {
                for i in 0..high {
                    let at = from.wrapping_offset((r + i) as isize * steps[0] + (j + c) as isize * steps[1]);
                    // SAFETY: the pair lies in the operand.
                    square[i][c] = unsafe { pair(*at, *at.offset(steps[2])) };
                }
            }
            for (i, row) in square.iter().enumerate().take(high) {
                let to = to.wrapping_offset((r + i) as isize * pitch).wrapping_add(j);
                // SAFETY: the row of the square lies in the copy.
                unsafe { to.copy_from_nonoverlapping(row.as_ptr(), wide) };
            }
        }
    }
}
