//! FarmHash's `Fingerprint64`: 64 bits that stand for a string, the same on every machine and for good.
//! `to_hash_bucket_fast` takes its remainder. After Pike and Alakuijala's FarmHash, the variant for any processor.

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

/// Eight bytes from a place that has them.
fn word(s: &[u8], at: usize) -> u64 {
    s[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Four bytes from a place that has them.
fn half(s: &[u8], at: usize) -> u64 {
    s[at..].first_chunk().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)))
}

const fn shift_mix(v: u64) -> u64 {
    v ^ v >> 47
}

/// Two words made one.
const fn both(u: u64, v: u64, by: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(by));
    shift_mix((v ^ a).wrapping_mul(by)).wrapping_mul(by)
}

/// Four words of the string from `at` and two seeds made two.
fn weak(s: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let [w, x, y, z] = [0, 8, 16, 24].map(|i| word(s, at + i));
    let a = a.wrapping_add(w);
    let b = b.wrapping_add(a).wrapping_add(z).rotate_right(21);
    let sum = a.wrapping_add(x).wrapping_add(y);
    (sum.wrapping_add(z), b.wrapping_add(sum.rotate_right(44)).wrapping_add(a))
}

fn up_to_16(s: &[u8]) -> u64 {
    let len = s.len();
    let by = K2.wrapping_add(2 * len as u64);
    match len {
        8.. => {
            let (a, b) = (word(s, 0).wrapping_add(K2), word(s, len - 8));
            let c = b.rotate_right(37).wrapping_mul(by).wrapping_add(a);
            let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(by);
            both(c, d, by)
        }
        4.. => both((len as u64).wrapping_add(half(s, 0) << 3), half(s, len - 4), by),
        1.. => {
            let y = u64::from(s[0]) + (u64::from(s[len / 2]) << 8);
            let z = len as u64 + (u64::from(s[len - 1]) << 2);
            shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
        }
        0 => K2,
    }
}

fn up_to_32(s: &[u8]) -> u64 {
    let len = s.len();
    let by = K2.wrapping_add(2 * len as u64);
    let (a, b) = (word(s, 0).wrapping_mul(K1), word(s, 8));
    let (c, d) = (word(s, len - 8).wrapping_mul(by), word(s, len - 16).wrapping_mul(K2));
    let first = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    both(first, a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c), by)
}

fn up_to_64(s: &[u8]) -> u64 {
    let len = s.len();
    let by = K2.wrapping_add(2 * len as u64);
    let (a, b) = (word(s, 0).wrapping_mul(K2), word(s, 8));
    let (c, d) = (word(s, len - 8).wrapping_mul(by), word(s, len - 16).wrapping_mul(K2));
    let y = a.wrapping_add(b).rotate_right(43).wrapping_add(c.rotate_right(30)).wrapping_add(d);
    let z = both(y, a.wrapping_add(b.wrapping_add(K2).rotate_right(18)).wrapping_add(c), by);
    let (e, f) = (word(s, 16).wrapping_mul(by), word(s, 24));
    let g = y.wrapping_add(word(s, len - 32)).wrapping_mul(by);
    let h = z.wrapping_add(word(s, len - 24)).wrapping_mul(by);
    let first = e.wrapping_add(f).rotate_right(43).wrapping_add(g.rotate_right(30)).wrapping_add(h);
    both(first, e.wrapping_add(f.wrapping_add(a).rotate_right(18)).wrapping_add(g), by)
}

/// What a long string is mixed into, 64 bytes at a time.
struct State {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

impl State {
    /// Mixes the 64 bytes from `at`; the last ones count `last` times more.
    fn mix(&mut self, s: &[u8], at: usize, by: u64, last: u64) {
        let Self { x, y, z, v, w } = self;
        *x = x.wrapping_add(*y).wrapping_add(v.0).wrapping_add(word(s, at + 8)).rotate_right(37).wrapping_mul(by);
        *y = y.wrapping_add(v.1).wrapping_add(word(s, at + 48)).rotate_right(42).wrapping_mul(by);
        *x ^= w.1.wrapping_mul(last);
        *y = y.wrapping_add(v.0.wrapping_mul(last)).wrapping_add(word(s, at + 40));
        *z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(by);
        *v = weak(s, at, v.1.wrapping_mul(by), x.wrapping_add(w.0));
        *w = weak(s, at + 32, z.wrapping_add(w.1), y.wrapping_add(word(s, at + 16)));
        std::mem::swap(z, x);
    }
}

/// The fingerprint of a string.
pub fn fingerprint(s: &[u8]) -> u64 {
    const SEED: u64 = 81;
    let len = s.len();
    match len {
        0..=16 => return up_to_16(s),
        17..=32 => return up_to_32(s),
        33..=64 => return up_to_64(s),
        _ => {}
    }
    let y = SEED.wrapping_mul(K1).wrapping_add(113);
    let z = shift_mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2);
    let mut state = State { x: SEED.wrapping_mul(K2).wrapping_add(word(s, 0)), y, z, v: (0, 0), w: (0, 0) };
    let blocks = (len - 1) / 64;
    (0..blocks).for_each(|block| state.mix(s, 64 * block, K1, 1));
    let by = K1.wrapping_add((state.z & 0xff) << 1);
    state.w.0 = state.w.0.wrapping_add(((len - 1) & 63) as u64);
    state.v.0 = state.v.0.wrapping_add(state.w.0);
    state.w.0 = state.w.0.wrapping_add(state.v.0);
    state.mix(s, len - 64, by, 9);
    let State { x, y, z, v, w } = state;
    let first = both(v.0, w.0, by).wrapping_add(shift_mix(y).wrapping_mul(K0)).wrapping_add(z);
    both(first, both(v.1, w.1, by).wrapping_add(x), by)
}
