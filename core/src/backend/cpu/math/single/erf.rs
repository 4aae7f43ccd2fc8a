//! `erf` in f32.
//! The CPU instruction loops in `backend/cpu/vector` call it per element.

use super::exp::exp;

/// The error function, within 1.5 ulp for every f32, odd, +-1 from 3.92 on; keeps the sign of zero.
///
/// Below 1, x + x p(x^2) with a degree-6 minimax polynomial p (2^-29). Above, 1 - e^-q(x): q = -log(erfc) is smooth
/// and takes a degree-6 polynomial, fitted on [0.9, 3.95] with the weight erfc/erf (2^-29 of the result).
#[inline(always)]
pub fn erf(x: f32) -> f32 {
    let a = x.abs();
    let z = a * a;
    let p = horner!(z; 0.128_379_17, -0.376_126_3, 0.112_836_18, -0.026_855_126, 0.005_190_733_4, -8.030_750_3e-4,
        7.920_303e-5);
    let small = a + a * p;
    let c = if a > 3.95 { 3.95 } else { a };
    let q = horner!(c; 1.664_944_4e-4, 1.127_797, 0.636_976_54, 0.104_113_236, -0.022_314_986, 0.003_065_431_3,
        -1.982_133_7e-4);
    let large = 1.0 - exp(-q);
    let y = if a < 1.0 { small } else { large };
    y.copysign(x)
}
