//! The f64 element functions, by family.
//! The CPU instruction loops in `backend/cpu/vector` call them.

pub mod arcs;
pub mod erf;
pub mod exp;
pub mod hyperbolic;
pub mod log;
pub mod pow;
pub mod round;
pub mod tanh;
pub mod trig;

pub use arcs::{acos, asin, atan, atan2, tan};
pub use erf::{erf, erfc};
pub use exp::{exp, expm1, sigmoid};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh};
pub use log::{log, log1p};
pub use pow::pow;
pub use round::{ceil, floor, round_even};
pub use tanh::tanh;
pub use trig::{cos, cos_slice, sin, sin_slice};

/// An f64 element function has one form for all instruction sets, made of separate products and sums.
macro_rules! slices {
    ($($name:ident $f:ident)*) => {$(
        /// The function of each element.
        #[inline(always)]
        pub fn $name<A: super::fused::Arithmetic>(a: &[f64], out: &mut [f64]) {
            for (out, &a) in out.iter_mut().zip(a) {
                *out = $f(a);
            }
        }
    )*};
}

slices! { exp_slice exp log_slice log log1p_slice log1p tanh_slice tanh sigmoid_slice sigmoid erf_slice erf erfc_slice erfc }

#[cfg(test)]
mod elementary_tests;
#[cfg(test)]
mod hard;
#[cfg(test)]
mod tests;
