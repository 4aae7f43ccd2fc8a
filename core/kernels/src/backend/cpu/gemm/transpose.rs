//! Transposes strips of four-byte elements in registers, eight by eight.
//! `bring` calls it for the transposed operands of f32 and of the 32-bit integers; other sizes go through plain code.

use super::blocking::STRIP;
use crate::backend::cpu::simd::transpose::square;

/// Copies a strip of rows from columns of unit stride; returns how many columns it did, a multiple of eight.
///
/// # Safety
///
/// The processor has AVX2. `from` is valid for `cols` columns of `STRIP` words, `cs` apart, and `to` for `STRIP` rows
/// of `cols` words, `pitch` apart.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn strip(from: *const f32, cs: isize, to: *mut f32, pitch: isize, cols: usize) -> usize {
    let whole = cols / 8 * 8;
    for j in (0..whole as isize).step_by(8) {
        for r in (0..STRIP as isize).step_by(8) {
            let (from, to) = (from.wrapping_offset(j * cs + r), to.wrapping_offset(r * pitch + j));
            // SAFETY: the square lies in the strip, on both sides.
            unsafe { square(from, cs, to, pitch) };
        }
    }
    whole
}
