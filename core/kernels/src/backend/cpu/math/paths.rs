//! Bit-equality of the slice loops under AVX-512, AVX2 and the baseline, with the scalar call as the measure.
//! Only `cargo test` uses it; loops vectorise in an optimised build, so that is where it says most.

use super::fused::{Arithmetic, Portable};
#[cfg(target_arch = "x86_64")]
use super::fused::{Composed, Fused};
use super::{double, single};

/// Defines a test that runs `$f` over a slice on every path the CPU has.
macro_rules! paths {
    ($name:ident, $t:ty, $bits:ty, $step:expr, $slice:expr, $f:expr) => {
        #[test]
        fn $name() {
            #[inline(always)]
            fn body<A: Arithmetic>(a: &[$t], out: &mut [$t]) {
                $slice(a, out)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
            fn avx512(a: &[$t], out: &mut [$t]) {
                body::<Fused>(a, out)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2(a: &[$t], out: &mut [$t]) {
                body::<Fused>(a, out)
            }
            // Bit patterns from everywhere, and a length that leaves a scalar tail.
            let a: Vec<$t> = (0..100_003).map(|i: $bits| <$t>::from_bits(i.wrapping_mul($step))).collect();
            let want: Vec<$bits> = a.iter().map(|&x| $f(x).to_bits()).collect();
            let mut out = vec![0.0; a.len()];
            let check = |out: &[$t]| {
                for i in 0..out.len() {
                    assert!(
                        out[i].to_bits() == want[i] || out[i].is_nan() && <$t>::from_bits(want[i]).is_nan(),
                        "{}",
                        a[i]
                    );
                }
            };
            body::<Portable>(&a, &mut out);
            check(&out);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                // SAFETY: the CPU has AVX2 and FMA.
                unsafe { avx2(&a, &mut out) };
                check(&out);
            }
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
            {
                // SAFETY: the CPU has the four features.
                unsafe { avx512(&a, &mut out) };
                check(&out);
            }
        }
    };
    ($name:ident, f32, $f:expr) => {
        paths!(
            $name,
            f32,
            u32,
            42_949,
            |a: &[f32], out: &mut [f32]| for i in 0..a.len().min(out.len()) {
                out[i] = $f(a[i]);
            },
            $f
        );
    };
    ($name:ident, f64, $f:expr) => {
        paths!(
            $name,
            f64,
            u64,
            184_467_440_737_095,
            |a: &[f64], out: &mut [f64]| for i in 0..a.len().min(out.len()) {
                out[i] = $f(a[i]);
            },
            $f
        );
    };
}

paths!(exp_f32, f32, u32, 42_949, single::exp_slice::<A>, single::exp);
paths!(expm1_f32, f32, single::expm1);
paths!(log_f32, f32, u32, 42_949, single::log_slice::<A>, single::log);
paths!(log1p_f32, f32, u32, 42_949, single::log1p_slice::<A>, single::log1p);
paths!(tanh_f32, f32, u32, 42_949, single::tanh_slice::<A>, single::tanh);
paths!(erf_f32, f32, u32, 42_949, single::erf_slice::<A>, single::erf);
paths!(erfc_f32, f32, u32, 42_949, single::erfc_slice::<A>, single::erfc);
paths!(sigmoid_f32, f32, u32, 42_949, single::sigmoid_slice::<A>, single::sigmoid);
paths!(floor_f32, f32, single::floor);
paths!(ceil_f32, f32, single::ceil);
paths!(round_even_f32, f32, single::round_even);
paths!(pow_f32, f32, |x: f32| single::pow(x, 0.5 + x));
paths!(sin_f32, f32, u32, 42_949, single::sin_slice::<A>, single::sin);
paths!(cos_f32, f32, u32, 42_949, single::cos_slice::<A>, single::cos);
paths!(exp_f64, f64, double::exp);
paths!(expm1_f64, f64, double::expm1);
paths!(log_f64, f64, double::log);
paths!(log1p_f64, f64, double::log1p);
paths!(tanh_f64, f64, double::tanh);
paths!(erf_f64, f64, double::erf);
paths!(erfc_f64, f64, double::erfc);
paths!(sigmoid_f64, f64, double::sigmoid);
paths!(floor_f64, f64, double::floor);
paths!(ceil_f64, f64, double::ceil);
paths!(round_even_f64, f64, double::round_even);
paths!(pow_f64, f64, |x: f64| double::pow(x, 0.5 + x));
paths!(sin_f64, f64, u64, 184_467_440_737_095, double::sin_slice::<A>, double::sin);
paths!(cos_f64, f64, u64, 184_467_440_737_095, double::cos_slice::<A>, double::cos);
paths!(asin_f64, f64, double::asin);
paths!(acos_f64, f64, double::acos);
paths!(atan_f64, f64, double::atan);
paths!(sinh_f64, f64, double::sinh);
paths!(cosh_f64, f64, double::cosh);
paths!(asinh_f64, f64, double::asinh);
paths!(acosh_f64, f64, double::acosh);
paths!(atanh_f64, f64, double::atanh);
paths!(atan2_f64, f64, |x: f64| double::atan2(x, 0.5 - x));

/// Runs of neighbouring floats with and without the instruction for fused multiply-adds: a run in 641, in 61 with
/// EAGERFLOW_HEAVY=1, or all of them (many minutes) with EAGERFLOW_HEAVY=all.
#[cfg(target_arch = "x86_64")]
#[test]
fn fused_or_composed() {
    macro_rules! pair {
        ($f:ident) => {{
            #[target_feature(enable = "avx2,fma")]
            fn fused(a: &[f32], out: &mut [f32]) {
                single::$f::<Fused>(a, out)
            }
            (fused as unsafe fn(&[f32], &mut [f32]), single::$f::<Composed> as fn(&[f32], &mut [f32]))
        }};
    }
    if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")) {
        return;
    }
    let step = match std::env::var("EAGERFLOW_HEAVY").as_deref() {
        Ok("all") => 1,
        Ok("1") => 61,
        _ => 641,
    };
    for (fused, composed) in
        [pair!(exp_slice), pair!(log_slice), pair!(log1p_slice), pair!(tanh_slice), pair!(sigmoid_slice)]
    {
        let (mut with, mut without) = (vec![0.0; 1 << 16], vec![0.0; 1 << 16]);
        for high in (0..1_u32 << 16).step_by(step) {
            let a: Vec<f32> = (0..1 << 16).map(|low| f32::from_bits(high << 16 | low)).collect();
            // SAFETY: the CPU has AVX2 and FMA.
            unsafe { fused(&a, &mut with) };
            composed(&a, &mut without);
            for ((x, with), without) in a.iter().zip(&with).zip(&without) {
                assert!(
                    with.to_bits() == without.to_bits() || with.is_nan() && without.is_nan(),
                    "{x:e}: {with:e}, {without:e}"
                );
            }
        }
    }
}
