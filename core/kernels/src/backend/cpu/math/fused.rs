//! [`Arithmetic`]: how most element functions in f32 compute a product and a sum rounded once.
//! The CPU loops choose one per instruction set, so that every set gives the same bits.

#[cfg(target_arch = "x86_64")]
use crate::backend::cpu::Isa;

/// The fused multiply-add of an instruction set.
pub trait Arithmetic: Copy {
    /// a b + c.
    fn fma(a: f32, b: f32, c: f32) -> f32;
    /// 1 + r + r^2 q, for |r| < 0.35.
    #[inline(always)]
    fn power(r: f32, q: f32) -> f32 {
        Self::fma(r, Self::fma(r, q, 1.0), 1.0)
    }
}

/// One instruction. For functions whose target has it (x86-64 with FMA, AArch64): elsewhere it is a slow call.
#[derive(Clone, Copy)]
pub struct Fused;

/// The bits of [`Fused`] from f64, for processors and functions without the instruction.
#[derive(Clone, Copy)]
pub struct Composed;

/// What every processor of the target has.
#[cfg(any(target_arch = "aarch64", target_feature = "fma"))]
pub type Portable = Fused;
/// What every processor of the target has.
#[cfg(not(any(target_arch = "aarch64", target_feature = "fma")))]
pub type Portable = Composed;

impl Arithmetic for Fused {
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }
}

impl Arithmetic for Composed {
    /// The product is exact in f64. Rounding the sum to f64 first and to f32 then goes wrong only where the f64 lies
    /// half-way between two f32, or where the f32 is denormal, with other half-ways; rare enough for a branch.
    #[inline(always)]
    fn fma(a: f32, b: f32, c: f32) -> f32 {
        let p = f64::from(a) * f64::from(b);
        let s = p + f64::from(c);
        let half_way = s.to_bits() & 0x1fff_ffff == 0x1000_0000;
        if half_way | (s.abs() < f64::from(f32::MIN_POSITIVE)) { odd(p, f64::from(c)) } else { s as f32 }
    }
}

/// p + c as an f32, rounded once: an f64 sum that lost something gets an odd last bit, which no half-way point has.
#[cold]
#[inline(never)]
fn odd(p: f64, c: f64) -> f32 {
    let s = p + c;
    let from_c = s - p;
    let lost = (p - (s - from_c)) + (c - from_c);
    if lost == 0.0 || s.to_bits() & 1 == 1 {
        return s as f32;
    }
    // One step towards what was lost: away from zero where the signs agree.
    let step = if (lost > 0.0) == (s > 0.0) { 1 } else { u64::MAX };
    f64::from_bits(s.to_bits().wrapping_add(step)) as f32
}

/// Whether this processor has the instruction and may use it, though the code around is compiled for every processor.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn available() -> bool {
    Isa::current() >= Isa::Avx2
}

/// Defines the function of one float for callers that are not compiled for an instruction set: `$lanes`, with the
/// instruction where the processor has it.
macro_rules! one {
    ($(#[$doc:meta])* $name:ident = $lanes:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $name(x: f32) -> f32 {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn fused(x: f32) -> f32 {
                $lanes::<$crate::backend::cpu::math::fused::Fused, 1>(Lanes([x])).0[0]
            }
            #[cfg(target_arch = "x86_64")]
            if $crate::backend::cpu::math::fused::available() {
                // SAFETY: the processor has AVX2 and FMA.
                return unsafe { fused(x) };
            }
            $lanes::<$crate::backend::cpu::math::fused::Portable, 1>(Lanes([x])).0[0]
        }
    };
}
pub(super) use one;

#[cfg(test)]
mod tests {
    use super::*;

    /// Products and sums of every kind: any bits, sums near a half-way point, denormal results, cancellation.
    #[test]
    fn composed_is_fused() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut rare = 0;
        for i in 0..2_000_000 {
            let (u, v) = (next(), next());
            let (a, b) = (f32::from_bits(u as u32), f32::from_bits((u >> 32) as u32));
            let small = |bits: u64| f32::from_bits((bits as u32 & 0x80ff_ffff) | 0x3f00_0000);
            let (a, b, c) = match i % 5 {
                0 => (a, b, f32::from_bits(v as u32)),
                1 => (small(u), small(u >> 32), small(v)),
                // (1 + e)(1 - e) is half a last place of c, but for e^2: beyond the last place of the f64 sum.
                2 => {
                    let e = 2_f32.powi(-15 - (u % 9) as i32);
                    (1.0 + e, (1.0 - e) * 2_f32.powi(-24), f32::from_bits((v as u32 & 0x807f_ffff) | 0x3f80_0000))
                }
                3 => (small(u) * 1e-20, small(u >> 32) * 1e-20, f32::from_bits(v as u32 & 0x80ff_ffff)),
                _ => (small(u), small(u >> 32), -(small(u) * small(u >> 32))),
            };
            let (want, got) = (a.mul_add(b, c), Composed::fma(a, b, c));
            assert!(
                want.to_bits() == got.to_bits() || want.is_nan() && got.is_nan(),
                "{a:e} {b:e} {c:e}: {got:e}, not {want:e}"
            );
            let s = f64::from(a) * f64::from(b) + f64::from(c);
            rare += u32::from(!want.is_nan() && s as f32 != want);
        }
        assert!(rare > 100, "only {rare} sums were rounded twice");
        // 1 + 2^-24 is half-way; the rest of the product decides.
        let e = 2_f32.powi(-24);
        assert_eq!(Composed::fma(e, 1.0, 1.0), 1.0);
        assert_eq!(Composed::fma(e * (1.0 + 2_f32.powi(-23)), 1.0 + 2_f32.powi(-23), 1.0), 1.0_f32.next_up());
        assert_eq!(Composed::fma(0.0, -1.0, -0.0).to_bits(), (-0.0_f32).to_bits());
    }
}
