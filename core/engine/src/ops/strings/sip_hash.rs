//! SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): a hash of bytes under a key of 128 bits.
//! `to_hash_bucket_strong` calls it; layers that hash with a salt do too.

/// Four words that are mixed, round after round.
struct State([u64; 4]);

impl State {
    fn round(&mut self) {
        let [a, b, c, d] = &mut self.0;
        *a = a.wrapping_add(*b);
        *c = c.wrapping_add(*d);
        *b = b.rotate_left(13) ^ *a;
        *d = d.rotate_left(16) ^ *c;
        *a = a.rotate_left(32);
        *c = c.wrapping_add(*b);
        *a = a.wrapping_add(*d);
        *b = b.rotate_left(17) ^ *c;
        *d = d.rotate_left(21) ^ *a;
        *c = c.rotate_left(32);
    }

    fn take(&mut self, word: u64) {
        self.0[3] ^= word;
        self.round();
        self.round();
        self.0[0] ^= word;
    }
}

/// The hash of bytes under a key.
///
/// ```
/// let key = [0x0706050403020100, 0x0f0e0d0c0b0a0908];
/// assert_eq!(eagerflow_engine::library::sip_hash(key, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]), 0xa129ca6149be45e5);
/// ```
pub fn sip_hash(key: [u64; 2], bytes: &[u8]) -> u64 {
    let [low, high] = key;
    let mut state = State([
        low ^ 0x736f_6d65_7073_6575,
        high ^ 0x646f_7261_6e64_6f6d,
        low ^ 0x6c79_6765_6e65_7261,
        high ^ 0x7465_6462_7974_6573,
    ]);
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().for_each(|word| state.take(u64::from_le_bytes(*word)));
    let tail = rest.iter().rev().fold(0, |tail, &byte| tail << 8 | u64::from(byte));
    state.take(tail | (bytes.len() as u64) << 56);
    state.0[2] ^= 0xff;
    (0..4).for_each(|_| state.round());
    state.0.into_iter().fold(0, |sum, word| sum ^ word)
}
