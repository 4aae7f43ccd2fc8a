//! `sin` and `cos` in f32, computed in f64 throughout, as element functions and as slice loops.
//! The CPU instruction loops in `backend/cpu/vector` call the slice forms; rare huge arguments take a scalar path.

use super::super::reduce;
use std::f64::consts::FRAC_2_PI;

/// Up to here in size the vector path is right; beyond, `reduce::large` works on the bits of 2/pi.
pub const NEAR: f32 = 4_194_304.0;
/// 1.5 * 2^52: adding it rounds a float to an integer, whose low bits are then the low bits of the sum.
const SHIFTER: f64 = 6_755_399_441_055_744.0;
/// pi/2 cut to 30 bits, so that n * PIO2_HI is exact for n < 2^23, and the rest.
const PIO2_HI: f64 = 1.570_796_325_802_803;
const PIO2_LO: f64 = 9.920_935_796_805_404e-10;

/// sin(r + quadrant pi/2) for |r| <= pi/4. Minimax polynomials in r^2 on [0, pi/4], relative errors 2^-37 and 2^-43.
#[inline(always)]
fn turn(r: f64, quadrant: u64) -> f64 {
    let z = r * r;
    let s = horner!(z; -0.166_666_666_416_087_13, 0.008_333_329_383_735_698, -1.983_933_412_200_046_7e-4,
        2.718_304_527_248_688_3e-6);
    let c = horner!(z; 0.041_666_666_622_796_01, -0.001_388_888_375_056_016_2, 2.479_951_923_718_743_4e-5,
        -2.721_017_261_525_911_5e-7);
    let sin = r + r * z * s;
    let cos = (1.0 - 0.5 * z) + z * z * c;
    let y = if quadrant & 1 != 0 { cos } else { sin };
    f64::from_bits(y.to_bits() ^ ((quadrant & 2) << 62))
}

/// `turn` of |x| reduced by a multiple of pi/2, `shift` quadrants ahead.
#[inline(always)]
fn near(x: f32, shift: u64) -> f32 {
    let a = f64::from(x.abs());
    let t = a * FRAC_2_PI + SHIFTER;
    let n = t - SHIFTER;
    let r = (a - n * PIO2_HI) - n * PIO2_LO;
    turn(r, t.to_bits().wrapping_add(shift)) as f32
}

/// sin for |x| <= `NEAR` (elsewhere some finite or nan value), nan for inf and nan. Within 0.51 ulp, branch-free.
#[inline(always)]
pub fn sin_near(x: f32) -> f32 {
    let y = near(x, 0);
    f32::from_bits(y.to_bits() ^ (x.to_bits() & 0x8000_0000))
}

/// cos for |x| <= `NEAR` (elsewhere some finite or nan value), nan for inf and nan. Within 0.51 ulp, branch-free.
#[inline(always)]
pub fn cos_near(x: f32) -> f32 {
    near(x, 1)
}

/// The rare case of `sin` and `cos`: |x| above `NEAR`.
#[cold]
#[inline(never)]
fn far(x: f32, shift: u64) -> f32 {
    let (quadrant, r, _) = reduce::large(f64::from(x.abs()));
    turn(r, quadrant.wrapping_add(shift)) as f32
}

/// The sine, within 0.51 ulp for every finite f32; keeps the sign of zero, nan for inf.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    if x.abs() > NEAR { far(x, 0) * 1.0_f32.copysign(x) } else { sin_near(x) }
}

/// The cosine, within 0.51 ulp for every finite f32; nan for inf.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    if x.abs() > NEAR { far(x, 1) } else { cos_near(x) }
}

/// `sin` of each element: a vectorised pass, then a second look only where a block holds a huge argument.
#[inline(always)]
pub fn sin_slice(a: &[f32], out: &mut [f32]) {
    with_rare!(a, out, sin_near, |x: f32| x.abs() > NEAR, sin);
}

/// `cos` of each element, as `sin_slice`.
#[inline(always)]
pub fn cos_slice(a: &[f32], out: &mut [f32]) {
    with_rare!(a, out, cos_near, |x: f32| x.abs() > NEAR, cos);
}
