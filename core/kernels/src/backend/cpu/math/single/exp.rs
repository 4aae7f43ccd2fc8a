//! `exp`, `expm1` and `sigmoid` in f32, with the power-of-two scaling they share.
//! The CPU instruction loops in `backend/cpu/vector` call these per element.

#![allow(
    clippy::redundant_closure,
    reason = "closures are inlined with the features of the loop around; paths need not be"
)]

use super::super::double::exp as wide;
use super::super::fused::{Arithmetic, one};
use super::lanes::{Lanes, slice};

/// 1.5 * 2^23: adding it leaves a small float rounded to an integer in the low mantissa bits.
const SHIFTER: f32 = 12_582_912.0;
/// log(2) cut to 15 bits, so that n * LN2_HI is exact for the 8-bit n met here, and the rest.
pub const LN2_HI: f32 = 0.693_145_75;
pub const LN2_LO: f32 = 1.428_606_8e-6;
/// q of `power`.
pub const POWER: [f32; 5] = [0.499_999_94, 0.166_665_17, 0.041_668_102, 0.008_369_167, 0.001_383_805_4];

/// `v` rounded to an integer, as a float and as an integer; |v| < 2^22 (otherwise both mean nothing, without a panic).
#[inline(always)]
fn nearest(v: f32) -> (f32, i32) {
    let t = v + SHIFTER;
    (t - SHIFTER, (t.to_bits() as i32).wrapping_sub(SHIFTER.to_bits() as i32))
}

/// 2^n for n in [-126, 127]; anything else gives some unusable float, without a panic.
#[inline(always)]
pub fn pow2(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// `(t, n)`: n is x log2(e) rounded to an integer, t a float whose low bits are those of the integer n + `bias`.
#[inline(always)]
pub fn rounded<A: Arithmetic, const N: usize>(x: Lanes<N>, bias: f32) -> (Lanes<N>, Lanes<N>) {
    let t = x.map(|x| A::fma(x, std::f32::consts::LOG2_E, SHIFTER + bias));
    (t, t.map(|t| t - (SHIFTER + bias)))
}

/// e^(x - n log(2)) for |x - n log(2)| < 0.347.
///
/// 1 + r + r^2 q(r), q being a degree-4 minimax polynomial for (e^r - 1 - r) / r^2 (relative error of e^r: 2^-28).
#[inline(always)]
pub fn power<A: Arithmetic, const N: usize>(x: Lanes<N>, n: Lanes<N>) -> Lanes<N> {
    let r = x.less::<A>(n, LN2_HI).less::<A>(n, LN2_LO);
    r.zip(r.horner::<A, _>(POWER), |r, q| A::power(r, q))
}

one! {
    /// e^x. Within 0.9 ulp for every f32, denormal results included; 0 below -103.98, inf above 88.72, nan for nan.
    ///
    /// x = n log(2) + r, then 2^n e^r. Between neighbouring floats it may step down by one last place (2924 times in all).
    exp = exp_lanes
}

/// `exp` inside a loop that is compiled for the instruction set of `A`.
#[inline(always)]
pub fn exp_in<A: Arithmetic>(x: f32) -> f32 {
    exp_lanes::<A, 1>(Lanes([x])).0[0]
}

/// `exp` of lanes.
#[inline(always)]
pub fn exp_lanes<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N> {
    // Comparisons are false for nan, which therefore passes both clamps and reaches the product.
    let x = x.map(|x| if x > 89.0 { 89.0 } else { x }).map(|x| if x < -104.0 { -104.0 } else { x });
    let (t, n) = rounded::<A, N>(x, 254.0);
    scaled(power::<A, N>(x, n), t)
}

/// y 2^n for the t of `rounded` with a bias of 254.
///
/// Two factors, since 2^n may leave the range of f32: the halves of n + 254, one rounded down and one up, are their exponents as they
/// stand. The first product is exact.
#[inline(always)]
pub fn scaled<const N: usize>(y: Lanes<N>, t: Lanes<N>) -> Lanes<N> {
    let down = |t: f32| f32::from_bits(t.to_bits() >> 1 << 23);
    let up = |t: f32| f32::from_bits(t.to_bits().wrapping_add(1) >> 1 << 23);
    y.zip(t, |y, t| y * down(t) * up(t))
}

slice! {
    /// `exp` of each element.
    exp_slice = exp_lanes
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

/// (e^r - 1 - r) / r^2 for |r| < 0.347 in f64: the minimax polynomial of `power`, not rounded to f32 (2^-28 of e^r).
///
/// Its first number is 2e-11 less than the minimax one: with that one, one float's `sigmoid` depended on how products and
/// sums round.
#[inline(always)]
pub fn small_power<A: Arithmetic>(r: f64) -> f64 {
    let c = [0.499_999_934_251_822_6, 0.166_665_203_035_247_93, 0.041_668_391_395_506_08, 0.008_368_756_614_988_15];
    let q = A::wide(r, 0.001_381_454_840_478_635_7, c[3]);
    A::wide(r, A::wide(r, A::wide(r, q, c[2]), c[1]), c[0])
}

one! {
    /// 1 / (1 + e^-x). Within 0.6 ulp for every f32 and non-decreasing; at the low tail it follows e^x down to the
    /// denormals, at the high tail it reaches 1 at 17.33.
    ///
    /// In f64, where e^110 is far from overflowing and 1 / (1 + e^110) far below every f32: three roundings in f32 would
    /// cost 2 ulp, and correcting them the monotony. Fused or not, the f64 quotients round to the same f32 for every x:
    /// all were compared.
    sigmoid = sigmoid_lanes
}

#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "lanes by number, as in `Lanes`")]
fn sigmoid_lanes<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N> {
    // Comparisons are false for nan, which passes both clamps.
    let a = x.map(|x| if -x < -110.0 { -110.0 } else { -x }).map(|a| if a > 110.0 { 110.0 } else { a });
    // Each step for all lanes before the next one, as `Lanes` does it for f32.
    let (mut t, mut r, mut q) = ([0.0; N], [0.0; N], [0.0; N]);
    for i in 0..N {
        t[i] = A::wide(f64::from(a.0[i]), std::f64::consts::LOG2_E, wide::biased(0.0));
    }
    for i in 0..N {
        r[i] = A::wide(wide::unbiased(t[i]), -std::f64::consts::LN_2, f64::from(a.0[i]));
    }
    for i in 0..N {
        q[i] = A::wide(r[i] * r[i], small_power::<A>(r[i]), 1.0 + r[i]);
    }
    let mut y = x.0;
    for i in 0..N {
        y[i] = (1.0 / A::wide(q[i], wide::pow2_biased(t[i]), 1.0)) as f32;
    }
    Lanes(y)
}

slice! {
    /// `sigmoid` of each element.
    sigmoid_slice = sigmoid_lanes
}
