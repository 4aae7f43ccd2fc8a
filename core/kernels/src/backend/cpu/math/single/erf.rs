//! `erf` and `erfc` in f32.
//! The CPU instruction loops in `backend/cpu/vector` call both by slices.

#![allow(
    clippy::redundant_closure,
    reason = "closures are inlined with the features of the loop around; paths need not be"
)]

use super::super::fused::{Arithmetic, one};
use super::exp::{POWER, exp_lanes, remainder, rounded, scaled};
use super::lanes::{Lanes, slice};

/// p of `erf`.
pub const NEAR: [f32; 7] =
    [0.128_379_17, -0.376_126_3, 0.112_836_18, -0.026_855_126, 0.005_190_733_4, -8.030_750_3e-4, 7.920_303e-5];
/// q of `erf`.
pub const FAR: [f32; 7] =
    [1.664_944_4e-4, 1.127_797, 0.636_976_54, 0.104_113_236, -0.022_314_986, 0.003_065_431_3, -1.982_133_7e-4];
/// S of `erfc`.
pub const TAIL: [f32; 10] = [
    1.074_006_9,
    -0.883_394_48,
    0.590_227_54,
    -0.310_466_14,
    0.119_540_535,
    -0.026_836_842,
    -0.001_281_874_7,
    0.003_055_405_4,
    -3.987_331_3e-4,
    -2.697_444e-4,
];

one! {
    /// The error function, within 1.1 ulp for every f32, odd, +-1 from 3.92 on; keeps the sign of zero.
    ///
    /// Below 1, x + x p(x^2) with a degree-6 minimax polynomial p (2^-29). Above, 1 - e^-q(x): q = -log(erfc) is smooth
    /// and takes a degree-6 polynomial, fitted on [0.9, 3.95] with the weight erfc/erf (2^-29 of the result).
    erf = erf_lanes
}

#[inline(always)]
fn erf_lanes<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N> {
    let a = x.map(|x| x.abs());
    let p = a.map(|a| a * a).horner::<A, _>(NEAR);
    let small = a.zip(p, |a, p| A::fma(a, p, a));
    let q = a.map(|a| if a > 3.95 { 3.95 } else { a }).horner::<A, _>(FAR);
    let large = exp_lanes::<A, N>(q.map(|q| -q)).map(|e| 1.0 - e);
    let y = a.zip3(small, large, |a, small, large| if a < 1.0 { small } else { large });
    y.zip(x, |y, x| y.copysign(x))
}

slice! {
    /// `erf` of each element.
    erf_slice = erf_lanes
}

one! {
    /// 1 - erf(x), within 3.2 ulp for every f32, denormal results included: 0 from 10.06 on, 2 below -3.83.
    ///
    /// Below 0.75 by the polynomial of `erf`. Above, e^(-a^2) S(q) / (a + 3) for a = |x|, where S(q) = (a + 3) e^(a^2) erfc(a) takes a
    /// degree-9 polynomial in q = (a - 3) / (a + 3), fitted on [0.6, 10.3] (2^-27). What f32 loses of a^2 would weigh a hundred ulp in
    /// e^(-a^2), and what it loses of the quotient two: both are known to the bit, and taken into account.
    erfc = erfc_lanes
}

#[inline(always)]
fn erfc_lanes<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N> {
    let a = x.map(|x| x.abs()).map(|a| if a > 10.5 { 10.5 } else { a });
    let sum = a.map(|a| a + 3.0);
    let t = sum.map(|sum| 1.0 / sum);
    // The part of t that is missing in it: of the quotient, and of the sum, whose difference to 3 is exact.
    let missing = t.zip(sum, |t, sum| A::fma(-t, sum, 1.0));
    let lost = a.zip(sum, |a, sum| a - (sum - 3.0));
    let missing = t.zip3(lost, missing, |t, lost, missing| A::fma(-t, lost, missing));
    let q = a.zip(t, |a, t| (a - 3.0) * t);
    let q = q.zip(missing, |q, missing| A::fma(q, missing, q));
    let s = q.horner::<A, _>(TAIL).zip(t, |s, t| s * t);
    let s = s.zip(missing, |s, missing| A::fma(s, missing, s));
    // e^(-a^2) - 1 without its power of two.
    let square = a.map(|a| a * a);
    let low = a.zip(square, |a, square| A::fma(a, a, -square));
    let minus = square.map(|square| -square);
    let (scale, n) = rounded::<A, N>(minus, 254.0);
    let r = remainder::<A, N>(minus, n).zip(low, |r, low| r - low);
    let e = r.zip(r.horner::<A, _>(POWER), |r, q| A::fma(r * r, q, r));
    let large = scaled(s.zip(e, |s, e| A::fma(s, e, s)), scale);
    let large = x.zip(large, |x, large| if x < 0.0 { 2.0 - large } else { large });
    let small = x.zip(square.horner::<A, _>(NEAR), |x, p| 1.0 - A::fma(x, p, x));
    a.zip3(small, large, |a, small, large| if a < 0.75 { small } else { large })
}

slice! {
    /// `erfc` of each element.
    erfc_slice = erfc_lanes
}
