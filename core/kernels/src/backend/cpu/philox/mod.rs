//! TensorFlow's random numbers: the Philox4x32-10 counter generator, number for number, and its distributions.
//! The random operations and initialisers call it with a [`Philox`] state and the element at which their share begins.
//!
//! Every kernel here is a pure function of a state and an element number. A large output may therefore be cut anywhere
//! and its parts drawn by any thread in any order; cuts at multiples of [`BATCH`] elements are the fast ones.

mod batch;
mod bounded;
mod generator;
mod integers;
mod laws;
mod math;
mod normal;
mod op_seeds;
mod shuffle;
#[cfg(test)]
mod tests;
mod uniform;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use bounded::{Bounded, NotDrawn, Sampled, bounded_normal};
pub use generator::Generator;
pub use integers::{uniform_full, uniform_int};
pub use laws::{binomial, category, gamma, poisson, running_chances};
pub use normal::{normal, truncated_normal};
pub use op_seeds::OpSeeds;
pub use shuffle::{index_cipher, index_shuffle, shuffle};
#[cfg(test)]
pub use uniform::Real;
pub use uniform::uniform;

/// The elements that the kernels draw at once: a multiple of every distribution's group.
pub const BATCH: usize = 4 * batch::LANES;

/// The position in a Philox stream: a 128-bit counter, lowest word first, under a 64-bit key.
///
/// Each counter value yields four 32-bit words, a group; the kernels count their groups from this position.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct Philox {
    counter: [u32; 4],
    key: [u32; 2],
}

impl Philox {
    /// The stream of a `tf.random.stateless_*` seed.
    ///
    /// TensorFlow scrambles the seed with one Philox call under a fixed key, so that seeds that differ in one bit give
    /// unrelated keys (`StatelessRandomGetKeyCounter`); a seed of `int32` is widened with its sign first.
    pub fn from_seed(seed: [i64; 2]) -> Self {
        let [low, high] = seed.map(|s| s as u64);
        let unscrambled = Self::from_key_counter(0x0246_1e29_3ec8_f720, [low, high]);
        let [key0, key1, counter2, counter3] = unscrambled.block();
        Self { counter: [0, 0, counter2, counter3], key: [key0, key1] }
    }

    /// The generator from the 64-bit words in which TensorFlow's kernels take it.
    pub const fn from_key_counter(key: u64, counter: [u64; 2]) -> Self {
        let [low, high] = counter;
        Self {
            counter: [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32],
            key: [key as u32, (key >> 32) as u32],
        }
    }

    /// The key and the counter as TensorFlow's 64-bit words.
    pub const fn key_counter(&self) -> (u64, [u64; 2]) {
        let [c0, c1, c2, c3] = self.counter;
        (pair(self.key[0], self.key[1]), [pair(c0, c1), pair(c2, c3)])
    }

    /// The state `groups` groups further on.
    pub const fn skip(&self, groups: u64) -> Self {
        Self::at(self.position().wrapping_add(groups as u128), self.key)
    }

    /// The four words at this position.
    pub fn block(&self) -> [u32; 4] {
        let (_, counter) = self.key_counter();
        let [[first], [last]] = batch::rounds(counter.map(|c| [c]), self.key);
        batch::split(first, last)
    }

    const fn position(&self) -> u128 {
        let (_, [low, high]) = self.key_counter();
        low as u128 | (high as u128) << 64
    }

    const fn at(position: u128, key: [u32; 2]) -> Self {
        let p = position;
        Self { counter: [p as u32, (p >> 32) as u32, (p >> 64) as u32, (p >> 96) as u32], key }
    }
}

const fn pair(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}

/// The words of a stream one after the other, for the draws that take as many as they need.
pub struct Stream {
    state: Philox,
    block: [u32; 4],
    used: usize,
}

impl Stream {
    /// All words from `state` on.
    pub fn new(state: Philox) -> Self {
        Self { state, block: [0; 4], used: 4 }
    }

    /// The next word.
    #[inline]
    pub fn next_word(&mut self) -> u32 {
        if self.used == 4 {
            self.block = self.state.block();
            self.state = self.state.skip(1);
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }
}
