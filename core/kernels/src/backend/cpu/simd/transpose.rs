//! A square of eight by eight words, transposed in registers.
//! Copies of strided views and the packing of products call it.

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
