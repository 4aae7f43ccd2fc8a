//! What reductions fold: elements as they lie in memory, the types they are accumulated in, and the monoids.
//! The loops of `fold.rs` are generic over both.

use crate::backend::cpu::vector::cast::{narrow_bf16, narrow_f16, widen_bf16, widen_f16};
use crate::backend::cpu::vector::number::{Bits, Number, Truth};

/// An element as it lies in memory, and the type it is accumulated in.
pub(super) trait Item: Copy + 'static {
    type Acc: Copy + 'static;
    /// Whether any order of combination gives the same, as integers wrap.
    const EXACT: bool;
    fn load(self) -> Self::Acc;
    fn store(acc: Self::Acc) -> Self;
    fn divide(acc: Self::Acc, count: usize) -> Self::Acc;
}

pub(super) trait Combine<A: Copy> {
    fn identity() -> A;
    fn combine(a: A, b: A) -> A;
}

macro_rules! items {
    ($exact:literal $divide:expr; $($t:ty)*) => {$(
        impl Item for $t {
            type Acc = $t;
            const EXACT: bool = $exact;
            #[inline(always)]
            fn load(self) -> $t { self }
            #[inline(always)]
            fn store(acc: $t) -> $t { acc }
            #[inline(always)]
            fn divide(acc: $t, count: usize) -> $t { ($divide as fn($t, $t) -> $t)(acc, count as $t) }
        }
    )*};
}
items!(false |acc, count| acc / count; f32 f64);
// Integers have no mean of nothing; TensorFlow's is 0.
items!(true |acc, count| acc.checked_div(count).unwrap_or(0); i8 i16 i32 i64 u8 u16 u32 u64);

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Half(u16);
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Brain(u16);

macro_rules! narrow_items {
    ($($t:ident $widen:ident $narrow:ident)*) => {$(
        impl Item for $t {
            type Acc = f32;
            const EXACT: bool = false;
            #[inline(always)]
            fn load(self) -> f32 { $widen(self.0) }
            #[inline(always)]
            fn store(acc: f32) -> Self { Self($narrow(acc)) }
            #[inline(always)]
            fn divide(acc: f32, count: usize) -> f32 { acc / count as f32 }
        }
    )*};
}
narrow_items!(Half widen_f16 narrow_f16 Brain widen_bf16 narrow_bf16);

impl Item for Truth {
    type Acc = Truth;
    const EXACT: bool = true;
    #[inline(always)]
    fn load(self) -> Truth {
        Truth((self.0 != 0) as u8)
    }
    #[inline(always)]
    fn store(acc: Truth) -> Truth {
        acc
    }
    #[inline(always)]
    fn divide(acc: Truth, _: usize) -> Truth {
        acc
    }
}

pub(super) struct SumOf;
pub(super) struct ProdOf;
pub(super) struct MaxOf;
pub(super) struct MinOf;
pub(super) struct AnyOf;
pub(super) struct AllOf;

/// The lowest and highest value of a type: infinities for floats.
pub(super) trait Extremes {
    const LOWEST: Self;
    const HIGHEST: Self;
    const ZERO: Self;
}
macro_rules! extremes {
    ($($t:ident $lowest:ident $highest:ident $zero:literal)*) => {$(
        impl Extremes for $t {
            const LOWEST: Self = $t::$lowest;
            const HIGHEST: Self = $t::$highest;
            const ZERO: Self = $zero;
        }
    )*};
}
extremes!(f32 NEG_INFINITY INFINITY 0.0 f64 NEG_INFINITY INFINITY 0.0 i8 MIN MAX 0 i16 MIN MAX 0 i32 MIN MAX 0
    i64 MIN MAX 0 u8 MIN MAX 0 u16 MIN MAX 0 u32 MIN MAX 0 u64 MIN MAX 0);

impl<A: Number + Extremes> Combine<A> for SumOf {
    #[inline(always)]
    fn identity() -> A {
        A::ZERO
    }
    #[inline(always)]
    fn combine(a: A, b: A) -> A {
        a.add(b)
    }
}
impl<A: Number + Extremes> Combine<A> for ProdOf {
    #[inline(always)]
    fn identity() -> A {
        A::ONE
    }
    #[inline(always)]
    fn combine(a: A, b: A) -> A {
        a.mul(b)
    }
}
impl<A: Number + Extremes> Combine<A> for MaxOf {
    #[inline(always)]
    fn identity() -> A {
        A::LOWEST
    }
    #[inline(always)]
    fn combine(a: A, b: A) -> A {
        a.max(b)
    }
}
impl<A: Number + Extremes> Combine<A> for MinOf {
    #[inline(always)]
    fn identity() -> A {
        A::HIGHEST
    }
    #[inline(always)]
    fn combine(a: A, b: A) -> A {
        a.min(b)
    }
}
impl Combine<Truth> for AnyOf {
    #[inline(always)]
    fn identity() -> Truth {
        Truth(0)
    }
    #[inline(always)]
    fn combine(a: Truth, b: Truth) -> Truth {
        a.or(b)
    }
}
impl Combine<Truth> for AllOf {
    #[inline(always)]
    fn identity() -> Truth {
        Truth(1)
    }
    #[inline(always)]
    fn combine(a: Truth, b: Truth) -> Truth {
        a.and(b)
    }
}
