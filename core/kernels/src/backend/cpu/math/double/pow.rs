//! `pow` in f64.
//! The CPU instruction loops in `backend/cpu/vector` call it per element pair.

use super::{exp, log};

/// 2^52: from here on every f64 is an integer.
const INTEGERS: f64 = 4_503_599_627_370_496.0;
/// The sign bit.
const SIGN: u64 = 1 << 63;
/// 2/log(2) cut to 26 bits (times a 26-bit number it is exact), the rest, and the whole.
const C_HI: f64 = 2.885_390_102_863_311_8;
const C_LO: f64 = -2.108_538_495_285_827_6e-8;
const C: f64 = 2.885_390_081_777_926_8;

/// `v` cut to its upper 26 mantissa bits: products of two such numbers are exact.
#[inline(always)]
fn upper(v: f64) -> f64 {
    f64::from_bits(v.to_bits() & !0x7ff_ffff)
}

/// Whether |v| = `a` is an integer; from 2^52 on every float is one.
#[inline(always)]
fn whole(a: f64) -> bool {
    (a >= INTEGERS) | ((a + INTEGERS) - INTEGERS == a)
}

/// log2 of a positive finite number as a sum of two, to 64 bits.
///
/// x = 2^k m, and m is compared with the nearest of five points b (1 among them): with s = (m - b)/(m + b),
/// |s| < 0.036, log2(m/b) = (2/log 2) s + s^3 t(s^2), t a degree-4 minimax polynomial (2^-65 of the result). Five
/// points and no more: then the s^3 term is small enough for one float, and s alone is kept in two.
#[inline(always)]
fn log2(ax: f64) -> (f64, f64) {
    let tiny = ax < f64::MIN_POSITIVE;
    let (k, m) = log::split(if tiny { ax * 18_014_398_509_481_984.0 } else { ax }.to_bits());
    let k = k - if tiny { 54.0 } else { 0.0 };
    // log2(b) to 40 fraction bits (so that adding k is exact), and the rest.
    let (b, b_hi, b_lo) = (0.757_812_5, -0.400_087_157_812_777_15, -9.517_021_710_768_741e-14);
    let up = m > 0.810_657_466_100_047_7;
    let b = if up { 0.867_187_5 } else { b };
    let b_hi = if up { -0.205_584_133_649_608_7 } else { b_hi };
    let b_lo = if up { -2.853_342_896_202_657e-13 } else { b_lo };
    let up = m > 0.931_229_026_609_458_7;
    let b = if up { 1.0 } else { b };
    let b_hi = if up { 0.0 } else { b_hi };
    let b_lo = if up { 0.0 } else { b_lo };
    let up = m > 1.071_651_762_467_640_5;
    let b = if up { 1.148_437_5 } else { b };
    let b_hi = if up { 0.199_672_344_836_471_9 } else { b_hi };
    let b_lo = if up { -1.074_970_212_980_704_7e-13 } else { b_lo };
    let up = m > 1.231_379_871_005_998_7;
    let b = if up { 1.320_312_5 } else { b };
    let b_hi = if up { 0.400_879_436_282_593_8 } else { b_hi };
    let b_lo = if up { -4.094_943_281_743_989e-13 } else { b_lo };

    let f = m - b;
    let d = m + b;
    let inverse = 1.0 / d;
    let s = f * inverse;
    let s_hi = upper(s);
    let d_hi = upper(d);
    let d_lo = m - (d_hi - b);
    let s_lo = inverse * ((f - s_hi * d_hi) - s_hi * d_lo);
    let z = s * s;
    let t = horner!(z; 0.961_796_693_925_975_7, 0.577_078_016_355_367_3, 0.412_198_583_886_851_27,
        0.320_597_693_835_868_9, 0.263_156_384_243_177_06);
    let low = s * z * t + (s_hi * C_LO + s_lo * C);
    let a = k + b_hi;
    let main = s_hi * C_HI;
    // |a| > |main| or a = 0, so that the error of the sum is exactly (a - h) + main.
    let h = a + main;
    let low = low + (((a - h) + main) + b_lo);
    let hi = upper(h + low);
    (hi, low - (hi - h))
}

/// x^y, within 3 ulp (the worst seen is 2.2); the special cases are C99's.
///
/// 2^(y log2 |x|) with the logarithm and the product in two floats each; 2^r = 1 + r q(r) on [-1/2, 1/2], q a degree-11
/// minimax polynomial (2^-55).
#[inline(always)]
pub fn pow(x: f64, y: f64) -> f64 {
    let ax = x.abs();
    let ay = y.abs();
    let (l_hi, l_lo) = log2(ax);
    // A finite stand-in for a huge y: it still leaves every range, and times log2(1) = 0 it stays 0.
    let wide = if ay > 1e30 { 1e30_f64.copysign(y) } else { y };
    let y_hi = upper(wide);
    let p = y_hi * l_hi;
    let q = (wide - y_hi) * l_hi + wide * l_lo;
    let v = p + q;
    let over = v > 1030.0;
    let under = v < -1080.0;
    let n = exp::nearest(if over {
        1030.0
    } else if under {
        -1080.0
    } else {
        v
    });
    let r = if over | under { 0.0 } else { (p - n) + q };
    let z = r * r;
    let even = horner!(z; std::f64::consts::LN_2, 0.055_504_108_664_821_736, 0.001_333_355_814_638_151_5,
        1.525_273_386_506_321e-5, 1.017_804_743_917_345_7e-7, 4.457_253_300_345_46e-10);
    let odd = horner!(z; 0.240_226_506_959_100_72, 0.009_618_129_107_628_562, 1.540_353_039_317_076_7e-4,
        1.321_548_700_417_096_4e-6, 7.054_814_623_268_106e-9, 2.585_540_383_688_676_4e-11);
    let e = exp::scale(1.0 + r * (even + r * odd), n);

    // The special cases, where the last word counts. By masks, because the compiler does not vectorise this many selects
    // for the baseline's registers, which have no instruction for them.
    let mask = |is: bool| (u64::from(is)).wrapping_neg();
    let integer = whole(ay);
    let odd = mask(integer & !whole(0.5 * ay));
    let negative = mask(1.0_f64.copysign(x) < 0.0);
    let down = mask(y < 0.0);
    let (zero, huge) = (mask(ax == 0.0), mask(ax == f64::INFINITY));
    let edge = f64::INFINITY.to_bits() & ((zero & down) | (huge & !down));
    let e = (e.to_bits() & !(zero | huge)) | edge;
    let e = e ^ (negative & odd & SIGN);
    let nan = (negative & !mask(integer) & !(zero | huge)) | mask(x.is_nan() | y.is_nan());
    let e = (e & !nan) | (f64::NAN.to_bits() & nan);
    // (-1)^+-inf is 1 without a case of its own: inf counts as an even integer.
    let one = mask((x == 1.0) | (y == 0.0));
    f64::from_bits((e & !one) | (1.0_f64.to_bits() & one))
}
