//! `log` and `log1p` in f64.
//! The CPU instruction loops in `backend/cpu/vector` call these per element.

use super::exp::pow2;

/// log(2) cut to 32 bits, so that k * LN2_HI is exact, and the rest.
const LN2_HI: f64 = 0.693_147_180_369_123_8;
const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
/// The bits of sqrt(1/2): mantissas are taken from [sqrt(1/2), sqrt(2)), where log changes sign inside, not at an end.
const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
/// The exponent field of a float.
const EXPONENT: u64 = 0xfff << 52;
/// The bits of 2^52: with a small integer in the mantissa, the float 2^52 + integer.
const BITS_OF_2_52: u64 = 0x4330 << 48;

/// `(k, m)` with a positive normal number of these bits = 2^k m, m in [sqrt(1/2), sqrt(2)). Logical shifts only, and k
/// as a float by its bits: the baseline CPUs have neither 64-bit arithmetic shifts nor conversions.
#[inline(always)]
pub fn split(bits: u64) -> (f64, f64) {
    let above = bits.wrapping_sub(SQRT_HALF);
    let m = f64::from_bits(bits.wrapping_sub(above & EXPONENT));
    let biased = above.wrapping_add(1023 << 52) >> 52;
    (f64::from_bits(biased | BITS_OF_2_52) - (4_503_599_627_370_496.0 + 1023.0), m)
}

/// log(2^k (1 + f)) + `low` / (1 + f), `low` being tiny.
///
/// With s = f / (2 + f), log(1 + f) = f - (f^2/2 - s (f^2/2 + s^2 r(s^2))), r a degree-6 minimax polynomial (2^-59).
#[inline(always)]
fn combine(k: f64, f: f64, low: f64) -> f64 {
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = horner!(w; 0.666_666_666_666_673_5, 0.285_714_287_441_512, 0.181_835_751_976_988_12,
        0.147_990_715_586_758_55);
    let odd = horner!(w; 0.399_999_999_994_074_3, 0.222_221_983_776_954_07, 0.153_137_550_943_468_2);
    let r = z * (even + z * odd);
    let half = 0.5 * f * f;
    // 1/(1 + f) = (1 - s)/(1 + s), to the few digits that `low` needs.
    let y = s * (half + r) - half + low * ((1.0 - s) * (1.0 - s + z));
    // The big exact part first, its rounding error kept: |k LN2_HI| > |f| unless k = 0, where the error is 0.
    let big = k * LN2_HI;
    let sum = big + f;
    sum + ((f - (sum - big)) + (y + k * LN2_LO))
}

/// The natural logarithm, within 1 ulp for every f64, denormals included; log(0) = -inf, nan below 0.
///
/// x = 2^k (1 + f), then k log(2) + log(1 + f).
#[inline(always)]
pub fn log(x: f64) -> f64 {
    let tiny = x < f64::MIN_POSITIVE;
    let scaled = if tiny { x * 18_014_398_509_481_984.0 } else { x };
    let (k, m) = split(scaled.to_bits());
    let y = combine(k - if tiny { 54.0 } else { 0.0 }, m - 1.0, 0.0);
    // inf and nan fail the comparison and pass through.
    let y = if x < f64::INFINITY { y } else { x };
    let y = if x < 0.0 { f64::NAN } else { y };
    if x == 0.0 { f64::NEG_INFINITY } else { y }
}

/// log(1 + x), within 1 ulp for every f64; keeps the sign of zero, -inf at -1, nan below.
///
/// u = 1 + x is split as in `log`; what the sum lost, c, comes back as c/u.
#[inline(always)]
pub fn log1p(x: f64) -> f64 {
    let u = 1.0 + x;
    let kept = u - 1.0;
    let c = (1.0 - (u - kept)) + (x - kept);
    let (k, m) = split(u.to_bits());
    // c <= 1: beyond k = 100 it no longer counts, and 2^-k must stay a normal number.
    let y = combine(k, m - 1.0, c * pow2(-(if k > 100.0 { 100.0 } else { k })));
    let y = if x < f64::INFINITY { y } else { x };
    let y = if x < -1.0 { f64::NAN } else { y };
    let y = if x == -1.0 { f64::NEG_INFINITY } else { y };
    // Below 2^-54 the result is x itself, -0 included.
    if x.abs() < 5.551_115_123_125_783e-17 { x } else { y }
}
