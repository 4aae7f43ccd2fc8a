//! `erf` and `erfc` in f32.
//! The CPU instruction loops in `backend/cpu/vector` call it per element.

use super::super::double::exp as wide;
use super::super::fused::Separate;
use super::exp::{exp_in, small_power};

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
    let large = 1.0 - exp_in::<Separate>(-q);
    let y = if a < 1.0 { small } else { large };
    y.copysign(x)
}

/// 1 - erf(x), within 0.6 ulp for every f32, denormal results included: 0 from 10.06 on, 2 below -3.83.
///
/// e^(-a^2) F / (1 + 2 a) for a = |x|, where F(q) = (1 + 2 a) e^(a^2) erfc(a) varies little and takes a degree-11
/// polynomial in q = (a - 3.25) / (a + 3.25), fitted on [0, 10.5] (2^-31). In f64, where a^2 is exact: what f32 would
/// lose of it weighs a hundred ulp in e^(-a^2). The exponential is that of `sigmoid`.
#[inline(always)]
pub fn erfc(x: f32) -> f32 {
    let a = f64::from(x.abs());
    let a = if a > 10.5 { 10.5 } else { a };
    let q = (a - 3.25) / (a + 3.25);
    let u = q * q;
    let even = horner!(u; 1.247_515_113_064_433_7, -0.027_456_758_935_560_942, -0.118_979_482_462_454_59,
        -0.036_955_268_117_244_5, -2.042_163_895_506_525e-4, 3.058_053_449_915_906e-4);
    let odd = horner!(u; -0.138_611_332_205_352, 0.113_507_462_876_153_9, 0.080_148_690_107_788_29,
        0.010_156_261_019_699_114, -0.001_115_797_705_482_024_8, 1.399_085_673_202_851_5e-4);
    let square = a * a;
    let n = wide::nearest(-square * std::f64::consts::LOG2_E);
    let r = -square - n * std::f64::consts::LN_2;
    let power = (1.0 + r) + r * r * small_power::<Separate>(r);
    let y = power * wide::pow2(n) * (even + q * odd) / (1.0 + 2.0 * a);
    (if x < 0.0 { 2.0 - y } else { y }) as f32
}
