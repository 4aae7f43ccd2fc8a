//! `tan` and the inverse trigonometric functions in f64.
//! The CPU instruction loops in `backend/cpu/vector` call them per element; f32 rounds their results once.
//!
//! The polynomials are Chebyshev fits with 60 digits, relative error below 2^-54.

use super::trig::{cos, sin};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// pi/2 is `FRAC_PI_2` and this.
const PIO2_LOW: f64 = 6.123_233_995_736_766e-17;
/// tan(pi/8) and tan(3 pi/8), where arcs are measured from another angle.
const TAN_PIO8: f64 = 0.414_213_562_373_095_05;
const TAN_3PIO8: f64 = 2.414_213_562_373_095;

/// The tangent, within 3 ulp; keeps the sign of zero, nan for inf.
#[inline(always)]
pub fn tan(x: f64) -> f64 {
    sin(x) / cos(x)
}

/// (asin(s) - s) / s by z = s^2 <= 0.25, without the factor z.
#[inline(always)]
fn asin_rest(z: f64) -> f64 {
    horner!(z; 0.166_666_666_666_666_66, 0.075_000_000_000_001_25, 0.044_642_857_142_535_74,
        0.030_381_944_476_963_723, 0.022_372_157_377_673_29, 0.017_352_818_340_708_49, 0.013_963_748_435_199_949,
        0.011_566_830_427_132_645, 0.009_618_864_779_963_437, 0.009_335_970_060_991_405, 0.002_983_881_103_737_450_3,
        0.019_700_711_805_261_69, -0.019_445_636_425_042_57, 0.029_737_845_643_996_9)
}

/// asin for |x| <= 0.5.
#[inline(always)]
fn asin_near(x: f64) -> f64 {
    let z = x * x;
    x + x * (z * asin_rest(z))
}

/// acos(a) for 0.5 <= a <= 1, as 2 asin(sqrt((1 - a) / 2)), with what the root lost.
#[inline(always)]
fn acos_far(a: f64) -> f64 {
    let z = (1.0 - a) * 0.5;
    let s = z.sqrt();
    // The high half of s squares exactly, so this is what the root is short of.
    let high = f64::from_bits(s.to_bits() & !0xffff_ffff);
    let low = if s > 0.0 { (z - high * high) / (s + high) } else { 0.0 };
    2.0 * (high + (low + s * (z * asin_rest(z))))
}

/// The arc sine, within 3 ulp; odd, nan outside [-1, 1].
#[inline(always)]
pub fn asin(x: f64) -> f64 {
    let a = x.abs();
    let far = FRAC_PI_2 - (acos_far(a) - PIO2_LOW);
    let y = if a <= 0.5 { asin_near(a) } else { far };
    let y = if a <= 1.0 { y } else { f64::NAN };
    y.copysign(x)
}

/// The arc cosine, within 2 ulp; nan outside [-1, 1].
#[inline(always)]
pub fn acos(x: f64) -> f64 {
    let a = x.abs();
    let far = acos_far(a);
    let beyond = if x < 0.0 { PI - (far - 2.0 * PIO2_LOW) } else { far };
    let y = if a <= 0.5 { FRAC_PI_2 - (asin_near(x) - PIO2_LOW) } else { beyond };
    if a <= 1.0 { y } else { f64::NAN }
}

/// The arc tangent, within 2 ulp; odd, pi/2 for inf.
///
/// Arcs are measured from 0, pi/4 or pi/2, whichever is nearest.
#[inline(always)]
pub fn atan(x: f64) -> f64 {
    let a = x.abs();
    let middle = a > TAN_PIO8;
    let far = a > TAN_3PIO8;
    let over = if far {
        -1.0
    } else if middle {
        a - 1.0
    } else {
        a
    };
    let under = if far {
        a
    } else if middle {
        a + 1.0
    } else {
        1.0
    };
    let r = over / under;
    let z = r * r;
    let p = horner!(z; -0.333_333_333_333_333_3, 0.199_999_999_999_998_1, -0.142_857_142_856_610_94,
        0.111_111_111_052_695_93, -0.090_909_087_587_758_27, 0.076_922_965_173_039_76, -0.066_664_272_787_802_39,
        0.058_789_548_548_016_41, -0.052_306_337_842_757_26, 0.045_523_672_318_753_68, -0.034_589_424_565_540_59,
        0.016_305_609_739_836_996);
    let rest = r * (z * p);
    let (high, low) = if far {
        (FRAC_PI_2, PIO2_LOW)
    } else if middle {
        (FRAC_PI_4, PIO2_LOW / 2.0)
    } else {
        (0.0, 0.0)
    };
    let y = if middle { high + (r + (rest + low)) } else { r + rest };
    y.copysign(x)
}

/// The angle of the point (x, y), within 2 ulp, between -pi and pi; zeros have signs, and inf over inf is the diagonal, as in IEEE 754.
#[inline(always)]
pub fn atan2(y: f64, x: f64) -> f64 {
    let (above, beside) = (y.abs(), x.abs());
    let both = above == f64::INFINITY && beside == f64::INFINITY;
    let none = above == 0.0 && beside == 0.0;
    let ratio = if both {
        1.0
    } else if none {
        0.0
    } else {
        above / beside
    };
    let angle = atan(ratio);
    let angle = if x.is_sign_negative() { PI - (angle - 2.0 * PIO2_LOW) } else { angle };
    let angle = if x.is_nan() || y.is_nan() { f64::NAN } else { angle };
    angle.copysign(y)
}
