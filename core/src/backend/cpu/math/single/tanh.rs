//! `tanh` in f32.
//! The CPU instruction loops in `backend/cpu/vector` call it per element.

use super::exp::exp_within;

/// The hyperbolic tangent, within 1.5 ulp for every f32, odd, +-1 from 9.02 on; keeps the sign of zero.
///
/// Below 0.625, x + x^3 p(x^2) with a degree-4 minimax polynomial p (relative error 2^-27); above, 1 - 2 / (e^2x + 1).
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let a = x.abs();
    let z = a * a;
    let p = horner!(z; -0.333_332_84, 0.133_314_83, -0.053_742_774, 0.020_648_06, -0.005_714_058);
    let small = a + a * z * p;
    let c = if a > 10.0 { 10.0 } else { a };
    let large = 1.0 - 2.0 / (exp_within(c + c) + 1.0);
    let y = if a < 0.625 { small } else { large };
    y.copysign(x)
}
