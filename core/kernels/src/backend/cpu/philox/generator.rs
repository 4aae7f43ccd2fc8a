//! The state of `tf.random.Generator`: a counter and a key that each draw moves on by TensorFlow's rule.
//! The library's generator objects hold one and take a [`Philox`] from it for every draw.

use super::Philox;

/// A random number generator with TensorFlow's state: three 64-bit words, the counter's two and the key.
///
/// Its numbers, their order and the state after each draw are TensorFlow's for `alg="philox"`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Generator {
    position: Philox,
}

impl Generator {
    /// Counters that a draw uses up for each of its elements, whatever the distribution needs.
    pub const PER_ELEMENT: u128 = 256;

    /// `tf.random.Generator.from_seed`: the integer's words, lowest first, are the state.
    ///
    /// A small seed therefore sets the counter and leaves the key zero, so that the streams of two small seeds overlap;
    /// `tf::random::Generator::split` gives independent ones.
    pub fn from_seed(seed: i128) -> Self {
        let sign = (seed >> 127) as i64;
        Self::from_words([seed as i64, (seed >> 64) as i64, sign])
    }

    /// The generator with this state, as [`Generator::words`] gives it and checkpoints store it.
    pub fn from_words([low, high, key]: [i64; 3]) -> Self {
        Self { position: Philox::from_key_counter(key as u64, [low as u64, high as u64]) }
    }

    /// The state: the counter's lower and upper half, and the key.
    pub fn words(&self) -> [i64; 3] {
        let (key, [low, high]) = self.position.key_counter();
        [low as i64, high as i64, key as i64]
    }

    /// The stream from which the next `elements` elements are drawn, of any distribution and dtype; moves on past them.
    pub fn draw(&mut self, elements: u64) -> Philox {
        let stream = self.position;
        let position = stream.position().wrapping_add(u128::from(elements) * Self::PER_ELEMENT);
        self.position = Philox::at(position, stream.key);
        stream
    }

    /// Moves on as if `elements` elements had been drawn, `Generator.skip`.
    pub fn skip(&mut self, elements: u64) {
        self.draw(elements);
    }
}
