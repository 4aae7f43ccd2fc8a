//! `log` and `log1p` in f32.
//! The CPU instruction loops in `backend/cpu/vector` call their slice forms, the machine for scalar loops those of one float.

use super::super::fused::{Arithmetic, one};
use super::exp::{LN2_HI, LN2_LO};
use super::lanes::{Lanes, slice};

/// The bits of sqrt(1/2): mantissas are taken from [sqrt(1/2), sqrt(2)), where log changes sign inside, not at an end.
const SQRT_HALF: u32 = 0x3f35_04f3;
/// The even and the odd coefficients of p, a degree-7 minimax polynomial (2^-27): log(1 + f) is f - f^2 / 2 + f^3 p(f).
pub const EVEN: [f32; 4] = [0.333_333_3, 0.200_012_65, 0.142_006_47, 0.127_709_24];
pub const ODD: [f32; 4] = [-0.250_008_26, -0.166_231_96, -0.131_608_83, -0.076_448_135];

/// `(k, m - 1)` with a positive normal number of these bits = 2^k m, m in [sqrt(1/2), sqrt(2)).
#[inline(always)]
fn split(bits: u32) -> (i32, f32) {
    let k = (bits.wrapping_sub(SQRT_HALF) as i32) >> 23;
    let m = f32::from_bits(bits.wrapping_sub((k << 23) as u32));
    (k, m - 1.0)
}

/// c0 + z (c1 + z (c2 + z c3)).
#[inline(always)]
fn cubic<A: Arithmetic>(z: f32, c: [f32; 4]) -> f32 {
    A::fma(z, A::fma(z, A::fma(z, c[3], c[2]), c[1]), c[0])
}

/// log(2^k (1 + f)) + `low`, `low` small.
#[inline(always)]
fn combine<A: Arithmetic>(k: f32, f: f32, low: Option<f32>) -> f32 {
    let z = f * f;
    // Even and odd halves: the chain of dependent operations is what bounds this loop.
    let p = A::fma(f, cubic::<A>(z, ODD), cubic::<A>(z, EVEN));
    let q = A::fma(f, p, -0.5);
    // The big exact part first, its rounding error kept: |k LN2_HI| > |f| unless k = 0, where the error is 0.
    let s = A::fma(k, LN2_HI, f);
    let lost = f - A::fma(k, -LN2_HI, s);
    let lost = low.map_or(lost, |low| lost + low);
    s + A::fma(k, LN2_LO, A::fma(z, q, lost))
}

one! {
    /// The natural logarithm, within 0.94 ulp for every f32 and non-decreasing (all were computed), denormals included; log(0) = -inf,
    /// nan below 0.
    ///
    /// x = 2^k (1 + f), then k log(2) + log(1 + f).
    log = log_lanes
}

#[inline(always)]
fn log_lanes<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N> {
    x.map(|x| {
        let tiny = x < f32::MIN_POSITIVE;
        let scaled = if tiny { x * 8_388_608.0 } else { x };
        let (k, f) = split(scaled.to_bits());
        let y = combine::<A>(k as f32 - if tiny { 23.0 } else { 0.0 }, f, None);
        // inf and nan fail the comparison and pass through.
        let y = if x < f32::INFINITY { y } else { x };
        let y = if x < 0.0 { f32::NAN } else { y };
        if x == 0.0 { f32::NEG_INFINITY } else { y }
    })
}

slice! {
    /// `log` of each element.
    log_slice = log_lanes
}

one! {
    /// log(1 + x), within 1 ulp for every f32 and non-decreasing (all were computed); keeps the sign of zero, -inf at -1, nan below.
    ///
    /// u = 1 + x is split as in `log`; what the sum lost, c, comes back as c/u, where 1/(1 + f) = 1 - f + f^2 is enough.
    log1p = log1p_lanes
}

#[inline(always)]
fn log1p_lanes<A: Arithmetic, const N: usize>(x: Lanes<N>) -> Lanes<N> {
    x.map(|x| {
        let u = 1.0 + x;
        // What the sum lost of the lesser of the two.
        let (most, least) = (if x > 1.0 { x } else { 1.0 }, if x < 1.0 { x } else { 1.0 });
        let c = least - (u - most);
        let (k, f) = split(u.to_bits());
        // c / u is c 2^(1-k) times half of 1 - f + f^2. For the largest k, 128, these bits are zero; c <= 1 does not count there.
        let down = f32::from_bits(128_u32.wrapping_sub(k as u32) << 23);
        let low = c * down * A::fma(f, A::fma(0.5, f, -0.5), 0.5);
        let y = combine::<A>(k as f32, f, Some(low));
        let y = if x < f32::INFINITY { y } else { x };
        let y = if x < -1.0 { f32::NAN } else { y };
        let y = if x == -1.0 { f32::NEG_INFINITY } else { y };
        // Zeros have lost their sign.
        f32::from_bits(y.to_bits() | x.to_bits() & (1 << 31))
    })
}

slice! {
    /// `log1p` of each element.
    log1p_slice = log1p_lanes
}
