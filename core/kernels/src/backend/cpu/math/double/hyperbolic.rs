//! The hyperbolic functions but `tanh`, and the inverse ones, in f64.
//! The CPU instruction loops in `backend/cpu/vector` call them per element; f32 rounds their results once.

use super::exp::{exp, expm1};
use super::log::{log, log1p};
use std::f64::consts::LN_2;

/// Where squares are beyond the last place of what is added to them.
const HUGE: f64 = 268_435_456.0;

/// The hyperbolic sine, within 3 ulp; odd, inf beyond 710.48.
#[inline(always)]
pub fn sinh(x: f64) -> f64 {
    let a = x.abs();
    let e = expm1(a);
    let near = 0.5 * (e + e / (e + 1.0));
    // Beyond, the power itself is infinite earlier than its half.
    let root = exp(0.5 * a);
    let y = if a < 700.0 { near } else { 0.5 * root * root };
    y.copysign(x)
}

/// The hyperbolic cosine, within 3 ulp; even, inf beyond 710.48.
#[inline(always)]
pub fn cosh(x: f64) -> f64 {
    let a = x.abs();
    let e = exp(a);
    let root = exp(0.5 * a);
    if a < 700.0 { 0.5 * e + 0.5 / e } else { 0.5 * root * root }
}

/// The inverse hyperbolic sine, within 3 ulp; odd.
#[inline(always)]
pub fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let square = a * a;
    let root = (square + 1.0).sqrt();
    let near = log1p(a + square / (1.0 + root));
    let y = if a < HUGE { near } else { log(a) + LN_2 };
    y.copysign(x)
}

/// The inverse hyperbolic cosine, within 3 ulp; nan below 1.
#[inline(always)]
pub fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    let near = log1p(t + (2.0 * t + t * t).sqrt());
    let y = if x < HUGE { near } else { log(x) + LN_2 };
    if x < 1.0 { f64::NAN } else { y }
}

/// The inverse hyperbolic tangent, within 3 ulp; odd, inf at 1, nan beyond.
#[inline(always)]
pub fn atanh(x: f64) -> f64 {
    let a = x.abs();
    let y = 0.5 * log1p(2.0 * a / (1.0 - a));
    let y = if a <= 1.0 { y } else { f64::NAN };
    y.copysign(x)
}
