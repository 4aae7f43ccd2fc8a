//! Many Philox groups at a time: the ten rounds, and the loop that hands their words to the draw of a distribution.
//! All distributions run through [`fill`], compiled once for each instruction set.

use super::Philox;
#[cfg(target_arch = "x86_64")]
use super::x86;
use crate::backend::cpu::isa::Isa;

/// Groups that are computed together: enough independent ones to keep a vector unit busy through the rounds.
pub(super) const LANES: usize = 16;

/// The words of [`LANES`] groups, in the order of the stream.
pub(super) type Words = [u32; 4 * LANES];

/// The counters of [`LANES`] groups, two 64-bit halves each, the lower one first.
pub(super) type Counters = [u64; 2 * LANES];

/// The ten rounds of Philox4x32 on `N` counters, whose words are the pairs `first` and `last`, lower word below.
///
/// The halves of each product are at once the two words that the other pair becomes, only exchanged.
#[inline(always)]
pub(super) fn rounds<const N: usize>([mut first, mut last]: [[u64; N]; 2], mut key: [u32; 2]) -> [[u64; N]; 2] {
    const LOW: u64 = 0xFFFF_FFFF;
    for _ in 0..10 {
        for i in 0..N {
            let p0 = (first[i] & LOW) * 0xD251_1F53;
            let p1 = (last[i] & LOW) * 0xCD9E_8D57;
            first[i] = p1.rotate_left(32) ^ first[i] >> 32 ^ u64::from(key[0]);
            last[i] = p0.rotate_left(32) ^ last[i] >> 32 ^ u64::from(key[1]);
        }
        key = raise(key);
    }
    [first, last]
}

/// The words of two pairs, in the order of the stream.
#[inline(always)]
pub(super) fn split(first: u64, last: u64) -> [u32; 4] {
    [first as u32, (first >> 32) as u32, last as u32, (last >> 32) as u32]
}

/// The key of the next round.
#[inline(always)]
pub(super) fn raise([k0, k1]: [u32; 2]) -> [u32; 2] {
    [k0.wrapping_add(0x9E37_79B9), k1.wrapping_add(0xBB67_AE85)]
}

/// The counters of the groups at `state` and at every `stride` counters from there.
#[inline(always)]
pub(super) fn counters(state: &Philox, stride: u64) -> Counters {
    let (_, [low, high]) = state.key_counter();
    let mut counters = [high; 2 * LANES];
    for (i, counter) in counters.chunks_exact_mut(2).enumerate() {
        counter[0] = low.wrapping_add(stride * i as u64);
    }
    if low > u64::MAX - stride * LANES as u64 {
        // A carry into the upper half, once in 2^64 groups.
        for counter in counters.chunks_exact_mut(2) {
            counter[1] = high.wrapping_add(u64::from(counter[0] < low));
        }
    }
    counters
}

/// The words of the groups at `state` and at every `stride` counters from there, for any processor.
fn words_portable(state: &Philox, stride: u64) -> Words {
    let counters = counters(state, stride);
    let half = |which| std::array::from_fn::<_, LANES, _>(|i| counters[2 * i + which]);
    let [first, last] = rounds([half(0), half(1)], state.key);
    let mut words = [0; 4 * LANES];
    for (i, group) in words.chunks_exact_mut(4).enumerate() {
        group.copy_from_slice(&split(first[i], last[i]));
    }
    words
}

/// The words that `isa` computes, for the test that compares them.
#[cfg(test)]
pub(super) fn words_on(isa: Isa, state: &Philox, stride: u64) -> Words {
    match isa {
        // SAFETY: the test asks only for the sets that this processor has.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { x86::words_avx512(state, stride) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { x86::words_avx2(state, stride) },
        _ => words_portable(state, stride),
    }
}

/// A distribution whose elements come in groups, each from its own run of counters.
pub(super) trait Draw {
    /// The element type.
    type Out: Copy + Default;
    /// Elements of a group: 4, or 2 for 64-bit types.
    const GROUP: usize;
    /// Counters from the beginning of one group to that of the next.
    const STRIDE: u64 = 1;

    /// Draws [`LANES`] groups into `out`, which has `GROUP * LANES` elements.
    ///
    /// `words` has the first block of each group; `state` is at the first group.
    fn draw(&self, state: &Philox, words: &Words, out: &mut [Self::Out]);
}

/// Writes the elements `start..start + out.len()` of the infinite sequence of `draw`.
pub(super) fn fill<D: Draw>(draw: &D, state: Philox, start: usize, out: &mut [D::Out]) {
    match Isa::current() {
        // SAFETY: `Isa::current` answers with a set only after the processor has reported its features.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { fill_avx512(draw, state, start, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { fill_avx2(draw, state, start, out) },
        _ => fill_body(draw, state, start, out, words_portable),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn fill_avx512<D: Draw>(draw: &D, state: Philox, start: usize, out: &mut [D::Out]) {
    fill_body(draw, state, start, out, |state, stride| x86::words_avx512(state, stride));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_avx2<D: Draw>(draw: &D, state: Philox, start: usize, out: &mut [D::Out]) {
    fill_body(draw, state, start, out, |state, stride| x86::words_avx2(state, stride));
}

#[inline(always)]
fn fill_body<D: Draw>(
    draw: &D,
    state: Philox,
    start: usize,
    mut out: &mut [D::Out],
    words: impl Fn(&Philox, u64) -> Words,
) {
    let batch = D::GROUP * LANES;
    let mut state = state.skip((start / D::GROUP) as u64 * D::STRIDE);
    let mut skip = start % D::GROUP;
    let mut whole = [D::Out::default(); 4 * LANES];
    while !out.is_empty() {
        let words = words(&state, D::STRIDE);
        let direct = skip == 0 && out.len() >= batch;
        let count = (batch - skip).min(out.len());
        let (now, later) = out.split_at_mut(count);
        draw.draw(&state, &words, if direct { &mut *now } else { &mut whole[..batch] });
        if !direct {
            // The first batch when it starts inside a group, and the last one when it is not full.
            now.copy_from_slice(&whole[skip..skip + count]);
        }
        out = later;
        skip = 0;
        state = state.skip(D::STRIDE * LANES as u64);
    }
}
