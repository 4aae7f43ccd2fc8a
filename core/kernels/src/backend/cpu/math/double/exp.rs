//! `exp`, `expm1` and `sigmoid` in f64, with the power-of-two scaling they share.
//! The CPU instruction loops in `backend/cpu/vector` call these per element.

use std::f64::consts::LOG2_E;

/// 1.5 * 2^52: adding it leaves a float rounded to an integer in the low mantissa bits.
const SHIFTER: f64 = 6_755_399_441_055_744.0;
/// log(2) cut to 32 bits, so that n * LN2_HI is exact for the 11-bit n met here, and the rest.
const LN2_HI: f64 = 0.693_147_180_369_123_8;
const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;

/// `v` rounded to an integer; |v| < 2^51 (otherwise it means nothing, without a panic).
#[inline(always)]
pub fn nearest(v: f64) -> f64 {
    (v + SHIFTER) - SHIFTER
}

/// 2^n for an integral n in [-1022, 1023]; anything else gives some unusable float, without a panic. From a float,
/// because the baseline CPUs have no 64-bit integer conversions.
#[inline(always)]
pub fn pow2(n: f64) -> f64 {
    f64::from_bits((n + (SHIFTER + 1023.0)).to_bits() << 52)
}

/// A float whose low bits are those of the integer n + 1023, for n = `v` rounded to an integer, |v| < 2^51.
#[inline(always)]
pub fn biased(v: f64) -> f64 {
    v + (SHIFTER + 1023.0)
}

/// n of [`biased`].
#[inline(always)]
pub fn unbiased(t: f64) -> f64 {
    t - (SHIFTER + 1023.0)
}

/// 2^n of [`biased`].
#[inline(always)]
pub fn pow2_biased(t: f64) -> f64 {
    f64::from_bits(t.to_bits() << 52)
}

/// `x * 2^n` rounded once, for an integral n in [-2044, 2046]. Two factors, because 2^n alone may leave the range of
/// f64; the first product is exact when |x| is near 1.
#[inline(always)]
pub fn scale(x: f64, n: f64) -> f64 {
    let half = nearest(0.5 * n);
    x * pow2(half) * pow2(n - half)
}

/// The pieces `(r, t, n)` of exp(x) = 2^n * (1 + r + t), with |r| < 0.347 and `t` small beside `r`.
///
/// `t` is r^2 q(r) plus what r lost, q being a degree-9 minimax polynomial for (e^r - 1 - r) / r^2 (relative error of
/// e^r: 2^-57).
#[inline(always)]
pub fn parts(x: f64) -> (f64, f64, f64) {
    let n = nearest(x * LOG2_E);
    let hi = x - n * LN2_HI;
    let lo = n * LN2_LO;
    let r = hi - lo;
    // Without it expm1 would be a full ulp worse for n = 1 and r < 0.
    let lost = (hi - r) - lo;
    let z = r * r;
    // Even and odd halves: the chain of dependent operations is what bounds this loop.
    let even = horner!(z; 0.500_000_000_000_001_1, 0.041_666_666_666_529_68, 0.001_388_888_894_377_266_3,
        2.480_149_293_763_812e-5, 2.763_031_020_523_075_5e-7);
    let odd = horner!(z; 0.166_666_666_666_664_13, 0.008_333_333_333_494_739, 1.984_126_950_629_043_6e-4,
        2.755_758_633_734_739e-6, 2.500_016_821_511_607_7e-8);
    (r, z * (even + r * odd) + lost, n)
}

/// e^x. Within 1 ulp for every f64, denormal results included; 0 below -745.14, inf above 709.79, nan for nan.
///
/// x = n log(2) + r, then 2^n (1 + r + r^2 q(r)).
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    // Comparisons are false for nan, which therefore passes both clamps and reaches the product.
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let (r, t, n) = parts(x);
    scale(1.0 + (r + t), n)
}

/// 2^n (1 + r + t) - 1 from `parts` and what the last sum lost, at half its size: 2^1024 does not exist while e^x may
/// still be finite. The sum of 2^n - 1 and 2^n r keeps its rounding error.
#[inline(always)]
pub fn minus_one((r, t, n): (f64, f64, f64)) -> (f64, f64) {
    let half = pow2(n - 1.0);
    let a = half - 0.5;
    let b = half * r;
    // |a| >= |b| or a = 0, so that the error of the sum is exactly b - (s - a).
    let s = a + b;
    let low = (b - (s - a)) + half * t;
    let y = s + low;
    (y, low - (y - s))
}

/// e^x - 1, within 1.5 ulp for every f64; keeps the sign of zero, -1 at -inf.
#[inline(always)]
pub fn expm1(x: f64) -> f64 {
    let c = if x > 710.0 { 710.0 } else { x };
    let c = if c < -40.0 { -40.0 } else { c };
    let y = 2.0 * minus_one(parts(c)).0;
    // Below 2^-54 the result is x itself, and halving a denormal would lose a bit.
    if x.abs() < 5.551_115_123_125_783e-17 { x } else { y }
}

/// 1 / (1 + e^-x). Within 2 ulp for every f64 and non-decreasing at the tails; the low one follows e^x down to the
/// denormals, the high one reaches 1 at 37.
///
/// With t = e^-|x|: 1 / (1 + t) for x >= 0 and t / (1 + t) below, so nothing overflows and nothing cancels. Below 0
/// what t and 1 + t lost is brought back in; above, the plain form falls as t grows, whatever the roundings.
#[inline(always)]
pub fn sigmoid(x: f64) -> f64 {
    let a = -x.abs();
    let a = if a < -746.0 { -746.0 } else { a };
    let (r, p, n) = parts(a);
    let w = r + p;
    let e = 1.0 + w;
    let e_lost = (w - (e - 1.0)) + ((r - w) + p);
    let t = scale(e, n);
    let d = 1.0 + t;
    let below = x < 0.0;
    let y = if below { t } else { 1.0 } / d;
    // A relative correction of 2^-53 needs few digits: 1/e^r = 1 - r + r^2/2, and 1/d = 1 - t/d.
    let e_part = e_lost * ((1.0 - r) + 0.5 * r * r);
    let d_part = ((t - (d - 1.0)) + t * e_part) * (1.0 - y);
    if below { y + y * (e_part - d_part) } else { y }
}
