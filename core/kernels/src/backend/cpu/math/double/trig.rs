//! `sin` and `cos` in f64, as element functions and as slice loops.
//! The CPU instruction loops in `backend/cpu/vector` call the slice forms; rare huge arguments take a scalar path.

use super::super::fused::Arithmetic;
use super::super::reduce;
use std::f64::consts::FRAC_2_PI;

/// Up to here in size (2^20) the vector path is right; beyond, `reduce::large` works on the bits of 2/pi.
pub const NEAR: f64 = 1_048_576.0;
/// 1.5 * 2^52: adding it rounds a float to an integer, whose low bits are then the low bits of the sum.
const SHIFTER: f64 = 6_755_399_441_055_744.0;
/// pi/2 in three pieces of 33 bits, exact when multiplied by n < 2^20, and the rest: 152 bits in all, against the 60
/// bits that x may share with a multiple of pi/2 and the 64 more that the remainder wants.
const PIO2: [f64; 4] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_711_166_5e-21, 8.478_427_660_368_9e-32];

/// a + b and what it lost, whichever is the larger.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let kept = s - a;
    (s, (a - (s - kept)) + (b - kept))
}

/// sin(r + low + quadrant pi/2) for |r| <= pi/4. Minimax polynomials of degree 5 in r^2 on [0, pi/4] for
/// (sin r - r)/r^3 and (cos r - 1 + r^2/2)/r^4, relative errors 2^-57 and 2^-59.
#[inline(always)]
fn turn(r: f64, low: f64, quadrant: u64) -> f64 {
    let z = r * r;
    let half = 0.5 * z;
    let s = horner!(z; -0.166_666_666_666_666_32, 0.008_333_333_333_322_413, -1.984_126_982_980_781_6e-4,
        2.755_731_369_189_464_2e-6, -2.505_075_810_907_746_5e-8, 1.589_679_520_497_178_2e-10);
    let c = horner!(z; 0.041_666_666_666_666_6, -0.001_388_888_888_887_412_5, 2.480_158_728_948_263_5e-5,
        -2.755_731_435_245_385_4e-7, 2.087_572_328_884_871e-9, -1.135_964_858_028_627e-11);
    // cos r = 1 - r^2/2 and sin r = r are close enough to carry `low`.
    let sin = r + (r * z * s + (low - low * half));
    let one = 1.0 - half;
    let cos = one + (((1.0 - one) - half) + (z * z * c - r * low));
    let y = if quadrant & 1 != 0 { cos } else { sin };
    f64::from_bits(y.to_bits() ^ ((quadrant & 2) << 62))
}

/// `turn` of |x| reduced by a multiple of pi/2, `shift` quadrants ahead.
#[inline(always)]
fn near(x: f64, shift: u64) -> f64 {
    let a = x.abs();
    let t = a * FRAC_2_PI + SHIFTER;
    let n = t - SHIFTER;
    // The first difference is exact, the next two keep their errors.
    let (r, e1) = two_sum(a - n * PIO2[0], -(n * PIO2[1]));
    let (r, e2) = two_sum(r, -(n * PIO2[2]));
    let e = e1 + e2 - n * PIO2[3];
    let sum = r + e;
    turn(sum, e - (sum - r), t.to_bits().wrapping_add(shift))
}

/// sin for |x| <= `NEAR` (elsewhere some finite or nan value), nan for inf and nan. Within 1 ulp, branch-free.
#[inline(always)]
pub fn sin_near(x: f64) -> f64 {
    let y = near(x, 0);
    f64::from_bits(y.to_bits() ^ (x.to_bits() & (1 << 63)))
}

/// cos for |x| <= `NEAR` (elsewhere some finite or nan value), nan for inf and nan. Within 1 ulp, branch-free.
#[inline(always)]
pub fn cos_near(x: f64) -> f64 {
    near(x, 1)
}

/// The rare case of `sin` and `cos`: |x| above `NEAR`.
#[cold]
#[inline(never)]
fn far(x: f64, shift: u64) -> f64 {
    let (quadrant, r, low) = reduce::large(x.abs());
    turn(r, low, quadrant.wrapping_add(shift))
}

/// The sine, within 1 ulp for every finite f64; keeps the sign of zero, nan for inf.
#[inline(always)]
pub fn sin(x: f64) -> f64 {
    if x.abs() > NEAR { far(x, 0) * 1.0_f64.copysign(x) } else { sin_near(x) }
}

/// The cosine, within 1 ulp for every finite f64; nan for inf.
#[inline(always)]
pub fn cos(x: f64) -> f64 {
    if x.abs() > NEAR { far(x, 1) } else { cos_near(x) }
}

/// `sin` of each element: a vectorised pass, then a second look only where a block holds a huge argument.
#[inline(always)]
pub fn sin_slice<A: Arithmetic>(a: &[f64], out: &mut [f64]) {
    with_rare!(a, out, sin_near, |x: f64| x.abs() > NEAR, sin);
}

/// `cos` of each element, as `sin_slice`.
#[inline(always)]
pub fn cos_slice<A: Arithmetic>(a: &[f64], out: &mut [f64]) {
    with_rare!(a, out, cos_near, |x: f64| x.abs() > NEAR, cos);
}
