//! `tanh` in f64.
//! The CPU instruction loops in `backend/cpu/vector` call it per element.

use super::exp::{minus_one, parts};

/// The hyperbolic tangent, within 1.5 ulp for every f64, odd, +-1 from 19.07 on; keeps the sign of zero.
///
/// With e = (e^2x - 1)/2 for x >= 0: e / (e + 1) below 0.55, 1 - 1 / (e + 1) above, by one division either way. The
/// lower form keeps what e and e + 1 lost.
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let a = x.abs();
    let c = if a > 20.0 { 20.0 } else { a };
    let (e, e_lost) = minus_one(parts(c + c));
    let below = a < 0.55;
    let d = e + 1.0;
    let quotient = if below { e } else { -1.0 } / d;
    let d_lost = (e - (d - 1.0)) + e_lost;
    // 1/d = 1 - e/d.
    let low = quotient + (e_lost - quotient * d_lost) * (1.0 - quotient);
    let y = if below { low } else { 1.0 + quotient };
    // Below 2^-28 the result is x itself, and the halves above would lose a bit of a denormal.
    let y = if a < 3.725_290_298_461_914e-9 { a } else { y };
    y.copysign(x)
}
