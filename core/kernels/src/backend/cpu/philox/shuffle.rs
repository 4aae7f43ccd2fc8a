//! Random orders: TensorFlow's stateless shuffle of a whole range, and its cipher that shuffles one index at a time.
//! The shuffling operations and the data pipeline's shuffles call it.

use super::{Philox, Stream};

/// The order in which `tf.random.experimental.stateless_shuffle` puts `size` rows: the numbers of the input rows.
///
/// This is Fisher and Yates's exchange from the front, each partner by the remainder of one word of `state`.
pub fn shuffle(state: Philox, size: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..size).collect();
    let mut words = Stream::new(state);
    for first in 0..size.saturating_sub(1) {
        // TensorFlow takes the number of remaining rows as 32 bits; beyond 2^32 rows that is a zero at times.
        let remaining = ((size - first) as u32).max(1);
        order.swap(first, first + (words.next_word() % remaining) as usize);
    }
    order
}

/// Where `tf.random.experimental.index_shuffle` sends `index` in a permutation of `0..=max_index`, without storing it.
pub fn index_shuffle(index: u64, seed: [i64; 2], max_index: u64) -> u64 {
    // `tf.random.experimental` puts this constant before the two seeds.
    index_cipher(index, [498_247_692, seed[0] as u32, seed[1] as u32], max_index, 4)
}

/// Where `tf.random_index_shuffle` sends `index` in a permutation of `0..=max_index`, without storing it; `rounds` are even, and four at
/// least.
///
/// The cipher of TensorFlow (after the Simon family) permutes the smallest range of even bit length, at least 16 bits, that has
/// `max_index`, and is repeated until the result is in range. As in TensorFlow, the map is no permutation where `max_index` is a power of
/// four from 65536 on, since `max_index` itself does not fit the range then.
pub fn index_cipher(index: u64, seed: [u32; 3], max_index: u64, rounds: usize) -> u64 {
    if max_index == 0 {
        return 0;
    }
    let bits = bits_of(max_index);
    let half = (bits + bits % 2).clamp(16, 64) / 2;
    let mask = (1u64 << half) - 1;
    let rotate_left = |x: u64, by: u32| (x << by | x >> (half - by)) & mask;
    let rotate_right = |x: u64, by: u32| (x >> by | x << (half - by)) & mask;
    let mix = |x: u64| rotate_left(x, 1) & rotate_left(x, 8) ^ rotate_left(x, 2);
    let mut value = index;
    loop {
        let (mut left, mut right) = (value >> half & mask, value & mask);
        // The next three keys of the schedule, and what is left of its constants.
        let (mut keys, mut constants) = (seed.map(|s| u64::from(s) & mask), CONSTANTS & mask);
        for _ in 0..rounds / 2 {
            for turn in [true, false] {
                let [k0, k1, k2] = keys;
                match turn {
                    true => left ^= mix(right) ^ k0,
                    false => right ^= mix(left) ^ k0,
                }
                let next = (0xFFFF_FFFC & mask) ^ (constants & 1) ^ k0 ^ rotate_right(k2, 3) ^ rotate_right(k2, 4);
                (keys, constants) = ([k1, k2, next], constants >> 1);
            }
        }
        value = left << half | right;
        if value <= max_index {
            return value;
        }
    }
}

/// The bits from which the key schedule takes one each round.
const CONSTANTS: u64 = 0x7369_f885_192c_0ef5;

/// The logarithm of a number to base 2, rounded up, as TensorFlow computes it in `f64`: near a large power of two it does not see the
/// difference. The kernel for GPUs does the same, whatever its logarithm.
fn bits_of(number: u64) -> u32 {
    let bits = (number as f64).to_bits();
    let (exponent, fraction) = ((bits >> 52) as u32 - 1023, bits & ((1 << 52) - 1));
    // From 2^32 on the logarithm has 47 bits behind the point, and log2(1 + 11 / 2^52) rounds to zero.
    let seen = if exponent >= 32 { fraction > 11 } else { fraction > 0 };
    exponent + u32::from(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_appears_once() {
        for size in [1, 2, 7, 1000] {
            let mut order = shuffle(Philox::from_seed([5, 6]), size);
            assert!(size < 1000 || order[..10] != (0..10).collect::<Vec<_>>());
            order.sort_unstable();
            assert!(order.into_iter().eq(0..size));
            let mut seen = vec![false; size];
            for i in 0..size as u64 {
                let to = index_shuffle(i, [5, 6], size as u64 - 1) as usize;
                assert!(!std::mem::replace(&mut seen[to], true), "{to} twice");
            }
        }
        assert!(shuffle(Philox::from_seed([0, 0]), 0).is_empty());
    }

    #[test]
    fn bits_are_those_of_the_logarithm() {
        let near = |power: u32| {
            (0..40u64).flat_map(move |d| [(1u64 << power) + d, (1u64 << power) - 1 - d.min((1u64 << power) - 2)])
        };
        for number in (2..64).flat_map(near).chain([u64::MAX, 3, 1_000_003]) {
            assert_eq!(bits_of(number), (number as f64).log2().ceil() as u32, "{number}");
        }
        assert_eq!(bits_of(1), 0);
    }

    #[test]
    fn tensorflow_orders() {
        assert_eq!(shuffle(Philox::from_seed([1, 2]), 10), [0, 3, 8, 1, 5, 4, 9, 7, 6, 2]);
        let order: Vec<u64> = (0..10).map(|i| index_shuffle(i, [1, 2], 9)).collect();
        assert_eq!(order, [5, 0, 1, 4, 3, 6, 9, 8, 7, 2]);
    }
}
