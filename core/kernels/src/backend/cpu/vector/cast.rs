//! Conversions between dtypes: Rust's `as` for most, rounding to nearest for the 16-bit floats, and the loop for each pair.
//! `pick.rs` asks here for the loop of a cast; reductions widen and narrow their elements with the same functions.

use super::Loop;
use super::kernels::{Un, Unary, instance, plain};
use crate::backend::cpu::Isa;
use crate::dtype::{DType, bf16, f16};
use std::marker::PhantomData;

/// A conversion between two types with Rust's `as`: saturating from floats, wrapping between integers.
struct As<A, B>(PhantomData<(A, B)>);

macro_rules! as_from {
    ($($from:ident => $($to:ident)*;)*) => {$($(
        impl Unary for As<$from, $to> {
            type In = $from;
            type Out = $to;
            #[inline(always)]
            fn f(x: $from) -> $to { x as $to }
        }
    )*)*};
}

as_from! {
    f32 => f64 i8 i16 i32 i64 u8 u16 u32 u64;
    f64 => f32 i8 i16 i32 i64 u8 u16 u32 u64;
    i8 => f32 f64 i16 i32 i64 u8 u16 u32 u64;
    i16 => f32 f64 i8 i32 i64 u8 u16 u32 u64;
    i32 => f32 f64 i8 i16 i64 u8 u16 u32 u64;
    i64 => f32 f64 i8 i16 i32 u8 u16 u32 u64;
    u8 => f32 f64 i8 i16 i32 i64 u16 u32 u64;
    u16 => f32 f64 i8 i16 i32 i64 u8 u32 u64;
    u32 => f32 f64 i8 i16 i32 i64 u8 u16 u64;
    u64 => f32 f64 i8 i16 i32 i64 u8 u16 u32;
}

struct ToTruth<A>(PhantomData<A>);
impl<A: Copy + PartialEq + Default> Unary for ToTruth<A> {
    type In = A;
    type Out = u8;
    #[inline(always)]
    fn f(x: A) -> u8 {
        (x != A::default()) as u8
    }
}

struct Copied<A>(PhantomData<A>);
impl<A: Copy> Unary for Copied<A> {
    type In = A;
    type Out = A;
    #[inline(always)]
    fn f(x: A) -> A {
        x
    }
}

impl Unary for As<f32, bf16> {
    type In = f32;
    type Out = u16;
    #[inline(always)]
    fn f(x: f32) -> u16 {
        narrow_bf16(x)
    }
}

#[inline(always)]
pub(super) fn narrow_bf16(x: f32) -> u16 {
    // To nearest, ties to even; a NaN keeps its upper bits and stays one.
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    if x.is_nan() { (bits >> 16 | 0x40) as u16 } else { rounded as u16 }
}

impl Unary for As<bf16, f32> {
    type In = u16;
    type Out = f32;
    #[inline(always)]
    fn f(x: u16) -> f32 {
        widen_bf16(x)
    }
}

#[inline(always)]
pub(super) fn widen_bf16(x: u16) -> f32 {
    f32::from_bits(u32::from(x) << 16)
}

impl Unary for As<f32, f16> {
    type In = f32;
    type Out = u16;
    #[inline(always)]
    fn f(x: f32) -> u16 {
        narrow_f16(x)
    }
}

#[inline(always)]
pub(super) fn narrow_f16(x: f32) -> u16 {
    // Branch-free, so that it vectorises: one addition rounds subnormals, integer arithmetic rounds the rest.
    let sign = x.to_bits() >> 16 & 0x8000;
    let bits = x.to_bits() & 0x7fff_ffff;
    let small = (f32::from_bits(bits) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let normal = bits.wrapping_add(0xc800_0000).wrapping_add(0xfff + (bits >> 13 & 1)) >> 13;
    let special = if bits > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    let magnitude = if bits < 0x3880_0000 {
        small
    } else if bits >= 0x4780_0000 {
        special
    } else {
        normal
    };
    (sign | magnitude) as u16
}

impl Unary for As<f16, f32> {
    type In = u16;
    type Out = f32;
    #[inline(always)]
    fn f(x: u16) -> f32 {
        widen_f16(x)
    }
}

#[inline(always)]
pub(super) fn widen_f16(x: u16) -> f32 {
    let sign = u32::from(x & 0x8000) << 16;
    let magnitude = u32::from(x & 0x7fff) << 13;
    // One more exponent step would be read as a normal number, so subnormals take the subtraction.
    let value = if magnitude < 0x0080_0000 {
        (f32::from_bits(magnitude | (113 << 23)) - f32::from_bits(113 << 23)).to_bits()
    } else if magnitude >= 0x0f80_0000 {
        magnitude + (224 << 23)
    } else {
        magnitude + (112 << 23)
    };
    f32::from_bits(sign | value)
}

macro_rules! cast_table {
    ($from:ident, $to:expr, $isa:expr; hot $($hot:ident)*; cold $($cold:ident)*) => {
        match $to {
            DType::Bool => Some(plain::<Un<ToTruth<$from>>>()),
            $(d if d == <$hot as crate::dtype::Element>::DTYPE => Some(instance::<Un<As<$from, $hot>>>($isa)),)*
            $(d if d == <$cold as crate::dtype::Element>::DTYPE => Some(plain::<Un<As<$from, $cold>>>()),)*
            _ => None,
        }
    };
}

/// Conversions; those of a training loop are compiled for every instruction set, the rest once.
pub(super) fn cast(from: DType, to: DType, isa: Isa) -> Option<Loop> {
    if from == to {
        return Some(match from.size() {
            1 => plain::<Un<Copied<u8>>>(),
            2 => plain::<Un<Copied<u16>>>(),
            4 => plain::<Un<Copied<u32>>>(),
            8 => plain::<Un<Copied<u64>>>(),
            _ => return None,
        });
    }
    match from {
        DType::F32 => cast_table!(f32, to, isa; hot f64 i32 i64 u8 bf16 f16; cold i8 i16 u16 u32 u64),
        DType::F64 => cast_table!(f64, to, isa; hot f32; cold i8 i16 i32 i64 u8 u16 u32 u64),
        DType::I32 => cast_table!(i32, to, isa; hot f32; cold f64 i8 i16 i64 u8 u16 u32 u64),
        DType::I64 => cast_table!(i64, to, isa; hot f32; cold f64 i8 i16 i32 u8 u16 u32 u64),
        DType::U8 => cast_table!(u8, to, isa; hot f32; cold f64 i8 i16 i32 i64 u16 u32 u64),
        DType::I8 => cast_table!(i8, to, isa; hot f32; cold f64 i16 i32 i64 u8 u16 u32 u64),
        DType::I16 => cast_table!(i16, to, isa; hot f32; cold f64 i8 i32 i64 u8 u16 u32 u64),
        DType::U16 => cast_table!(u16, to, isa; hot f32; cold f64 i8 i16 i32 i64 u8 u32 u64),
        DType::U32 => cast_table!(u32, to, isa; hot f32; cold f64 i8 i16 i32 i64 u8 u16 u64),
        DType::U64 => cast_table!(u64, to, isa; hot f32; cold f64 i8 i16 i32 i64 u8 u16 u32),
        // A truth value is 0 or 1 in its byte already.
        DType::Bool if to == DType::U8 => Some(plain::<Un<Copied<u8>>>()),
        DType::Bool => cast(DType::U8, to, isa),
        DType::BF16 => (to == DType::F32).then(|| instance::<Un<As<bf16, f32>>>(isa)),
        DType::F16 => (to == DType::F32).then(|| instance::<Un<As<f16, f32>>>(isa)),
        DType::C64 | DType::C128 | DType::Resource | DType::Variant | DType::String => None,
    }
}
