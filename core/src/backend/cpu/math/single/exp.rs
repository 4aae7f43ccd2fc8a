//! `exp`, `expm1` and `sigmoid` in f32, with the power-of-two scaling they share.
//! The CPU instruction loops in `backend/cpu/vector` call these per element.

use super::super::double::exp as wide;

/// 1.5 * 2^23: adding it leaves a small float rounded to an integer in the low mantissa bits.
const SHIFTER: f32 = 12_582_912.0;
/// log(2) cut to 15 bits, so that n * LN2_HI is exact for the 8-bit n met here, and the rest.
const LN2_HI: f32 = 0.693_145_75;
const LN2_LO: f32 = 1.428_606_8e-6;

/// `v` rounded to an integer, as a float and as an integer; |v| < 2^22 (otherwise both mean nothing, without a panic).
#[inline(always)]
pub fn nearest(v: f32) -> (f32, i32) {
    let t = v + SHIFTER;
    (t - SHIFTER, (t.to_bits() as i32).wrapping_sub(SHIFTER.to_bits() as i32))
}

/// 2^n for n in [-126, 127]; anything else gives some unusable float, without a panic.
#[inline(always)]
pub fn pow2(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// `x * 2^n` rounded once, for n in [-252, 254]. Two factors, because 2^n alone may leave the range of f32; the first
/// product is exact when |x| is near 1.
#[inline(always)]
pub fn scale(x: f32, n: i32) -> f32 {
    let half = n >> 1;
    x * pow2(half) * pow2(n.wrapping_sub(half))
}

/// The pieces `(r, t, n)` of exp(x) = 2^n * (1 + r + t), with |r| < 0.347 and `t` small beside `r`.
///
/// `t` is r^2 q(r), q being a degree-4 minimax polynomial for (e^r - 1 - r) / r^2 (relative error of e^r: 2^-28).
#[inline(always)]
fn parts(x: f32) -> (f32, f32, i32) {
    let (nf, n) = nearest(x * std::f32::consts::LOG2_E);
    let hi = x - nf * LN2_HI;
    let r = hi - nf * LN2_LO;
    let q = horner!(r; 0.499_999_94, 0.166_665_17, 0.041_668_102, 0.008_369_167, 0.001_383_805_4);
    (r, r * r * q, n)
}

/// e^x. Within 1 ulp for every f32, denormal results included; 0 below -103.98, inf above 88.72, nan for nan.
///
/// x = n log(2) + r, then 2^n (1 + r + r^2 q(r)).
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Comparisons are false for nan, which therefore passes both clamps and reaches the product.
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -104.0 { -104.0 } else { x };
    let (r, t, n) = parts(x);
    scale(1.0 + (r + t), n)
}

/// e^x - 1, within 1.2 ulp for every f32; keeps the sign of zero, -1 at -inf.
///
/// 2^n (r + t) + (2^n - 1), where the sum of 2^n - 1 and 2^n r keeps its rounding error. All is computed at half its
/// size, since 2^128 does not exist while e^x may still be finite for n = 128.
#[inline(always)]
pub fn expm1(x: f32) -> f32 {
    let c = if x > 89.0 { 89.0 } else { x };
    let c = if c < -18.0 { -18.0 } else { c };
    let (nf, n) = nearest(c * std::f32::consts::LOG2_E);
    let hi = c - nf * LN2_HI;
    let lo = nf * LN2_LO;
    let r = hi - lo;
    // What the subtraction lost: for n = 1 and r < 0 it would weigh a full ulp of the result.
    let lost = (hi - r) - lo;
    let q = horner!(r; 0.499_999_94, 0.166_665_17, 0.041_668_102, 0.008_369_167, 0.001_383_805_4);
    let t = r * r * q + lost;
    let half = pow2(n.wrapping_sub(1));
    let a = half - 0.5;
    let b = half * r;
    // |a| >= |b| or a = 0, so that the error of the sum is exactly b - (s - a).
    let s = a + b;
    let y = 2.0 * (s + ((b - (s - a)) + half * t));
    // Below 2^-25 the result is x itself, and halving a denormal would lose a bit.
    if x.abs() < 2.980_232_2e-8 { x } else { y }
}

/// (e^r - 1 - r) / r^2 for |r| < 0.347 in f64: the minimax polynomial of `parts`, not rounded to f32 (2^-28 of e^r).
#[inline(always)]
pub fn small_power(r: f64) -> f64 {
    horner!(r; 0.499_999_934_271_822_6, 0.166_665_203_035_247_93, 0.041_668_391_395_506_08,
        0.008_368_756_614_988_15, 0.001_381_454_840_478_635_7)
}

/// e^x for |x| < 87, where neither end of the range is near: the same bits as [`exp`] in two thirds of the time.
#[inline(always)]
pub fn exp_within(x: f32) -> f32 {
    let (r, t, n) = parts(x);
    (1.0 + (r + t)) * pow2(n)
}

/// 1 / (1 + e^-x). Within 0.6 ulp for every f32 and non-decreasing; at the low tail it follows e^x down to the
/// denormals, at the high tail it reaches 1 at 17.33.
///
/// With t = e^-|x|: 1 / (1 + t) for x >= 0 and t / (1 + t) below, so nothing overflows and nothing cancels. In f64:
/// three roundings in f32 would cost 2 ulp, and correcting them the monotony.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    let a = -f64::from(x.abs());
    let a = if a < -110.0 { -110.0 } else { a };
    let n = wide::nearest(a * std::f64::consts::LOG2_E);
    let r = a - n * std::f64::consts::LN_2;
    let t = ((1.0 + r) + r * r * small_power(r)) * wide::pow2(n);
    let top = if x < 0.0 { t } else { 1.0 };
    (top / (1.0 + t)) as f32
}
