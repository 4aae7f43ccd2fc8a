//! `log` and `log1p` in f32.
//! The CPU instruction loops in `backend/cpu/vector` call these per element.

use super::exp::pow2;

/// log(2) cut to 15 bits, so that k * LN2_HI is exact, and the rest.
const LN2_HI: f32 = 0.693_145_75;
const LN2_LO: f32 = 1.428_606_8e-6;
/// The bits of sqrt(1/2): mantissas are taken from [sqrt(1/2), sqrt(2)), where log changes sign inside, not at an end.
const SQRT_HALF: u32 = 0x3f35_04f3;

/// `(k, m - 1)` with a positive normal number of these bits = 2^k m, m in [sqrt(1/2), sqrt(2)).
#[inline(always)]
fn split(bits: u32) -> (i32, f32) {
    let k = (bits.wrapping_sub(SQRT_HALF) as i32) >> 23;
    let m = f32::from_bits(bits.wrapping_sub((k << 23) as u32));
    (k, m - 1.0)
}

/// log(2^k (1 + f)) + `low`, `low` small. log(1 + f) is f - f^2/2 + f^3 p(f), p a degree-7 minimax polynomial (2^-27).
#[inline(always)]
fn combine(kf: f32, f: f32, low: f32) -> f32 {
    let z = f * f;
    // Even and odd halves: the chain of dependent operations is what bounds this loop.
    let even = horner!(z; 0.333_333_3, 0.200_012_65, 0.142_006_47, 0.127_709_24);
    let odd = horner!(z; -0.250_008_26, -0.166_231_96, -0.131_608_83, -0.076_448_135);
    let y = (z * f) * (even + f * odd) - 0.5 * z;
    // The big exact part first, its rounding error kept: |k LN2_HI| > |f| unless k = 0, where the error is 0.
    let big = kf * LN2_HI;
    let s = big + f;
    s + ((f - (s - big)) + (y + (low + kf * LN2_LO)))
}

/// The natural logarithm, within 0.9 ulp for every f32, denormals included; log(0) = -inf, nan below 0.
///
/// x = 2^k (1 + f), then k log(2) + log(1 + f).
#[inline(always)]
pub fn log(x: f32) -> f32 {
    let tiny = x < f32::MIN_POSITIVE;
    let scaled = if tiny { x * 8_388_608.0 } else { x };
    let (k, f) = split(scaled.to_bits());
    let y = combine(k as f32 - if tiny { 23.0 } else { 0.0 }, f, 0.0);
    // inf and nan fail the comparison and pass through.
    let y = if x < f32::INFINITY { y } else { x };
    let y = if x < 0.0 { f32::NAN } else { y };
    if x == 0.0 { f32::NEG_INFINITY } else { y }
}

/// log(1 + x), within 1 ulp for every f32; keeps the sign of zero, -inf at -1, nan below.
///
/// u = 1 + x is split as in `log`; what the sum lost, c, comes back as c/u, where 1/(1 + f) = 1 - f + f^2 is enough.
#[inline(always)]
pub fn log1p(x: f32) -> f32 {
    let u = 1.0 + x;
    let kept = u - 1.0;
    let c = (1.0 - (u - kept)) + (x - kept);
    let (k, f) = split(u.to_bits());
    // c <= 1: beyond k = 64 it no longer counts, and 2^-k must stay a normal number.
    let down = c * pow2(-(if k > 64 { 64 } else { k }));
    let y = combine(k as f32, f, down * (1.0 - f + f * f));
    let y = if x < f32::INFINITY { y } else { x };
    let y = if x < -1.0 { f32::NAN } else { y };
    let y = if x == -1.0 { f32::NEG_INFINITY } else { y };
    // Below 2^-25 the result is x itself, -0 included.
    if x.abs() < 2.980_232_2e-8 { x } else { y }
}
