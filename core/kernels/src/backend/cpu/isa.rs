//! The instruction sets that kernels are compiled for, and the choice among them at run time.
//! Every kernel table of the CPU backend asks [`Isa::current`] once per call.

use std::sync::atomic::{AtomicU8, Ordering};

/// An instruction set for which the kernels exist.
///
/// `Portable` is plain Rust for whatever the compiler targets: SSE2 on x86-64, NEON on AArch64.
#[derive(Copy, Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Isa {
    /// What every processor of the target architecture has.
    Portable = 1,
    /// x86-64 with AVX2 and FMA.
    Avx2 = 2,
    /// x86-64 with AVX-512 F, BW, DQ and VL.
    Avx512 = 3,
}

/// 0 until the first question.
static CURRENT: AtomicU8 = AtomicU8::new(0);

impl Isa {
    /// The best set this processor has, unless `EAGERFLOW_CPU` (`portable`, `avx2` or `avx512`) asks for less. Where that is set, products of
    /// `bfloat16` do without a matrix unit (AMX) too.
    pub fn detect() -> Self {
        let best = Self::best();
        let asked = match std::env::var("EAGERFLOW_CPU").as_deref() {
            Ok("portable") => Self::Portable,
            Ok("avx2") => Self::Avx2,
            _ => Self::Avx512,
        };
        asked.min(best)
    }

    #[cfg(target_arch = "x86_64")]
    fn best() -> Self {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        match (avx2, avx512) {
            (true, true) => Self::Avx512,
            (true, false) => Self::Avx2,
            _ => Self::Portable,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn best() -> Self {
        Self::Portable
    }

    /// The set in use by this process.
    #[inline]
    pub fn current() -> Self {
        match CURRENT.load(Ordering::Relaxed) {
            1 => Self::Portable,
            2 => Self::Avx2,
            3 => Self::Avx512,
            _ => {
                let isa = Self::detect();
                CURRENT.store(isa as u8, Ordering::Relaxed);
                isa
            }
        }
    }

    /// The sets this processor can run, for tests that compare them.
    pub fn available() -> impl Iterator<Item = Self> {
        [Self::Portable, Self::Avx2, Self::Avx512].into_iter().filter(|&i| i <= Self::best())
    }
}
