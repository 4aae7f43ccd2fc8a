//! `floor`, `ceil` and `round_even` in f32, without the rounding instructions a baseline CPU lacks.
//! The CPU instruction loops in `backend/cpu/vector` call these per element.

/// 2^23: from here on every float is an integer, and adding it to a smaller one rounds at the unit.
const INTEGERS: f32 = 8_388_608.0;

/// Nearest integer, halves to even. Exact; keeps the sign of zero, inf and nan.
#[inline(always)]
pub fn round_even(x: f32) -> f32 {
    let a = x.abs();
    let r = (a + INTEGERS) - INTEGERS;
    // nan fails the comparison and passes through.
    (if a < INTEGERS { r } else { a }).copysign(x)
}

/// Largest integer not above x. Exact; keeps the sign of zero, inf and nan.
#[inline(always)]
pub fn floor(x: f32) -> f32 {
    let r = round_even(x);
    (r - if r > x { 1.0 } else { 0.0 }).copysign(x)
}

/// Smallest integer not below x. Exact; ceil(-0.5) is -0, as in C.
#[inline(always)]
pub fn ceil(x: f32) -> f32 {
    let r = round_even(x);
    (r + if r < x { 1.0 } else { 0.0 }).copysign(x)
}
