//! `sin` and `cos` in f32: computed in f32 for ordinary arguments and in f64 for large ones, as element functions and as slice loops.
//! The CPU instruction loops in `backend/cpu/vector` call the slice forms; rare large arguments take a scalar path.

#![allow(
    clippy::redundant_closure,
    reason = "closures are inlined with the features of the loop around; paths need not be"
)]

use super::super::fused::{Arithmetic, one};
use super::super::reduce;
use super::lanes::Lanes;
use std::f64::consts::FRAC_2_PI;

/// Up to here in size the vector path is right: the number of quarter turns has 16 bits.
pub const NEAR: f32 = 100_000.0;
/// Up to here the reduction in f64 is right; beyond, `reduce::large` works on the bits of 2/pi.
const MIDDLE: f64 = 4_194_304.0;
/// 1.5 * 2^23: adding it rounds a float to an integer, whose low bits are then the low bits of the sum.
pub const SHIFTER: f32 = 12_582_912.0;
/// pi/2 as the sum of three floats. What is left after a multiple of the first is exact.
pub const PIO2: [f32; 3] = [1.570_796_4, -4.371_138_8e-8, -1.715_124_5e-15];
/// Minimax polynomials of (sin r - r) / r^3 and, with -1/2 before it, (cos r - 1) / r^2, in r^2.
pub const SIN: [f32; 4] = [-0.166_666_67, 0.008_333_329, -1.983_930_6e-4, 2.718_027e-6];
pub const COS: [f32; 4] = [-0.5, 0.041_666_645, -1.388_729_1e-3, 2.443_017_6e-5];
/// 1.5 * 2^52, as [`SHIFTER`].
const WIDE_SHIFTER: f64 = 6_755_399_441_055_744.0;
/// pi/2 cut to 30 bits, so that n * PIO2_HI is exact for n < 2^23, and the rest.
const PIO2_HI: f64 = 1.570_796_325_802_803;
const PIO2_LO: f64 = 9.920_935_796_805_404e-10;

/// sin(|x| + shift pi/2) for |x| <= [`NEAR`] (elsewhere some float or nan), branch-free.
///
/// |x| = n pi/2 + r + low, then sin r = r + (r^3 s + low) or -cos r = -1 + (r low - r^2 c), whichever is wanted, with polynomials in r^2 on
/// [0, pi/4 + 0.003] of relative errors 2^-37 and 2^-33. It is the negative cosine because -1 and r then stand in the same places. The
/// low bits of t count n + shift + 1: of these the first says which it is, and the second the sign of both.
#[inline(always)]
fn near<A: Arithmetic>(x: f32, shift: u32) -> f32 {
    let a = x.abs();
    let shifter = SHIFTER + (1 + shift) as f32;
    let t = A::fma(a, std::f32::consts::FRAC_2_PI, shifter);
    let n = t - shifter;
    let most = A::fma(n, -PIO2[0], a);
    let r = most - n * PIO2[1];
    // What the two roundings lost: where r is next to nothing, they are all that counts.
    let low = A::fma(n, -PIO2[2], A::fma(n, -PIO2[1], most - r));
    let z = r * r;
    let sine = t.to_bits() & 1 != 0;
    let c = |i: usize| if sine { SIN[i] } else { COS[i] };
    let series = A::fma(z, A::fma(z, A::fma(z, c(3), c(2)), c(1)), c(0));
    let main = if sine { r } else { -1.0 };
    let rest = if sine { low } else { r * low };
    let y = A::fma(z * main, series, rest) + main;
    f32::from_bits(y.to_bits() ^ ((t.to_bits() & 2) << 30))
}

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

/// The rare case: the sine, or with a shift of 1 the cosine, for |x| above [`NEAR`], in f64.
#[cold]
#[inline(never)]
pub fn far(x: f32, shift: u64) -> f32 {
    let a = f64::from(x.abs());
    let y = if a > MIDDLE {
        let (quadrant, r, _) = reduce::large(a);
        turn(r, quadrant.wrapping_add(shift)) as f32
    } else {
        let t = a * FRAC_2_PI + WIDE_SHIFTER;
        let n = t - WIDE_SHIFTER;
        let r = (a - n * PIO2_HI) - n * PIO2_LO;
        turn(r, t.to_bits().wrapping_add(shift)) as f32
    };
    if shift == 0 { odd(y, x) } else { y }
}

/// `y` with its sign changed where `x` is negative.
#[inline(always)]
fn odd(y: f32, x: f32) -> f32 {
    f32::from_bits(y.to_bits() ^ (x.to_bits() & 0x8000_0000))
}

#[inline(always)]
fn sin_lanes<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N> {
    x.map(|x| if x.abs() > NEAR { far(x, 0) } else { odd(near::<A>(x, 0), x) })
}

#[inline(always)]
fn cos_lanes<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N> {
    x.map(|x| if x.abs() > NEAR { far(x, 1) } else { near::<A>(x, 1) })
}

one! {
    /// The sine, within 1.2 ulp for every finite f32; keeps the sign of zero, nan for inf.
    sin = sin_lanes
}

one! {
    /// The cosine, within 1.2 ulp for every finite f32; nan for inf.
    cos = cos_lanes
}

/// `sin` of each element: a vectorised pass, then a second look only where a block holds a large argument.
#[inline(always)]
pub fn sin_slice<A: Arithmetic>(a: &[f32], out: &mut [f32]) {
    with_rare!(a, out, |x: f32| odd(near::<A>(x, 0), x), |x: f32| x.abs() > NEAR, |x: f32| far(x, 0));
}

/// `cos` of each element, as `sin_slice`.
#[inline(always)]
pub fn cos_slice<A: Arithmetic>(a: &[f32], out: &mut [f32]) {
    with_rare!(a, out, |x: f32| near::<A>(x, 1), |x: f32| x.abs() > NEAR, |x: f32| far(x, 1));
}
