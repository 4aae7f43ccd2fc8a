//! The f32 element functions, by family.
//! The CPU instruction loops in `backend/cpu/vector` call them.

pub mod erf;
pub mod exp;
mod lanes;
pub mod log;
pub mod pow;
pub mod round;
pub mod tanh;
pub mod trig;

#[cfg(test)]
pub use erf::{erf, erfc};
pub use erf::{erf_slice, erfc_slice};
pub use exp::{exp, exp_in, exp_slice, expm1, sigmoid, sigmoid_slice};
pub use log::{log, log_slice, log1p, log1p_slice};
pub use pow::pow;
pub use round::{ceil, floor, round_even};
pub use tanh::{tanh, tanh_slice};
#[cfg(test)]
pub use trig::{cos, sin};
pub use trig::{cos_slice, sin_slice};

#[cfg(test)]
mod tests;
