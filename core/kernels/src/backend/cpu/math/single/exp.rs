//! `exp`, `expm1` and `sigmoid` in f32, with the power-of-two scaling they share.
//! The CPU instruction loops in `backend/cpu/vector` call these per element.

#![allow(
    clippy::redundant_closure,
    reason = "closures are inlined with the features of the loop around; paths need not be"
)]

use super::super::fused::{Arithmetic, one};
use super::lanes::{Lanes, slice};

/// 1.5 * 2^23: adding it leaves a small float rounded to an integer in the low mantissa bits.
const SHIFTER: f32 = 12_582_912.0;
/// log(2) cut to 15 bits, so that n * LN2_HI is exact for the 8-bit n met here, and the rest.
pub const LN2_HI: f32 = 0.693_145_75;
pub const LN2_LO: f32 = 1.428_606_8e-6;
/// q of `power`.
pub const POWER: [f32; 5] = [0.499_999_94, 0.166_665_17, 0.041_668_102, 0.008_369_167, 0.001_383_805_4];
/// The coefficients of -q(-r).
pub const MINUS_POWER: [f32; 5] = [-POWER[0], POWER[1], -POWER[2], POWER[3], -POWER[4]];

/// `v` rounded to an integer, as a float and as an integer; |v| < 2^22 (otherwise both mean nothing, without a panic).
#[inline(always)]
fn nearest(v: f32) -> (f32, i32) {
    let t = v + SHIFTER;
    (t - SHIFTER, (t.to_bits() as i32).wrapping_sub(SHIFTER.to_bits() as i32))
}

/// 2^n for n in [-126, 127]; anything else gives some unusable float, without a panic.
#[inline(always)]
fn pow2(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// `(t, n)`: n is x log2(e) rounded to an integer, t a float whose low bits are those of the integer n + `bias`.
#[inline(always)]
pub fn rounded<A: Arithmetic, const N: usize>(x: Lanes<N>, bias: f32) -> (Lanes<N>, Lanes<N>) {
    let t = x.map(|x| A::fma(x, std::f32::consts::LOG2_E, SHIFTER + bias));
    (t, t.map(|t| t - (SHIFTER + bias)))
}

/// x - n log(2), for an n that `rounded` gave.
#[inline(always)]
pub fn remainder<A: Arithmetic, const N: usize>(x: Lanes<N>, n: Lanes<N>) -> Lanes<N> {
    x.less::<A>(n, LN2_HI).less::<A>(n, LN2_LO)
}

/// e^(x - n log(2)) for |x - n log(2)| < 0.347.
///
/// 1 + r + r^2 q(r), q being a degree-4 minimax polynomial for (e^r - 1 - r) / r^2 (relative error of e^r: 2^-28).
#[inline(always)]
pub fn power<A: Arithmetic, const N: usize>(x: Lanes<N>, n: Lanes<N>) -> Lanes<N> {
    let r = remainder::<A, N>(x, n);
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
    y.zip(t, |y, t| y * half_down(t) * half_up(t))
}

/// 2^(n / 2), with half of n rounded down, for the t of `rounded` with a bias of 254.
#[inline(always)]
fn half_down(t: f32) -> f32 {
    f32::from_bits(t.to_bits() >> 1 << 23)
}

/// The same, rounded up.
#[inline(always)]
fn half_up(t: f32) -> f32 {
    f32::from_bits(t.to_bits().wrapping_add(1) >> 1 << 23)
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

one! {
    /// 1 / (1 + e^-x). Within 0.97 ulp for every f32 and non-decreasing (all were computed); at the low tail it follows e^x down to the
    /// denormals, at the high tail it reaches 1 at 17.33.
    ///
    /// With e^-x = 2^n (1 + p), and h half of n, it is 2^-h / (2^-h + 2^(n-h) + 2^(n-h) p), which overflows nowhere. What the sum of the
    /// three loses is kept, and corrects the quotient.
    sigmoid = sigmoid_lanes
}

#[inline(always)]
fn sigmoid_lanes<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N> {
    // Comparisons are false for nan, which passes both clamps.
    let c = x.map(|x| if x > 90.0 { 90.0 } else { x }).map(|x| if x < -105.0 { -105.0 } else { x });
    let t = c.map(|c| A::fma(c, -std::f32::consts::LOG2_E, SHIFTER + 254.0));
    let n = t.map(|t| t - (SHIFTER + 254.0));
    // -r, and of it -p = -(e^r - 1).
    let g = c.less::<A>(n, -LN2_HI).less::<A>(n, -LN2_LO);
    let p = g.zip(g.horner::<A, _>(MINUS_POWER), |g, q| A::fma(g * g, q, g));
    // 2^-h, whose exponent is that of 2^h with the other sign.
    let unit = t.map(|t| f32::from_bits((254_u32 << 23).wrapping_sub(half_down(t).to_bits())));
    let up = t.map(|t| half_up(t));
    let s = unit.zip3(up, p, |unit, up, p| A::fma(-up, p, unit + up));
    let kept = unit.zip3(up, s, |unit, up, s| unit - (s - up));
    let rest = kept.zip3(up, p, |kept, up, p| A::fma(-up, p, kept));
    s.zip3(rest, unit, |s, rest, unit| {
        let y = 1.0 / s;
        A::fma(y, A::fma(-y, rest, A::fma(-y, s, 1.0)), y) * unit
    })
}

slice! {
    /// `sigmoid` of each element.
    sigmoid_slice = sigmoid_lanes
}
