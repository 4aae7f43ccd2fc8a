//! Dense rows of two to seven elements as columns and back, by shuffles of bytes: a square of eight by eight would be mostly empty.
//! `transpose.rs` calls them for rows that are so short.

use std::arch::x86_64::*;
use std::marker::PhantomData;

/// Rows that are moved at a time are a multiple of this.
pub(super) const GRAIN: usize = 32;

/// For each result the bytes that it takes of each source, in both halves of a register alike; 0x80 takes none.
type Masks<const L: usize> = [[[u8; 32]; L]; L];

/// Where the bytes of some rows of `L` elements lie in as many columns, 16 bytes of each, or the other way round.
const fn masks<const L: usize>(size: usize, to_columns: bool) -> Masks<L> {
    let mut masks = [[[0x80; 32]; L]; L];
    let mut byte = 0;
    while byte < 16 * L {
        let (element, part) = (byte / size, byte % size);
        let (row, column) = (element / L, element % L);
        // Byte `byte` of the rows is byte `in_column` of its column.
        let in_column = row * size + part;
        let mut half = 0;
        while half < 32 {
            if to_columns {
                masks[column][byte / 16][half + in_column] = (byte % 16) as u8;
            } else {
                masks[byte / 16][column][half + byte % 16] = in_column as u8;
            }
            half += 16;
        }
        byte += 1;
    }
    masks
}

/// The masks for elements as large as `T`.
struct Of<T, const L: usize>(PhantomData<T>);

impl<T, const L: usize> Of<T, L> {
    const TO_COLUMNS: Masks<L> = masks::<L>(size_of::<T>(), true);
    const TO_ROWS: Masks<L> = masks::<L>(size_of::<T>(), false);
}

/// What a mask for each vector takes of them.
#[inline]
#[target_feature(enable = "avx2")]
fn gathered<const L: usize>(vectors: &[__m256i; L], masks: &[[u8; 32]; L]) -> __m256i {
    let mut all = _mm256_setzero_si256();
    for (vector, mask) in vectors.iter().zip(masks) {
        // SAFETY: a mask has 32 bytes.
        let mask = unsafe { _mm256_loadu_si256(mask.as_ptr().cast()) };
        all = _mm256_or_si256(all, _mm256_shuffle_epi8(*vector, mask));
    }
    all
}

/// Writes `rows` dense rows, a multiple of [`GRAIN`], of `L` elements of 1, 2, 4 or 8 bytes as columns: element `k` of row `r` to
/// `to + k * rows + r`.
///
/// # Safety
///
/// The processor has AVX2, and the rows and room for as many columns are there, apart.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn rows_to_columns<T: Copy, const L: usize>(rows: usize, from: *const T, to: *mut T) {
    // Each half of a register has rows of its own, which follow each other.
    for row in (0..rows).step_by(32 / size_of::<T>()) {
        // SAFETY: by the caller's promise.
        unsafe {
            let from = from.add(row * L).cast::<__m128i>();
            let mut vectors = [_mm256_setzero_si256(); L];
            for (v, vector) in vectors.iter_mut().enumerate() {
                *vector = _mm256_loadu2_m128i(from.add(L + v), from.add(v));
            }
            for (k, masks) in Of::<T, L>::TO_COLUMNS.iter().enumerate() {
                _mm256_storeu_si256(to.add(k * rows + row).cast(), gathered(&vectors, masks));
            }
        }
    }
}

/// The way back: element `k` of row `r` from `from + k * rows + r`.
///
/// # Safety
///
/// As [`rows_to_columns`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn columns_to_rows<T: Copy, const L: usize>(rows: usize, from: *const T, to: *mut T) {
    for row in (0..rows).step_by(32 / size_of::<T>()) {
        // SAFETY: by the caller's promise.
        unsafe {
            let to = to.add(row * L).cast::<__m128i>();
            let mut vectors = [_mm256_setzero_si256(); L];
            for (k, vector) in vectors.iter_mut().enumerate() {
                *vector = _mm256_loadu_si256(from.add(k * rows + row).cast());
            }
            for (v, masks) in Of::<T, L>::TO_ROWS.iter().enumerate() {
                _mm256_storeu2_m128i(to.add(L + v), to.add(v), gathered(&vectors, masks));
            }
        }
    }
}
