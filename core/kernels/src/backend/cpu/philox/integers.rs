//! Uniform integers, over their whole type or in a range by the remainder, as TensorFlow takes them from the words.
//! The integer forms of the uniform operations and the seeds of new generators call it.

use super::Philox;
use super::batch::{Draw, Words, fill};

/// An integer type with random draws: `i32`, `u32`, `i64` or `u64`.
pub trait Integer: Copy + Default + sealed::Bits {}

impl<T: sealed::Bits + Copy + Default> Integer for T {}

/// Writes the elements `start..` of the sequence of `state` over all values of the type.
pub fn uniform_full<T: Integer>(state: Philox, start: usize, out: &mut [T]) {
    T::full(state, start, out);
}

/// Writes the elements `start..` of the sequence of `state` in `low..high`.
///
/// The remainder of the word by the width of the range is what TensorFlow takes, with its slight bias towards the low
/// end when the width is no power of two.
///
/// # Panics
/// If `low >= high`.
pub fn uniform_int<T: Integer>(state: Philox, start: usize, low: T, high: T, out: &mut [T]) {
    T::ranged(state, start, low, high, out);
}

mod sealed {
    use super::Philox;

    /// The draws of one integer type.
    pub trait Bits: Sized {
        /// See [`super::uniform_full`].
        fn full(state: Philox, start: usize, out: &mut [Self]);
        /// See [`super::uniform_int`].
        fn ranged(state: Philox, start: usize, low: Self, high: Self, out: &mut [Self]);
    }
}

/// Groups of four elements, each a function of one word.
struct Narrow<F>(F);

impl<T: Copy + Default, F: Fn(u32) -> T> Draw for Narrow<F> {
    type Out = T;
    const GROUP: usize = 4;

    #[inline(always)]
    fn draw(&self, _: &Philox, words: &Words, out: &mut [T]) {
        out.copy_from_slice(&words.map(&self.0));
    }
}

/// Groups of two elements, each a function of two words, the lower one first.
struct Wide<F>(F);

impl<T: Copy + Default, F: Fn(u64) -> T> Draw for Wide<F> {
    type Out = T;
    const GROUP: usize = 2;

    #[inline(always)]
    fn draw(&self, _: &Philox, words: &Words, out: &mut [T]) {
        for (out, pair) in out.iter_mut().zip(words.chunks_exact(2)) {
            *out = (self.0)(super::pair(pair[0], pair[1]));
        }
    }
}

macro_rules! bits {
    ($($T:ty, $U:ty, $kernel:ident, $remainder:ident;)*) => {$(
        impl sealed::Bits for $T {
            fn full(state: Philox, start: usize, out: &mut [Self]) {
                fill(&$kernel(|bits: $U| bits as $T), state, start, out);
            }

            fn ranged(state: Philox, start: usize, low: Self, high: Self, out: &mut [Self]) {
                assert!(low < high, "uniform_int: the range {low}..{high} is empty");
                // The width of a signed range may not fit the signed type, but always fits the unsigned one.
                let remainder = $remainder((high as $U).wrapping_sub(low as $U));
                fill(&$kernel(|bits: $U| (low as $U).wrapping_add(remainder(bits)) as $T), state, start, out);
            }
        }
    )*};
}

bits! {
    i32, u32, Narrow, remainder_u32;
    u32, u32, Narrow, remainder_u32;
    i64, u64, Wide, remainder_u64;
    u64, u64, Wide, remainder_u64;
}

/// `bits % width` by two multiplications, exact for all 32-bit numbers: the fraction of `bits / width` in 64 bits is
/// fine enough to give the remainder back when it is multiplied by `width`.
fn remainder_u32(width: u32) -> impl Fn(u32) -> u32 {
    let inverse = (u64::MAX / u64::from(width)).wrapping_add(1);
    move |bits| {
        let fraction = inverse.wrapping_mul(u64::from(bits));
        ((u128::from(fraction) * u128::from(width)) >> 64) as u32
    }
}

fn remainder_u64(width: u64) -> impl Fn(u64) -> u64 {
    move |bits| bits % width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainder_is_exact() {
        let points = [0, 1, 2, 3, 9, 10, 255, 256, 65_535, 65_536, 1 << 31, (1 << 31) + 1, u32::MAX - 1, u32::MAX];
        for width in points.into_iter().filter(|&w| w > 0) {
            let remainder = remainder_u32(width);
            for near in points {
                for bits in [near, near.wrapping_mul(width), near.wrapping_mul(width).wrapping_sub(1)] {
                    assert_eq!(remainder(bits), bits % width, "{bits} % {width}");
                }
            }
        }
    }
}
