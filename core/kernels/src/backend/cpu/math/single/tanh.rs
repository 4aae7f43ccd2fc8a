//! `tanh` in f32.
//! The CPU instruction loops in `backend/cpu/vector` call its slice form, the machine for scalar loops that of one float.

#![allow(
    clippy::redundant_closure,
    reason = "closures are inlined with the features of the loop around; paths need not be"
)]

use super::super::fused::{Arithmetic, one};
use super::exp::{POWER, remainder, rounded};
use super::lanes::{Lanes, slice};

one! {
    /// The hyperbolic tangent, within 1.81 ulp for every f32 (all were computed), odd, +-1 from 9.02 on; keeps the sign of zero.
    ///
    /// With h = (e^2|x| - 1) / 2 it is h / (1 + h), and so b - b b / (1 + h) for b = h as well as for b = 1. The lesser of the two
    /// multiplies the rounding of the quotient by at most 1. Between neighbouring floats it may step down by one last place (95,950 of
    /// the positive floats).
    tanh = tanh_lanes
}

#[inline(always)]
fn tanh_lanes<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N> {
    // Beyond 10 the result is 1: neither end of the exponential's range is near, and 2^n is one factor. NaN passes.
    let a = x.map(|x| x.abs()).map(|a| if a > 10.0 { 10.0 } else { a });
    let double = a.map(|a| a + a);
    let (t, n) = rounded::<A, N>(double, 126.0);
    let r = remainder::<A, N>(double, n);
    // e^r - 1, to the last place where n is 0 and all of h comes from it.
    let p = r.zip(r.horner::<A, _>(POWER), |r, q| A::fma(r * r, q, r));
    let h = t.map(|t| f32::from_bits(t.to_bits() << 23)).zip(p, |half, p| A::fma(half, p, half - 0.5));
    let b = h.map(|h| if h > 1.0 { 1.0 } else { h });
    b.zip3(h, x, |b, h, x| A::fma(-b, b / (1.0 + h), b).copysign(x))
}

slice! {
    /// `tanh` of each element.
    tanh_slice = tanh_lanes
}
