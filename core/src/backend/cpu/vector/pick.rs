//! Which loop serves an instruction for a dtype: the match from `Code` to the instances of `kernels.rs`.
//! Also runs a loop on one element, which is how constants are folded.

use super::Loop;
use super::kernels::{Bin, Binary, Choose, Fault, Faulty, Slices, Splat, Un, Unary, Whole, instance, plain};
use super::number::{Bits, Number, Real, Truth};
use crate::backend::cpu::Isa;
use crate::backend::cpu::math::fused::Arithmetic;
use crate::dtype::{DType, bf16, f16};
use crate::scalar::Code;
use std::marker::PhantomData;

macro_rules! unary {
    ($($name:ident<$bound:ident> $method:ident)*) => {$(
        pub(super) struct $name<T>(PhantomData<T>);
        impl<T: $bound> Unary for $name<T> {
            type In = T;
            type Out = T;
            #[inline(always)]
            fn f(x: T) -> T { x.$method() }
        }
    )*};
}

macro_rules! binary {
    ($($name:ident<$bound:ident> $method:ident)*) => {$(
        pub(super) struct $name<T>(PhantomData<T>);
        impl<T: $bound> Binary for $name<T> {
            type In = T;
            type Out = T;
            #[inline(always)]
            fn f(a: T, b: T) -> T { a.$method(b) }
        }
    )*};
}

macro_rules! faulty {
    ($($name:ident $method:ident $faults:ident)*) => {$(
        impl<T: Number> Faulty for $name<T> {
            type T = T;
            #[inline(always)]
            fn faults(b: T) -> bool { b.$faults() }
            #[inline(always)]
            fn safe() -> T { T::ONE }
            #[inline(always)]
            fn f(a: T, b: T) -> T { a.$method(b) }
        }
    )*};
}

macro_rules! compare {
    ($($name:ident $op:tt)*) => {$(
        struct $name<T>(PhantomData<T>);
        impl<T: Copy + PartialOrd> Binary for $name<T> {
            type In = T;
            type Out = u8;
            #[inline(always)]
            fn f(a: T, b: T) -> u8 { (a $op b) as u8 }
        }
    )*};
}

unary! { Neg<Number> neg Abs<Number> abs Sign<Number> sign Sqrt<Real> sqrt Expm1<Real> expm1 Log<Real> log
Log1p<Real> log1p Erf<Real> erf Erfc<Real> erfc Floor<Real> floor
Ceil<Real> ceil Round<Real> round Not<Bits> not }
binary! { Add<Number> add Sub<Number> sub Mul<Number> mul Div<Number> div Rem<Number> rem FloorDiv<Number> floor_div
FloorMod<Number> floor_mod Pow<Number> pow Min<Number> min Max<Number> max And<Bits> and Or<Bits> or Xor<Bits> xor }
faulty! { Div div no_divisor Rem rem no_divisor FloorDiv floor_div no_divisor FloorMod floor_mod no_divisor
Pow pow no_exponent }
compare! { Eq == Ne != Lt < Le <= }

macro_rules! whole {
    ($($name:ident $method:ident $(<$fused:ident>)?)*) => {$(
        struct $name<T>(PhantomData<T>);
        impl<T: Real> Whole for $name<T> {
            type T = T;
            #[inline(always)]
            fn f<A: Arithmetic>(a: &[T], out: &mut [T]) { T::$method$(::<$fused>)?(a, out) }
        }
    )*};
}

whole! { Sin sin Cos cos Exp exp_slice<A> Tanh tanh_slice<A> Sigmoid sigmoid_slice<A> }

struct Rsqrt<T>(PhantomData<T>);
impl<T: Real> Unary for Rsqrt<T> {
    type In = T;
    type Out = T;
    #[inline(always)]
    fn f(x: T) -> T {
        T::ONE.div(x.sqrt())
    }
}

struct IsNan<T>(PhantomData<T>);
impl<T: Real> Unary for IsNan<T> {
    type In = T;
    type Out = u8;
    #[inline(always)]
    fn f(x: T) -> u8 {
        x.is_nan() as u8
    }
}

struct IsFinite<T>(PhantomData<T>);
impl<T: Real> Unary for IsFinite<T> {
    type In = T;
    type Out = u8;
    #[inline(always)]
    fn f(x: T) -> u8 {
        x.is_finite() as u8
    }
}

/// The loop for an instruction over operands of dtype `operand`, or `None` if the language gives it no meaning.
pub(crate) fn lookup(code: Code, operand: DType, result: DType, isa: Isa) -> Option<Loop> {
    match code {
        Code::Const => None,
        Code::Cast => cast(operand, result, isa),
        Code::Select => Some(match operand.size() {
            1 => instance::<Choose<u8>>(isa),
            2 => instance::<Choose<u16>>(isa),
            4 => instance::<Choose<u32>>(isa),
            8 => instance::<Choose<u64>>(isa),
            _ => return None,
        }),
        _ => match operand {
            DType::F32 => real::<f32>(code, isa),
            DType::F64 => real::<f64>(code, isa),
            DType::I32 => integer::<i32>(code, isa),
            DType::I64 => integer::<i64>(code, isa),
            DType::I8 => integer::<i8>(code, isa),
            DType::I16 => integer::<i16>(code, isa),
            DType::U8 => integer::<u8>(code, isa),
            DType::U16 => integer::<u16>(code, isa),
            DType::U32 => integer::<u32>(code, isa),
            DType::U64 => integer::<u64>(code, isa),
            DType::Bool => truth(code, isa),
            DType::F16 | DType::BF16 | DType::Resource | DType::Variant => None,
        },
    }
}

fn real<T: Real>(code: Code, isa: Isa) -> Option<Loop> {
    Some(match code {
        Code::Neg => instance::<Un<Neg<T>>>(isa),
        Code::Abs => instance::<Un<Abs<T>>>(isa),
        Code::Sign => instance::<Un<Sign<T>>>(isa),
        Code::Sqrt => instance::<Un<Sqrt<T>>>(isa),
        Code::Rsqrt => instance::<Un<Rsqrt<T>>>(isa),
        Code::Exp => instance::<Slices<Exp<T>>>(isa),
        Code::Expm1 => instance::<Un<Expm1<T>>>(isa),
        Code::Log => instance::<Un<Log<T>>>(isa),
        Code::Log1p => instance::<Un<Log1p<T>>>(isa),
        Code::Sin => instance::<Slices<Sin<T>>>(isa),
        Code::Cos => instance::<Slices<Cos<T>>>(isa),
        Code::Tanh => instance::<Slices<Tanh<T>>>(isa),
        Code::Erf => instance::<Un<Erf<T>>>(isa),
        Code::Erfc => instance::<Un<Erfc<T>>>(isa),
        Code::Sigmoid => instance::<Slices<Sigmoid<T>>>(isa),
        Code::Floor => instance::<Un<Floor<T>>>(isa),
        Code::Ceil => instance::<Un<Ceil<T>>>(isa),
        Code::Round => instance::<Un<Round<T>>>(isa),
        Code::IsNan => instance::<Un<IsNan<T>>>(isa),
        Code::IsFinite => instance::<Un<IsFinite<T>>>(isa),
        Code::Add => instance::<Bin<Add<T>>>(isa),
        Code::Sub => instance::<Bin<Sub<T>>>(isa),
        Code::Mul => instance::<Bin<Mul<T>>>(isa),
        Code::Div => instance::<Bin<Div<T>>>(isa),
        Code::Rem => plain::<Bin<Rem<T>>>(),
        Code::FloorDiv => instance::<Bin<FloorDiv<T>>>(isa),
        Code::FloorMod => plain::<Bin<FloorMod<T>>>(),
        Code::Pow => instance::<Bin<Pow<T>>>(isa),
        Code::Min => instance::<Bin<Min<T>>>(isa),
        Code::Max => instance::<Bin<Max<T>>>(isa),
        _ => return comparison::<T>(code, isa),
    })
}

fn integer<T: Number + Bits>(code: Code, isa: Isa) -> Option<Loop> {
    Some(match code {
        Code::Neg => instance::<Un<Neg<T>>>(isa),
        Code::Abs => instance::<Un<Abs<T>>>(isa),
        Code::Sign => instance::<Un<Sign<T>>>(isa),
        Code::Not => plain::<Un<Not<T>>>(),
        Code::Add => instance::<Bin<Add<T>>>(isa),
        Code::Sub => instance::<Bin<Sub<T>>>(isa),
        Code::Mul => instance::<Bin<Mul<T>>>(isa),
        Code::Div => plain::<Fault<Div<T>>>(),
        Code::Rem => plain::<Fault<Rem<T>>>(),
        Code::FloorDiv => plain::<Fault<FloorDiv<T>>>(),
        Code::FloorMod => plain::<Fault<FloorMod<T>>>(),
        Code::Pow => plain::<Fault<Pow<T>>>(),
        Code::Min => instance::<Bin<Min<T>>>(isa),
        Code::Max => instance::<Bin<Max<T>>>(isa),
        Code::And => plain::<Bin<And<T>>>(),
        Code::Or => plain::<Bin<Or<T>>>(),
        Code::Xor => plain::<Bin<Xor<T>>>(),
        _ => return comparison::<T>(code, isa),
    })
}

fn truth(code: Code, isa: Isa) -> Option<Loop> {
    Some(match code {
        Code::Not => instance::<Un<Not<Truth>>>(isa),
        Code::And => instance::<Bin<And<Truth>>>(isa),
        Code::Or => instance::<Bin<Or<Truth>>>(isa),
        Code::Xor => instance::<Bin<Xor<Truth>>>(isa),
        _ => return comparison::<u8>(code, isa),
    })
}

fn comparison<T: Copy + PartialOrd + 'static>(code: Code, isa: Isa) -> Option<Loop> {
    Some(match code {
        Code::Eq => instance::<Bin<Eq<T>>>(isa),
        Code::Ne => instance::<Bin<Ne<T>>>(isa),
        Code::Lt => instance::<Bin<Lt<T>>>(isa),
        Code::Le => instance::<Bin<Le<T>>>(isa),
        _ => return None,
    })
}

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
fn cast(from: DType, to: DType, isa: Isa) -> Option<Loop> {
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
        DType::Resource | DType::Variant => None,
    }
}

/// The loop that repeats the one element of its operand, for elements of `size` bytes.
#[inline]
pub(crate) fn splat(size: usize, isa: Isa) -> Loop {
    match size {
        1 => instance::<Splat<u8>>(isa),
        2 => instance::<Splat<u16>>(isa),
        4 => instance::<Splat<u32>>(isa),
        _ => instance::<Splat<u64>>(isa),
    }
}

/// One instruction on one element, given and answered as bits; `None` where it faults or has no meaning.
pub(crate) fn evaluate(code: Code, operand: DType, result: DType, args: [u64; 3]) -> Option<u64> {
    let run = lookup(code, operand, result, Isa::Portable)?;
    let mut out = 0u64;
    // SAFETY: one element of at most eight bytes each. The low bytes of a word come first only on little-endian
    // targets, which the crate requires (see lib.rs).
    let fault = unsafe {
        let [a, b, c] = [&args[0], &args[1], &args[2]].map(|word| std::ptr::from_ref(word).cast::<u8>());
        run(1, std::ptr::from_mut(&mut out).cast(), a, b, c)
    };
    (!fault).then_some(out)
}
