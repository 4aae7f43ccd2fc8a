//! NumPy's `RandomState(seed).shuffle`, so that data in Keras's order of a seed come in that order here.
//! The readers of Keras's data sets and of folders of files call it.

/// Matsumoto and Nishimura's generator with 32-bit words.
pub(crate) struct RandomState {
    words: [u32; 624],
    at: usize,
}

impl RandomState {
    pub fn new(seed: u32) -> Self {
        let mut words = [seed; 624];
        for i in 1..624 {
            let last = words[i - 1];
            words[i] = (last ^ (last >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        Self { words, at: 624 }
    }

    fn word(&mut self) -> u32 {
        if self.at == 624 {
            for i in 0..624 {
                let y = self.words[i] & 0x8000_0000 | self.words[(i + 1) % 624] & 0x7fff_ffff;
                let mixed = if y & 1 == 0 { 0 } else { 0x9908_b0df };
                self.words[i] = self.words[(i + 397) % 624] ^ (y >> 1) ^ mixed;
            }
            self.at = 0;
        }
        let mut y = self.words[self.at];
        self.at += 1;
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c_5680;
        y ^= y << 15 & 0xefc6_0000;
        y ^ y >> 18
    }

    /// A number from 0 to `most`, both included: words are drawn until one is small enough.
    fn up_to(&mut self, most: u32) -> usize {
        let mask = u32::MAX >> most.leading_zeros();
        loop {
            let word = self.word() & mask;
            if word <= most {
                return word as usize;
            }
        }
    }

    /// Numbers from 0 to below `count` in random order.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for i in (1..count).rev() {
            let j = self.up_to(u32::try_from(i).unwrap_or(u32::MAX));
            order.swap(i, j.min(i));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::RandomState;

    #[test]
    fn orders_are_numpy_s() {
        let mut state = RandomState::new(113);
        assert_eq!(state.permutation(10), [9, 3, 6, 1, 0, 7, 4, 8, 2, 5]);
        assert_eq!(state.permutation(7), [5, 1, 0, 3, 6, 4, 2]);
        assert_eq!(state.permutation(1000)[..5], [291, 969, 316, 871, 202]);
    }
}
