//! Seeded random numbers for the property tests, and the loop that runs a property over many cases.
//! A failing case prints its seed; `EAGERFLOW_SEED` repeats it, `EAGERFLOW_HEAVY` runs two hundred times as many.

/// A small generator (splitmix64): the same numbers on every machine.
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// An integer from `low` to `high`, both included.
    pub fn between(&mut self, low: isize, high: isize) -> isize {
        low + (self.bits() % (high - low + 1) as u64) as isize
    }

    /// A size below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A float from `low` to `high`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Floats from `low` to `high`.
    pub fn floats(&mut self, len: usize, low: f64, high: f64) -> Vec<f64> {
        (0..len).map(|_| self.uniform(low, high)).collect()
    }

    /// One of the given values.
    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }

    /// The numbers below `n` in random order.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }

    /// A shape of up to `rank` dimensions of up to `size` elements; one in eight dimensions is empty.
    pub fn shape(&mut self, rank: usize, size: usize) -> Vec<usize> {
        (0..self.below(rank + 1)).map(|_| if self.one_in(8) { 0 } else { 1 + self.below(size) }).collect()
    }
}

/// Prints the seed of a case that panics.
struct Announce<'a>(&'a str, u64);

impl Drop for Announce<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("property `{}` failed; repeat it with EAGERFLOW_SEED={}", self.0, self.1);
        }
    }
}

/// Whether the long versions of tests were asked for.
pub fn heavy() -> bool {
    std::env::var_os("EAGERFLOW_HEAVY").is_some()
}

/// Runs a property over `count` random cases.
pub fn property(name: &str, count: u64, mut check: impl FnMut(&mut Random)) {
    let run = |seed: u64, check: &mut dyn FnMut(&mut Random)| {
        let _announce = Announce(name, seed);
        check(&mut Random::new(seed));
    };
    if let Some(seed) = std::env::var("EAGERFLOW_SEED").ok().and_then(|s| s.parse().ok()) {
        return run(seed, &mut check);
    }
    // The seeds of different properties are far apart.
    let first = name.bytes().fold(17u64, |h, b| h.wrapping_mul(1_000_003) ^ u64::from(b)) << 20;
    for i in 0..count * if heavy() { 200 } else { 1 } {
        run(first + i, &mut check);
    }
}
