//! `pow` in f32, computed in f64.
//! The CPU instruction loops in `backend/cpu/vector` call it per element pair.

use super::super::double;

/// 2^23: from here on every f32 is an integer.
const INTEGERS: f32 = 8_388_608.0;
/// The sign bit.
const SIGN: u32 = 1 << 31;

/// Whether |v| = `a` is an integer; from 2^23 on every float is one.
#[inline(always)]
fn whole(a: f32) -> bool {
    (a >= INTEGERS) | ((a + INTEGERS) - INTEGERS == a)
}

/// x^y, within 0.6 ulp; the special cases are C99's.
///
/// 2^(y log2 |x|) with 37 good bits: log2(m) = s p(s^2) with s = (m - 1)/(m + 1), p of degree 4; 2^r = 1 + r q(r) on
/// [-1/2, 1/2], q of degree 5; both minimax (2^-37, 2^-28). The conversion to f32 rounds once, denormals included.
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    let ax = x.abs();
    let ay = y.abs();
    // Every f32 is a normal f64; 0, inf and nan are settled below.
    let (k, m) = double::log::split(f64::from(ax).to_bits());
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let p = horner!(z; 2.885_390_081_790_264_5, 0.961_796_673_116_516_3, 0.577_083_628_580_822_5,
        0.411_670_057_505_739_15, 0.340_780_245_592_610_7);
    // A finite stand-in for an infinite y: it still leaves every range, and times log2(1) = 0 it stays 0.
    let wide = if ay > 1e30 { 1e30_f32.copysign(y) } else { y };
    let v = f64::from(wide) * (k + s * p);
    let v = if v > 200.0 { 200.0 } else { v };
    let v = if v < -200.0 { -200.0 } else { v };
    let n = double::exp::nearest(v);
    let r = v - n;
    let q = horner!(r; 0.693_147_215_093_585_5, 0.240_226_527_858_408_37, 0.055_503_103_056_224_08,
        0.009_617_692_507_661_786, 0.001_340_673_336_447_222_6, 1.559_473_614_237_616_4e-4);
    let e = ((1.0 + r * q) * double::exp::pow2(n)) as f32;

    // The special cases, where the last word counts. By masks, because the compiler does not vectorise this many selects
    // for the baseline's registers, which have no instruction for them.
    let mask = |is: bool| (u32::from(is)).wrapping_neg();
    let integer = whole(ay);
    let odd = mask(integer & !whole(0.5 * ay));
    let negative = mask(1.0_f32.copysign(x) < 0.0);
    let down = mask(y < 0.0);
    let (zero, huge) = (mask(ax == 0.0), mask(ax == f32::INFINITY));
    let edge = f32::INFINITY.to_bits() & ((zero & down) | (huge & !down));
    let e = (e.to_bits() & !(zero | huge)) | edge;
    let e = e ^ (negative & odd & SIGN);
    let nan = (negative & !mask(integer) & !(zero | huge)) | mask(x.is_nan() | y.is_nan());
    let e = (e & !nan) | (f32::NAN.to_bits() & nan);
    // (-1)^+-inf is 1 without a case of its own: inf counts as an even integer.
    let one = mask((x == 1.0) | (y == 0.0));
    f32::from_bits((e & !one) | (1.0_f32.to_bits() & one))
}
