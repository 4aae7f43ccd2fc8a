//! Special functions in f64: one text, which rustc compiles for the CPU and the generators of CUDA kernels take as it stands.
//! The loops of `cpu/vector` call the functions, `cuda/scalar_text.rs` puts [`text`] in front of programs that need it.
//!
//! They are instructions of the scalar language like `exp`, but may branch and loop until a series has converged, so the loops
//! over them are not vectorised. Nothing but IEEE arithmetic and the element functions of `cpu/math` is used: the bits are the
//! same on every CPU path. Floats of 32 and 16 bits are computed in f64 and rounded once.
//!
//! Each function states its worst error, in units of 2^-53 of the result; `tests.rs` compares with mpmath. Tables were fitted by
//! Chebyshev interpolation with 60 digits. Series and fractions end when a term no longer changes the sum, or after a limit that
//! the regions in which they are taken never reach.

mod bessel;
mod gamma;
mod incomplete_beta;
mod incomplete_gamma;
mod library;
mod macros;
mod quantile;
mod temme;
#[cfg(test)]
mod tests;
mod zeta;

pub use bessel::{bessel_i0, bessel_i0e, bessel_i1, bessel_i1e};
pub use gamma::{digamma, log_gamma};
pub use incomplete_beta::beta_share;
pub use incomplete_gamma::{gamma_lower, gamma_lower_by_a, gamma_upper};
pub use quantile::{erf_inverse, normal_quantile};
pub use zeta::{hurwitz_zeta, polygamma};

/// The functions as CUDA C++, in an order in which each is known before it is called.
pub fn text() -> &'static str {
    static TEXT: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    TEXT.get_or_init(|| {
        let files = [
            library::text(),
            gamma::text(),
            zeta::text(),
            temme::text(),
            incomplete_gamma::text(),
            incomplete_beta::text(),
            bessel::text(),
            quantile::text(),
        ];
        files.concat()
    })
}
