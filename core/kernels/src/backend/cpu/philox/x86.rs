//! The Philox rounds in x86-64's vector instructions, four groups to a 512-bit register and two to a 256-bit one.
//! The batch loop compiled for AVX2 or AVX-512 takes its words from here.

use super::Philox;
use super::batch::{LANES, Words, counters, raise};
use std::arch::x86_64::*;

// A register holds whole groups, each with its four words in order. `mul_epu32` multiplies the first and the third word
// of every group, each by its constant, into 64-bit products; the four halves of a group's products are the next words
// in reverse order, and what is xored onto them, the second and the fourth word, is a shift away. So a round takes a
// multiplication, a shuffle, a shift and two exclusive ors, and words never have to be gathered from several groups.

/// The multipliers of the first and the third word.
const FACTORS: (i64, i64) = (0xD251_1F53, 0xCD9E_8D57);

/// Words 3, 2, 1, 0 of each group.
const REVERSE: i32 = 0b00_01_10_11;

/// The words of the groups at `state` and at every `stride` counters from there.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn words_avx512(state: &Philox, stride: u64) -> Words {
    const COUNT: usize = LANES / 4;
    let start = counters(state, stride);
    let mut groups = [_mm512_setzero_si512(); COUNT];
    for (i, group) in groups.iter_mut().enumerate() {
        // SAFETY: the array has `COUNT` times 64 bytes, and the load needs no alignment.
        *group = unsafe { _mm512_loadu_si512(start.as_ptr().cast::<__m512i>().add(i)) };
    }
    let (low, high) = FACTORS;
    let factors = _mm512_set_epi64(high, low, high, low, high, low, high, low);
    let mut key = state.key;
    for _ in 0..10 {
        let (k0, k1) = (i64::from(key[0]), i64::from(key[1]));
        let keys = _mm512_set_epi64(k1, k0, k1, k0, k1, k0, k1, k0);
        for group in &mut groups {
            let products = _mm512_shuffle_epi32::<REVERSE>(_mm512_mul_epu32(*group, factors));
            *group = _mm512_xor_si512(products, _mm512_xor_si512(_mm512_srli_epi64::<32>(*group), keys));
        }
        key = raise(key);
    }
    let mut words = [0; 4 * LANES];
    for (i, group) in groups.into_iter().enumerate() {
        // SAFETY: as for the loads; x86 has the lower word of a lane first, as the stream has.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast::<__m512i>().add(i), group) };
    }
    words
}

/// The words of the groups at `state` and at every `stride` counters from there.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn words_avx2(state: &Philox, stride: u64) -> Words {
    const COUNT: usize = LANES / 2;
    let start = counters(state, stride);
    let mut groups = [_mm256_setzero_si256(); COUNT];
    for (i, group) in groups.iter_mut().enumerate() {
        // SAFETY: the array has `COUNT` times 32 bytes, and the load needs no alignment.
        *group = unsafe { _mm256_loadu_si256(start.as_ptr().cast::<__m256i>().add(i)) };
    }
    let (low, high) = FACTORS;
    let factors = _mm256_set_epi64x(high, low, high, low);
    let mut key = state.key;
    for _ in 0..10 {
        let (k0, k1) = (i64::from(key[0]), i64::from(key[1]));
        let keys = _mm256_set_epi64x(k1, k0, k1, k0);
        for group in &mut groups {
            let products = _mm256_shuffle_epi32::<REVERSE>(_mm256_mul_epu32(*group, factors));
            *group = _mm256_xor_si256(products, _mm256_xor_si256(_mm256_srli_epi64::<32>(*group), keys));
        }
        key = raise(key);
    }
    let mut words = [0; 4 * LANES];
    for (i, group) in groups.into_iter().enumerate() {
        // SAFETY: as for the loads; x86 has the lower word of a lane first, as the stream has.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast::<__m256i>().add(i), group) };
    }
    words
}
