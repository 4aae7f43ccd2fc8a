//! Normal and truncated normal numbers: Box and Muller's pairs, with TensorFlow's room of 256 samples for each output.
//! The random operations and the initialisers call [`normal`] and [`truncated_normal`].

use super::batch::{Draw, LANES, Words};
use super::uniform::{Real, Single};
use super::{Philox, Stream, math};

/// The numbers a truncated normal keeps lie closer to zero than this.
const CUT: f32 = 2.0;

/// Words that TensorFlow sets aside for one output of a draw that may reject.
const RESERVED: u64 = 256;

/// Writes the elements `start..` of the standard normal sequence of `state`, times `scale` plus `shift`.
///
/// The numbers are TensorFlow's, bit for bit; `f64` alone asks the C library for its logarithm, sine and cosine, and has
/// TensorFlow's last bit only where both run on the same one.
pub fn normal<T: Real>(state: Philox, start: usize, scale: T, shift: T, out: &mut [T]) {
    T::normal(state, start, scale, shift, out);
}

/// Like [`normal`], but numbers of magnitude 2 or more (before scaling) are drawn again.
pub fn truncated_normal<T: Real>(state: Philox, start: usize, scale: T, shift: T, out: &mut [T]) {
    T::truncated_normal(state, start, scale, shift, out);
}

/// Box and Muller's transform of all pairs of words.
#[inline(always)]
fn normal_samples(words: &Words) -> [f32; 4 * LANES] {
    let mut samples = [0.0; 4 * LANES];
    for (sample, pair) in samples.chunks_exact_mut(2).zip(words.chunks_exact(2)) {
        (sample[0], sample[1]) = math::normal_pair_f32(pair[0], pair[1]);
    }
    samples
}

/// Normal numbers of a type that computes in `f32`.
pub(super) struct SingleNormal<T> {
    pub(super) scale: T,
    pub(super) shift: T,
}

impl<T: Single> Draw for SingleNormal<T> {
    type Out = T;
    const GROUP: usize = 4;

    #[inline(always)]
    fn draw(&self, _: &Philox, words: &Words, out: &mut [T]) {
        let samples = normal_samples(words);
        T::store(&samples, self.scale, self.shift, out);
    }
}

/// Truncated normal numbers of a type that computes in `f32`.
pub(super) struct SingleTruncated<T> {
    pub(super) scale: T,
    pub(super) shift: T,
}

impl<T: Single> Draw for SingleTruncated<T> {
    type Out = T;
    const GROUP: usize = 4;
    // Each group of outputs has its own stretch of counters, so that none depends on another's rejections.
    const STRIDE: u64 = RESERVED;

    #[inline(always)]
    fn draw(&self, state: &Philox, words: &Words, out: &mut [T]) {
        let mut samples = normal_samples(words);
        for (i, group) in samples.chunks_exact_mut(4).enumerate() {
            // Five groups in six are whole after their first block.
            if group.iter().any(|x| x.abs() >= CUT) {
                redraw(group, state.skip(i as u64 * Self::STRIDE));
            }
        }
        T::store(&samples, self.scale, self.shift, out);
    }
}

/// Closes the gaps of a group with the draws from the blocks after the first; `state` is at the first.
#[cold]
fn redraw(group: &mut [f32], state: Philox) {
    let mut kept = 0;
    for i in 0..group.len() {
        if group[i].abs() < CUT {
            group[kept] = group[i];
            kept += 1;
        }
    }
    let mut words = Stream::new(state.skip(1));
    while kept < group.len() {
        let (sin, cos) = math::normal_pair_f32(words.next_word(), words.next_word());
        for x in [sin, cos] {
            if x.abs() < CUT && kept < group.len() {
                group[kept] = x;
                kept += 1;
            }
        }
    }
}

/// Normal numbers of `f64`.
pub(super) struct DoubleNormal {
    pub(super) scale: f64,
    pub(super) shift: f64,
}

impl Draw for DoubleNormal {
    type Out = f64;
    const GROUP: usize = 2;

    #[inline(always)]
    fn draw(&self, _: &Philox, words: &Words, out: &mut [f64]) {
        for (out, group) in out.chunks_exact_mut(2).zip(words.chunks_exact(4)) {
            let (sin, cos) = math::normal_pair_f64([group[0], group[1], group[2], group[3]]);
            out[0] = sin * self.scale + self.shift;
            out[1] = cos * self.scale + self.shift;
        }
    }
}

/// Truncated normal numbers of `f64`.
pub(super) struct DoubleTruncated {
    pub(super) scale: f64,
    pub(super) shift: f64,
}

impl Draw for DoubleTruncated {
    type Out = f64;
    const GROUP: usize = 2;
    const STRIDE: u64 = RESERVED / 2;

    #[inline(always)]
    fn draw(&self, state: &Philox, words: &Words, out: &mut [f64]) {
        for (i, out) in out.chunks_exact_mut(2).enumerate() {
            let mut block = [words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]];
            let mut state = state.skip(i as u64 * Self::STRIDE);
            let mut kept = 0;
            loop {
                let (sin, cos) = math::normal_pair_f64(block);
                for x in [sin, cos] {
                    if x.abs() < f64::from(CUT) && kept < 2 {
                        out[kept] = x * self.scale + self.shift;
                        kept += 1;
                    }
                }
                if kept == 2 {
                    break;
                }
                state = state.skip(1);
                block = state.block();
            }
        }
    }
}
