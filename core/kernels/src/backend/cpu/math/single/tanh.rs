//! `tanh` in f32.
//! The CPU instruction loops in `backend/cpu/vector` call its slice form, the machine for scalar loops that of one float.

#![allow(
    clippy::redundant_closure,
    reason = "closures are inlined with the features of the loop around; paths need not be"
)]

use super::super::fused::{Arithmetic, one};
use super::exp::{power, rounded};
use super::lanes::{Lanes, slice};

one! {
    /// The hyperbolic tangent, within 1.4 ulp for every f32, odd, +-1 from 9.02 on; keeps the sign of zero.
    ///
    /// Below 0.625, x + x^3 p(x^2) with a degree-4 minimax polynomial p (relative error 2^-27); above, 1 - 2 / (e^2x + 1).
    tanh = tanh_lanes
}

#[inline(always)]
fn tanh_lanes<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N> {
    let a = x.map(|x| x.abs());
    let z = a.map(|a| a * a);
    let p = z.horner::<A, _>([-0.333_332_84, 0.133_314_83, -0.053_742_774, 0.020_648_06, -0.005_714_058]);
    let small = a.zip3(z, p, |a, z, p| A::fma(a * z, p, a));
    // Beyond 10 the result is 1: neither end of the exponential's range is near, and 2^n is one factor.
    let double = a.map(|a| if a > 10.0 { 10.0 } else { a }).map(|a| a + a);
    let (t, n) = rounded::<A, N>(double, 127.0);
    let pow2 = |t: f32| f32::from_bits(t.to_bits() << 23);
    let large = power::<A, N>(double, n).zip(t, |e, t| 1.0 - 2.0 / A::fma(e, pow2(t), 1.0));
    let y = a.zip3(small, large, |a, small, large| if a < 0.625 { small } else { large });
    y.zip(x, |y, x| y.copysign(x))
}

slice! {
    /// `tanh` of each element.
    tanh_slice = tanh_lanes
}
