//! The arithmetic of one element for each Rust type that a loop computes in: floats, integers, and `u8` for `bool`.
//! The loops are generic over [`Number`]; the machine for scalar loops calls the same functions.

use crate::backend::cpu::math::fused::Arithmetic;
use crate::backend::cpu::math::{double, single};

/// What every computed type can do. Integers wrap; operations that have no integer meaning are never looked up.
pub trait Number: Copy + PartialEq + PartialOrd + 'static {
    const ONE: Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn sign(self) -> Self;
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn div(self, b: Self) -> Self;
    fn rem(self, b: Self) -> Self;
    fn floor_div(self, b: Self) -> Self;
    fn floor_mod(self, b: Self) -> Self;
    fn pow(self, b: Self) -> Self;
    fn min(self, b: Self) -> Self;
    fn max(self, b: Self) -> Self;
    /// Whether division by this value faults: zero, for integers.
    fn no_divisor(self) -> bool;
    /// Whether raising to this power faults: negative, for integers.
    fn no_exponent(self) -> bool;
}

/// What only floats can do.
pub trait Real: Number {
    fn sqrt(self) -> Self;
    fn exp(self) -> Self;
    fn expm1(self) -> Self;
    fn log(self) -> Self;
    fn log1p(self) -> Self;
    /// Of whole slices of one length: several elements are computed side by side.
    fn exp_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]);
    fn log_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]);
    fn log1p_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]);
    fn tanh_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]);
    fn sigmoid_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]);
    /// Of whole slices, because a single sine must branch for huge arguments.
    fn sin_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]);
    fn cos_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]);
    fn tanh(self) -> Self;
    fn erf_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]);
    fn erfc_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]);
    fn sigmoid(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn round(self) -> Self;
    fn is_nan(self) -> bool;
    fn is_finite(self) -> bool;
    /// In f64, in which special functions are computed.
    fn wide(self) -> f64;
    /// The nearest number of this type.
    fn nearest(x: f64) -> Self;
    fn next_after(self, b: Self) -> Self;
}

/// What integers and truth values can do.
pub trait Bits: Copy + 'static {
    fn not(self) -> Self;
    fn and(self, b: Self) -> Self;
    fn or(self, b: Self) -> Self;
    fn xor(self, b: Self) -> Self;
    /// How many bits are set.
    fn count(self) -> Self;
    fn left_shift(self, by: Self) -> Self;
    fn right_shift(self, by: Self) -> Self;
}

macro_rules! floats {
    ($($t:ident $math:ident)*) => {$(
        impl Number for $t {
            const ONE: Self = 1.0;
            #[inline(always)]
            fn neg(self) -> Self { -self }
            #[inline(always)]
            fn abs(self) -> Self { $t::abs(self) }
            #[inline(always)]
            fn sign(self) -> Self {
                // Zero and NaN come back as they are.
                if self > 0.0 { 1.0 } else if self < 0.0 { -1.0 } else { self }
            }
            #[inline(always)]
            fn add(self, b: Self) -> Self { self + b }
            #[inline(always)]
            fn sub(self, b: Self) -> Self { self - b }
            #[inline(always)]
            fn mul(self, b: Self) -> Self { self * b }
            #[inline(always)]
            fn div(self, b: Self) -> Self { self / b }
            #[inline(always)]
            fn rem(self, b: Self) -> Self { self % b }
            #[inline(always)]
            fn floor_div(self, b: Self) -> Self { $math::floor(self / b) }
            #[inline(always)]
            fn floor_mod(self, b: Self) -> Self {
                let r = self % b;
                if r != 0.0 && ((r < 0.0) != (b < 0.0)) { r + b } else { r }
            }
            #[inline(always)]
            fn pow(self, b: Self) -> Self { $math::pow(self, b) }
            #[inline(always)]
            fn min(self, b: Self) -> Self {
                // Two choices, one of them the processor's own minimum: of one by both conditions the compiler makes no vectors in short loops.
                // NaN less anything is that NaN; were it `self` alone, and that just read from where the result goes, the compiler would write
                // the other elements by a mask, which takes six times as long on Zen 4 with AVX2.
                let least = if self < b { self } else { b };
                if self != self { self - b } else { least }
            }
            #[inline(always)]
            fn max(self, b: Self) -> Self {
                let most = if self > b { self } else { b };
                if self != self { self - b } else { most }
            }
            #[inline(always)]
            fn no_divisor(self) -> bool { false }
            #[inline(always)]
            fn no_exponent(self) -> bool { false }
        }
        impl Real for $t {
            #[inline(always)]
            fn sqrt(self) -> Self { $t::sqrt(self) }
            #[inline(always)]
            fn exp(self) -> Self { $math::exp(self) }
            #[inline(always)]
            fn expm1(self) -> Self { $math::expm1(self) }
            #[inline(always)]
            fn log(self) -> Self { $math::log(self) }
            #[inline(always)]
            fn log1p(self) -> Self { $math::log1p(self) }
            #[inline(always)]
            fn exp_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]) { $math::exp_slice::<A>(a, out) }
            #[inline(always)]
            fn log_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]) { $math::log_slice::<A>(a, out) }
            #[inline(always)]
            fn log1p_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]) { $math::log1p_slice::<A>(a, out) }
            #[inline(always)]
            fn tanh_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]) { $math::tanh_slice::<A>(a, out) }
            #[inline(always)]
            fn sigmoid_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]) { $math::sigmoid_slice::<A>(a, out) }
            #[inline(always)]
            fn sin_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]) { $math::sin_slice::<A>(a, out) }
            #[inline(always)]
            fn cos_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]) { $math::cos_slice::<A>(a, out) }
            #[inline(always)]
            fn tanh(self) -> Self { $math::tanh(self) }
            #[inline(always)]
            fn erf_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]) { $math::erf_slice::<A>(a, out) }
            #[inline(always)]
            fn erfc_slice<A: Arithmetic>(a: &[Self], out: &mut [Self]) { $math::erfc_slice::<A>(a, out) }
            #[inline(always)]
            fn sigmoid(self) -> Self { $math::sigmoid(self) }
            #[inline(always)]
            fn floor(self) -> Self { $math::floor(self) }
            #[inline(always)]
            fn ceil(self) -> Self { $math::ceil(self) }
            #[inline(always)]
            fn round(self) -> Self { $math::round_even(self) }
            #[inline(always)]
            fn is_nan(self) -> bool { self != self }
            #[inline(always)]
            fn is_finite(self) -> bool { $t::abs(self) < $t::INFINITY }
            #[inline(always)]
            fn wide(self) -> f64 { self.into() }
            #[inline(always)]
            fn nearest(x: f64) -> Self { x as $t }
            #[inline(always)]
            fn next_after(self, b: Self) -> Self {
                if self != self || b != b {
                    return $t::NAN;
                }
                // Equal numbers give the second, whose zero may have the other sign.
                if self == b { b } else if self < b { self.next_up() } else { self.next_down() }
            }
        }
    )*};
}

floats!(f32 single f64 double);

macro_rules! integers {
    ($signed:literal: $($t:ident)*) => {$(
        impl Number for $t {
            const ONE: Self = 1;
            #[inline(always)]
            fn neg(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "one text for signed and unsigned")]
            fn abs(self) -> Self { if self < 0 { self.wrapping_neg() } else { self } }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "one text for signed and unsigned")]
            fn sign(self) -> Self { ((self > 0) as $t).wrapping_sub((self < 0) as $t) }
            #[inline(always)]
            fn add(self, b: Self) -> Self { self.wrapping_add(b) }
            #[inline(always)]
            fn sub(self, b: Self) -> Self { self.wrapping_sub(b) }
            #[inline(always)]
            fn mul(self, b: Self) -> Self { self.wrapping_mul(b) }
            #[inline(always)]
            fn div(self, b: Self) -> Self { self.wrapping_div(b) }
            #[inline(always)]
            fn rem(self, b: Self) -> Self { self.wrapping_rem(b) }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "one text for signed and unsigned")]
            fn floor_div(self, b: Self) -> Self {
                let (q, r) = (self.wrapping_div(b), self.wrapping_rem(b));
                q.wrapping_sub((r != 0 && ((r < 0) != (b < 0))) as $t)
            }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "one text for signed and unsigned")]
            fn floor_mod(self, b: Self) -> Self {
                let r = self.wrapping_rem(b);
                if r != 0 && ((r < 0) != (b < 0)) { r.wrapping_add(b) } else { r }
            }
            #[inline(always)]
            fn pow(self, b: Self) -> Self {
                let (mut base, mut exponent, mut power) = (self, b as u64, 1 as $t);
                while exponent > 0 {
                    if exponent & 1 == 1 {
                        power = power.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    exponent >>= 1;
                }
                power
            }
            #[inline(always)]
            fn min(self, b: Self) -> Self { if self < b { self } else { b } }
            #[inline(always)]
            fn max(self, b: Self) -> Self { if self > b { self } else { b } }
            #[inline(always)]
            fn no_divisor(self) -> bool { self == 0 }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "one text for signed and unsigned")]
            fn no_exponent(self) -> bool { self < 0 }
        }
        impl Bits for $t {
            #[inline(always)]
            fn not(self) -> Self { !self }
            #[inline(always)]
            fn and(self, b: Self) -> Self { self & b }
            #[inline(always)]
            fn or(self, b: Self) -> Self { self | b }
            #[inline(always)]
            fn xor(self, b: Self) -> Self { self ^ b }
            #[inline(always)]
            fn count(self) -> Self { self.count_ones() as $t }
            #[inline(always)]
            fn left_shift(self, by: Self) -> Self { self << by.clamp(0, $t::BITS as $t - 1) as u32 }
            #[inline(always)]
            fn right_shift(self, by: Self) -> Self { self >> by.clamp(0, $t::BITS as $t - 1) as u32 }
        }
    )*};
}

integers!(true: i8 i16 i32 i64);
integers!(false: u8 u16 u32 u64);

/// A truth value in its byte. Memory from outside may hold other bytes than 0 and 1, so it is never read as `bool`.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
#[repr(transparent)]
pub struct Truth(pub u8);

impl Bits for Truth {
    #[inline(always)]
    fn not(self) -> Self {
        Self((self.0 == 0) as u8)
    }
    #[inline(always)]
    fn and(self, b: Self) -> Self {
        Self(self.0 & b.0)
    }
    #[inline(always)]
    fn or(self, b: Self) -> Self {
        Self(self.0 | b.0)
    }
    #[inline(always)]
    fn xor(self, b: Self) -> Self {
        Self(self.0 ^ b.0)
    }
    #[inline(always)]
    fn count(self) -> Self {
        self
    }
    #[inline(always)]
    fn left_shift(self, _: Self) -> Self {
        self
    }
    #[inline(always)]
    fn right_shift(self, _: Self) -> Self {
        self
    }
}
