//! What the special functions are made of, under the names that C gives it: the CPU's element functions, and C++ beside them.
//! Every file of this folder takes its functions from here.

use super::super::cpu::math::double;
pub(super) use double::{cos, erfc, exp, expm1, floor, log, log1p, pow, sin};

/// The absolute value.
pub(super) fn fabs(x: f64) -> f64 {
    x.abs()
}

/// The square root.
pub(super) fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

/// The infinite number.
pub(super) fn infinity() -> f64 {
    f64::INFINITY
}

/// No number.
pub(super) fn not_a_number() -> f64 {
    f64::NAN
}

/// The constants in C++; the functions are the device's own.
pub(super) fn text() -> String {
    let constant = |name: &str, bits: u64| {
        format!("__device__ inline double {name}() {{ return __longlong_as_double({bits:#018x}ll); }}\n")
    };
    constant("infinity", f64::INFINITY.to_bits()) + &constant("not_a_number", f64::NAN.to_bits())
}
