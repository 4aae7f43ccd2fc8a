//! Element functions, total and branch-free, whose plain loops vectorise and are bit-equal on every CPU path.
//! The CPU instruction loops in `backend/cpu/vector` call them, inside functions compiled for each feature set.
//!
//! Only + - * / of IEEE floats, bit operations and selects are used, and all is `inline(always)`: a loop under AVX-512,
//! AVX2 or the baseline, its scalar tail and a single call give the same bits. `exp`, `log`, `log1p`, `tanh`, `sigmoid`, `erf`, `erfc`,
//! `sin` and `cos` in f32 use fused multiply-adds too ([`fused`]): without the instruction they are composed from f64, exactly.
//! `sin` and `cos` alone branch, for large arguments: loops over them call `sin_slice` and `cos_slice`, which take a
//! vector pass and then correct the rare elements. The polynomials are minimax fits (Remez
//! exchange with 120 bits or more), rounded to the working precision; each function states its form and bound.
//!
//! Worst error in ulp, f32 over every third bit pattern (pow: 2e8 pairs), f64 over 1.2e5 points (pow: 3e5) against
//! MPFR; and ns per element of 4096 in cache on one Zen 5 core, beside the scalar function of std (libm):
//!
//! | function | f32 ulp | AVX-512 | AVX2 | SSE2 | libm | f64 ulp | AVX-512 | AVX2 | SSE2 | libm |
//! |---|---|---|---|---|---|---|---|---|---|---|
//! | exp | 0.88 | 0.11 | 0.22 | 10.7 | 1.30 | 0.89 | 0.70 | 1.32 | 2.63 | 2.54 |
//! | expm1 | 1.13 | 0.27 | 0.52 | 1.07 | 6.91 | 1.16 | 0.72 | 1.42 | 2.93 | 5.14 |
//! | log | 0.93 | 0.31 | 0.52 | 14.3 | 1.50 | 0.83 | 0.98 | 1.84 | 4.75 | 2.31 |
//! | log1p | 1.00 | 0.23 | 0.45 | 15.4 | 3.71 | 0.85 | 0.96 | 1.70 | 3.79 | 4.44 |
//! | tanh | 1.81 | 0.15 | 0.30 | 15.0 | 7.72 | 1.47 | 1.18 | 2.35 | 5.19 | 7.43 |
//! | erf | 1.04 | | | | 8.00 | 1.42 | 2.46 | 4.98 | 10.1 | 8.18 |
//! | sigmoid | 0.96 | 0.18 | 0.36 | 25.0 | 1.42 | 1.49 | 1.26 | 2.37 | 5.04 | 2.70 |
//! | erfc | 3.13 | | | | 8.03 | 3.14 | 2.17 | 4.54 | 9.25 | 8.06 |
//! | sin | 1.15 | 0.17 | 0.39 | 9.6 | 1.75 | 0.76 | 1.03 | 2.35 | 4.93 | 8.17 |
//! | cos | 1.15 | 0.16 | 0.38 | | 1.77 | 0.75 | 1.04 | 2.36 | 4.91 | 8.41 |
//! | pow | 0.55 | 1.15 | 2.34 | 4.92 | 3.24 | 2.2 | 2.96 | 6.10 | 15.8 | 8.45 |
//! | floor | 0 | 0.04 | 0.12 | 0.29 | 1.43 | 0 | 0.09 | 0.24 | 0.59 | 1.69 |
//! | ceil | 0 | 0.05 | 0.12 | 0.29 | 1.33 | 0 | 0.11 | 0.24 | 0.58 | 1.45 |
//! | round_even | 0 | 0.03 | 0.07 | 0.17 | 1.45 | 0 | 0.07 | 0.14 | 0.35 | 1.51 |
//!
//! `pow` settles its special cases by masks: with selects LLVM finds it not worth vectorising for plain x86-64 (SSE2),
//! which cost 12.2 ns (f32) and 25.9 ns (f64).
//!
//! LLVM uses the full 512 bits here unless the whole build is tuned otherwise: `-C target-cpu=x86-64-v4` (or an Intel
//! server CPU) brings the tuning flag `prefer-256-bit`, which `-C target-feature=-prefer-256-bit` takes back.

/// c0 + x (c1 + x (c2 + ...)).
macro_rules! horner {
    ($x:expr; $c:expr) => { $c };
    ($x:expr; $c:expr, $($rest:expr),+ $(,)?) => { $c + $x * horner!($x; $($rest),+) };
}

/// out[i] = near(a[i]) in blocks, then `exact` again where a block holds a rare element.
macro_rules! with_rare {
    ($a:expr, $out:expr, $near:expr, $rare:expr, $exact:expr) => {{
        let block = $crate::backend::cpu::math::BLOCK;
        for (a, out) in $a.chunks(block).zip($out.chunks_mut(block)) {
            let n = a.len().min(out.len());
            let (a, out) = (&a[..n], &mut out[..n]);
            let mut rare = false;
            for i in 0..n {
                out[i] = $near(a[i]);
                rare |= $rare(a[i]);
            }
            if rare {
                for i in 0..n {
                    if $rare(a[i]) {
                        out[i] = $exact(a[i]);
                    }
                }
            }
        }
    }};
}

/// Elements per block of a loop that looks for rare elements: the second look then finds the block in the cache.
const BLOCK: usize = 1024;

pub mod double;
pub mod fused;
#[cfg(test)]
mod paths;
mod reduce;
pub mod single;
