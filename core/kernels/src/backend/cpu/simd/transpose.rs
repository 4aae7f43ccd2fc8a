//! Squares of eight by eight elements, or four by four of eight bytes, transposed in registers, and rows that become columns by them.
//! Copies of strided views, the packing of products, and searches, reductions and softmax of short rows call them.

use super::few_columns;
use std::arch::x86_64::*;

/// Writes eight columns, `cs` words apart and each of eight words side by side, as rows that lie `pitch` words apart.
///
/// # Safety
///
/// The processor has AVX2, and both squares are there, apart.
#[inline]
#[target_feature(enable = "avx2")]
pub unsafe fn square(from: *const f32, cs: isize, to: *mut f32, pitch: isize) {
    // SAFETY: by the caller's promise.
    unsafe {
        let c0 = _mm256_loadu_ps(from);
        let c1 = _mm256_loadu_ps(from.offset(cs));
        let c2 = _mm256_loadu_ps(from.offset(2 * cs));
        let c3 = _mm256_loadu_ps(from.offset(3 * cs));
        let c4 = _mm256_loadu_ps(from.offset(4 * cs));
        let c5 = _mm256_loadu_ps(from.offset(5 * cs));
        let c6 = _mm256_loadu_ps(from.offset(6 * cs));
        let c7 = _mm256_loadu_ps(from.offset(7 * cs));
        // Pairs, then fours, then the halves of eight.
        let (p0, p1) = (_mm256_unpacklo_ps(c0, c1), _mm256_unpackhi_ps(c0, c1));
        let (p2, p3) = (_mm256_unpacklo_ps(c2, c3), _mm256_unpackhi_ps(c2, c3));
        let (p4, p5) = (_mm256_unpacklo_ps(c4, c5), _mm256_unpackhi_ps(c4, c5));
        let (p6, p7) = (_mm256_unpacklo_ps(c6, c7), _mm256_unpackhi_ps(c6, c7));
        let (f0, f1) = (_mm256_shuffle_ps::<0x44>(p0, p2), _mm256_shuffle_ps::<0xee>(p0, p2));
        let (f2, f3) = (_mm256_shuffle_ps::<0x44>(p1, p3), _mm256_shuffle_ps::<0xee>(p1, p3));
        let (f4, f5) = (_mm256_shuffle_ps::<0x44>(p4, p6), _mm256_shuffle_ps::<0xee>(p4, p6));
        let (f6, f7) = (_mm256_shuffle_ps::<0x44>(p5, p7), _mm256_shuffle_ps::<0xee>(p5, p7));
        _mm256_storeu_ps(to, _mm256_permute2f128_ps::<0x20>(f0, f4));
        _mm256_storeu_ps(to.offset(pitch), _mm256_permute2f128_ps::<0x20>(f1, f5));
        _mm256_storeu_ps(to.offset(2 * pitch), _mm256_permute2f128_ps::<0x20>(f2, f6));
        _mm256_storeu_ps(to.offset(3 * pitch), _mm256_permute2f128_ps::<0x20>(f3, f7));
        _mm256_storeu_ps(to.offset(4 * pitch), _mm256_permute2f128_ps::<0x31>(f0, f4));
        _mm256_storeu_ps(to.offset(5 * pitch), _mm256_permute2f128_ps::<0x31>(f1, f5));
        _mm256_storeu_ps(to.offset(6 * pitch), _mm256_permute2f128_ps::<0x31>(f2, f6));
        _mm256_storeu_ps(to.offset(7 * pitch), _mm256_permute2f128_ps::<0x31>(f3, f7));
    }
}

/// A square of bytes: row `i` begins at `from + i * pitch`, column `k` goes to `to + k * apart`.
///
/// # Safety
///
/// The processor has AVX2, and both squares are there, apart.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn bytes(from: *const u8, pitch: isize, to: *mut u8, apart: isize) {
    // SAFETY: by the caller's promise.
    unsafe {
        let row = |i: isize| _mm_loadl_epi64(from.offset(i * pitch).cast());
        let store = |k: isize, pair: __m128i| {
            _mm_storel_epi64(to.offset(k * apart).cast(), pair);
            _mm_storel_epi64(to.offset((k + 1) * apart).cast(), _mm_unpackhi_epi64(pair, pair));
        };
        let (p0, p1) = (_mm_unpacklo_epi8(row(0), row(1)), _mm_unpacklo_epi8(row(2), row(3)));
        let (p2, p3) = (_mm_unpacklo_epi8(row(4), row(5)), _mm_unpacklo_epi8(row(6), row(7)));
        let (f0, f1) = (_mm_unpacklo_epi16(p0, p1), _mm_unpackhi_epi16(p0, p1));
        let (f2, f3) = (_mm_unpacklo_epi16(p2, p3), _mm_unpackhi_epi16(p2, p3));
        store(0, _mm_unpacklo_epi32(f0, f2));
        store(2, _mm_unpackhi_epi32(f0, f2));
        store(4, _mm_unpacklo_epi32(f1, f3));
        store(6, _mm_unpackhi_epi32(f1, f3));
    }
}

/// As [`bytes`] for elements of two bytes.
///
/// # Safety
///
/// As [`bytes`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn halves(from: *const u16, pitch: isize, to: *mut u16, apart: isize) {
    // SAFETY: by the caller's promise.
    unsafe {
        let row = |i: isize| _mm_loadu_si128(from.offset(i * pitch).cast());
        let store = |k: isize, low: __m128i, high: __m128i| {
            _mm_storeu_si128(to.offset(k * apart).cast(), _mm_unpacklo_epi64(low, high));
            _mm_storeu_si128(to.offset((k + 1) * apart).cast(), _mm_unpackhi_epi64(low, high));
        };
        let pair = |i: isize| {
            let (a, b) = (row(i), row(i + 1));
            (_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b))
        };
        let ((p0, q0), (p1, q1), (p2, q2), (p3, q3)) = (pair(0), pair(2), pair(4), pair(6));
        store(0, _mm_unpacklo_epi32(p0, p1), _mm_unpacklo_epi32(p2, p3));
        store(2, _mm_unpackhi_epi32(p0, p1), _mm_unpackhi_epi32(p2, p3));
        store(4, _mm_unpacklo_epi32(q0, q1), _mm_unpacklo_epi32(q2, q3));
        store(6, _mm_unpackhi_epi32(q0, q1), _mm_unpackhi_epi32(q2, q3));
    }
}

/// As [`bytes`] for four by four elements of eight bytes.
///
/// # Safety
///
/// As [`bytes`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn doubles(from: *const f64, pitch: isize, to: *mut f64, apart: isize) {
    // SAFETY: by the caller's promise.
    unsafe {
        let (r0, r1) = (_mm256_loadu_pd(from), _mm256_loadu_pd(from.offset(pitch)));
        let (r2, r3) = (_mm256_loadu_pd(from.offset(2 * pitch)), _mm256_loadu_pd(from.offset(3 * pitch)));
        let (p0, p1) = (_mm256_unpacklo_pd(r0, r1), _mm256_unpackhi_pd(r0, r1));
        let (p2, p3) = (_mm256_unpacklo_pd(r2, r3), _mm256_unpackhi_pd(r2, r3));
        _mm256_storeu_pd(to, _mm256_permute2f128_pd::<0x20>(p0, p2));
        _mm256_storeu_pd(to.offset(apart), _mm256_permute2f128_pd::<0x20>(p1, p3));
        _mm256_storeu_pd(to.offset(2 * apart), _mm256_permute2f128_pd::<0x31>(p0, p2));
        _mm256_storeu_pd(to.offset(3 * apart), _mm256_permute2f128_pd::<0x31>(p1, p3));
    }
}

/// The side of a square of elements of type `T`.
pub const fn side<T>() -> usize {
    if size_of::<T>() == 8 { 4 } else { 8 }
}

/// As [`square`] for [`side`] by `side` elements of 1, 2, 4 or 8 bytes, which are moved as they are.
///
/// # Safety
///
/// As [`square`].
#[inline]
#[target_feature(enable = "avx2")]
pub unsafe fn square_of<T: Copy>(from: *const T, cs: isize, to: *mut T, pitch: isize) {
    // SAFETY: by the caller's promise.
    unsafe {
        match size_of::<T>() {
            1 => bytes(from.cast(), cs, to.cast(), pitch),
            2 => halves(from.cast(), cs, to.cast(), pitch),
            4 => square(from.cast(), cs, to.cast(), pitch),
            8 => doubles(from.cast(), cs, to.cast(), pitch),
            _ => unreachable!("elements of 1, 2, 4 or 8 bytes"),
        }
    }
}

/// Calls a function of `few_columns` for rows of `$len` elements, if they are so few.
macro_rules! if_few {
    ($function:ident, $len:ident, $($arg:expr),*) => {
        match $len {
            2 => return few_columns::$function::<T, 2>($($arg),*),
            3 => return few_columns::$function::<T, 3>($($arg),*),
            4 => return few_columns::$function::<T, 4>($($arg),*),
            5 => return few_columns::$function::<T, 5>($($arg),*),
            6 => return few_columns::$function::<T, 6>($($arg),*),
            7 => return few_columns::$function::<T, 7>($($arg),*),
            _ => {}
        }
    };
}

/// Writes `rows` dense rows, a multiple of 32, of `len` elements of 1, 2, 4 or 8 bytes as columns: element `k` of row `r` to
/// `to + k * rows + r`. Of rows of eight elements and more the last that fill no square are moved with some before them once more.
///
/// # Safety
///
/// The processor has AVX2, and the rows, of two elements at least, and room for as many columns are there, apart.
#[inline]
#[target_feature(enable = "avx2")]
pub unsafe fn rows_to_columns<T: Copy>(len: usize, rows: usize, from: *const T, to: *mut T) {
    debug_assert!(len >= 2 && rows.is_multiple_of(few_columns::GRAIN));
    let side = side::<T>();
    // SAFETY: by the caller's promise; squares lie in the rows.
    unsafe {
        if_few!(rows_to_columns, len, rows, from, to);
        for row in (0..rows).step_by(side) {
            for at in (0..len).step_by(side).map(|at| at.min(len - side)) {
                square_of(from.add(row * len + at), len as isize, to.add(at * rows + row), rows as isize);
            }
        }
    }
}

/// The way back of [`rows_to_columns`]: element `k` of row `r` from `from + k * rows + r`.
///
/// # Safety
///
/// As [`rows_to_columns`].
#[inline]
#[target_feature(enable = "avx2")]
pub unsafe fn columns_to_rows<T: Copy>(len: usize, rows: usize, from: *const T, to: *mut T) {
    debug_assert!(len >= 2 && rows.is_multiple_of(few_columns::GRAIN));
    let side = side::<T>();
    // SAFETY: by the caller's promise; squares lie in the rows.
    unsafe {
        if_few!(columns_to_rows, len, rows, from, to);
        for row in (0..rows).step_by(side) {
            for at in (0..len).step_by(side).map(|at| at.min(len - side)) {
                square_of(from.add(at * rows + row), rows as isize, to.add(row * len + at), len as isize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{columns_to_rows, rows_to_columns};

    fn check<T: Copy + Default + PartialEq + std::fmt::Debug>(number: impl Fn(usize) -> T) {
        for len in (2..20).chain([63, 64, 65]) {
            for rows in [32, 64] {
                let x: Vec<T> = (0..rows * len).map(&number).collect();
                let mut y = vec![T::default(); rows * len];
                // SAFETY: there are so many elements, and room for as many columns; the caller looks for AVX2.
                unsafe { rows_to_columns(len, rows, x.as_ptr(), y.as_mut_ptr()) };
                for (i, &element) in x.iter().enumerate() {
                    assert_eq!(y[i % len * rows + i / len], element, "{} bytes, {rows} rows of {len}", size_of::<T>());
                }
                let mut back = vec![T::default(); rows * len];
                // SAFETY: as above.
                unsafe { columns_to_rows(len, rows, y.as_ptr(), back.as_mut_ptr()) };
                assert_eq!(back, x, "{} bytes, {rows} rows of {len}", size_of::<T>());
            }
        }
    }

    #[test]
    fn rows_of_any_length_become_columns_and_rows_again() {
        if !std::arch::is_x86_feature_detected!("avx2") {
            return;
        }
        check(|i| i as u8);
        check(|i| i as u16);
        check(|i| i as u32);
        check(|i| i as u64);
    }
}
