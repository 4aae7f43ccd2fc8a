//! The seeds of `tf.random.set_seed`: one stream for each random operation that brings no generator of its own.
//! The library's global random state holds an [`OpSeeds`] and asks it at every such operation.

use super::Generator;

/// TensorFlow reduces seeds modulo this number, the greatest 32-bit integer.
const MODULUS: i64 = i32::MAX as i64;

/// The global seed that stands behind an operation's own seed while none has been set.
const DEFAULT_GLOBAL: i64 = 87_654_321;

/// The state that `tf.random.set_seed` resets: the global seed and the sequence of operation seeds that follows it.
///
/// In eager TensorFlow each random operation without a `seed` takes the next number of Python's `random.Random`,
/// seeded with the global seed, as its own; the two make the Philox stream. This is the same sequence.
#[derive(Clone, Debug)]
pub struct OpSeeds {
    global: i64,
    twister: Twister,
}

impl OpSeeds {
    /// The state after `tf.random.set_seed(seed)`.
    pub fn new(seed: i64) -> Self {
        Self { global: seed, twister: Twister::new(seed.unsigned_abs()) }
    }

    /// The global seed.
    pub fn global(&self) -> i64 {
        self.global
    }

    /// Where the sequence stands: Python's words of `random.getstate()`, the number of those used at the end.
    pub fn words(&self) -> Vec<u32> {
        self.twister.state.iter().copied().chain([self.twister.used as u32]).collect()
    }

    /// The state with this global seed and these [`words`](Self::words), if they are as many as must be.
    pub fn from_words(global: i64, words: &[u32]) -> Option<Self> {
        let (&used, state) = words.split_last()?;
        let state = Box::new(<[u32; SIZE]>::try_from(state).ok()?);
        let used = usize::try_from(used).ok().filter(|&used| used <= SIZE)?;
        Some(Self { global, twister: Twister { state, used } })
    }

    /// The stream of the next operation that has no seed.
    ///
    /// TensorFlow never uses such a stream for a second operation, but for its rule for the rest of it see
    /// [`OpSeeds::seeded_stream`].
    pub fn next_stream(&mut self) -> Generator {
        // Python draws a number below 2^31 as 32 bits that are drawn again while they are greater.
        let op_seed = loop {
            let word = self.twister.next();
            if word >> 31 == 0 {
                break word;
            }
        };
        Self::seeded_stream(Some(self.global), i64::from(op_seed))
    }

    /// The stream of an operation with a seed of its own, under the global seed if one has been set.
    ///
    /// TensorFlow keeps such a stream with the kernel: the same operation with the same seed goes on where it stopped,
    /// until `set_seed` is called. The caller has to keep it likewise, one for each operation, element type and seed.
    pub fn seeded_stream(global: Option<i64>, op_seed: i64) -> Generator {
        match (global.unwrap_or(DEFAULT_GLOBAL).rem_euclid(MODULUS), op_seed.rem_euclid(MODULUS)) {
            // TensorFlow's kernels take two zeros for the wish to be seeded at random.
            (0, 0) => Generator::from_words([0, MODULUS, 0]),
            (global, op_seed) => Generator::from_words([0, op_seed, global]),
        }
    }
}

const SIZE: usize = 624;

/// The Mersenne Twister MT19937, as Python seeds it with an integer.
#[derive(Clone)]
struct Twister {
    state: Box<[u32; SIZE]>,
    used: usize,
}

impl std::fmt::Debug for Twister {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Twister").field("used", &self.used).finish_non_exhaustive()
    }
}

impl Twister {
    /// Python ignores the sign of a seed, and hands its 32-bit words, lowest first, to the reference seeding by array.
    fn new(seed: u64) -> Self {
        let words = [seed as u32, (seed >> 32) as u32];
        let words = if words[1] == 0 { &words[..1] } else { &words[..] };
        let mut state = Box::new([19_650_218u32; SIZE]);
        let mixed = |state: &[u32; SIZE], i: usize| state[i - 1] ^ state[i - 1] >> 30;
        for i in 1..SIZE {
            state[i] = mixed(&state, i).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        let mut i = 1;
        let advance = |state: &mut [u32; SIZE], i: &mut usize| {
            *i += 1;
            if *i == SIZE {
                state[0] = state[SIZE - 1];
                *i = 1;
            }
        };
        for step in 0..SIZE {
            let j = step % words.len();
            let mix = mixed(&state, i).wrapping_mul(1_664_525);
            state[i] = (state[i] ^ mix).wrapping_add(words[j]).wrapping_add(j as u32);
            advance(&mut state, &mut i);
        }
        for _ in 1..SIZE {
            let mix = mixed(&state, i).wrapping_mul(1_566_083_941);
            state[i] = (state[i] ^ mix).wrapping_sub(i as u32);
            advance(&mut state, &mut i);
        }
        state[0] = 0x8000_0000;
        Self { state, used: SIZE }
    }

    fn next(&mut self) -> u32 {
        if self.used == SIZE {
            for i in 0..SIZE {
                let pair = self.state[i] & 0x8000_0000 | self.state[(i + 1) % SIZE] & 0x7FFF_FFFF;
                let twist = if pair & 1 == 1 { 0x9908_B0DF } else { 0 };
                self.state[i] = self.state[(i + 397) % SIZE] ^ pair >> 1 ^ twist;
            }
            self.used = 0;
        }
        let mut y = self.state[self.used];
        self.used += 1;
        y ^= y >> 11;
        y ^= y << 7 & 0x9D2C_5680;
        y ^= y << 15 & 0xEFC6_0000;
        y ^ y >> 18
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_numbers() {
        // random.Random(seed).randint(0, 2**31 - 1)
        let cases = [(42, 478_163_327), (1234, 1_892_932_127), (0, 1_654_615_998), (-5, 1_097_127_993)];
        for (seed, right) in cases.into_iter().chain([(1 << 40, 445_128_065)]) {
            let [_, op_seed, global] = OpSeeds::new(seed).next_stream().words();
            assert_eq!((op_seed, global), (right, seed.rem_euclid(MODULUS)), "{seed}");
        }
        let mut seeds = OpSeeds::new(42);
        let many: Vec<i64> = (0..1000).map(|_| seeds.next_stream().words()[1]).collect();
        assert_eq!(many[997..], [815_221_547, 524_671_997, 1_952_996_248]);
    }

    #[test]
    fn words_are_the_whole_state() {
        let mut seeds = OpSeeds::new(9);
        for used in [0, 1, SIZE - 2, 1, 1, 1] {
            for _ in 0..used {
                seeds.next_stream();
            }
            let mut again = OpSeeds::from_words(seeds.global(), &seeds.words()).expect("as many as must be");
            let mut same = seeds.clone();
            assert!((0..SIZE).all(|_| again.next_stream() == same.next_stream()));
        }
        let mut words = seeds.words();
        assert!(OpSeeds::from_words(9, &words[1..]).is_none() && OpSeeds::from_words(9, &[]).is_none());
        words[SIZE] = SIZE as u32 + 1;
        assert!(OpSeeds::from_words(9, &words).is_none());
    }

    #[test]
    fn seeds_of_operations() {
        assert_eq!(OpSeeds::seeded_stream(Some(42), 7).words(), [0, 7, 42]);
        assert_eq!(OpSeeds::seeded_stream(None, -1).words(), [0, MODULUS - 1, 87_654_321]);
        assert_eq!(OpSeeds::seeded_stream(Some(0), MODULUS).words(), [0, MODULUS, 0]);
    }
}
