//! Which loop serves an instruction for a dtype: the match from `Code` to the instances of `kernels.rs`.
//! Also runs a loop on one element, which is how constants are folded.

use super::Loop;
use super::cast::cast;
use super::kernels::{
    Bin, Binary, Choose, Fault, Faulty, Slices, Splat, Ternary, Tri, Un, Unary, Whole, instance, plain,
};
use super::number::{Bits, Number, Real, Truth};
use crate::backend::cpu::Isa;
use crate::backend::cpu::math::double;
use crate::backend::cpu::math::fused::Arithmetic;
use crate::backend::special;
use crate::dtype::DType;
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

unary! { Neg<Number> neg Abs<Number> abs Sign<Number> sign Sqrt<Real> sqrt Expm1<Real> expm1 Floor<Real> floor
Ceil<Real> ceil Round<Real> round Not<Bits> not PopulationCount<Bits> count }
binary! { Add<Number> add Sub<Number> sub Mul<Number> mul Div<Number> div Rem<Number> rem FloorDiv<Number> floor_div
FloorMod<Number> floor_mod Pow<Number> pow Min<Number> min Max<Number> max And<Bits> and Or<Bits> or Xor<Bits> xor
NextAfter<Real> next_after LeftShift<Bits> left_shift RightShift<Bits> right_shift }
faulty! { Div div no_divisor Rem rem no_divisor FloorDiv floor_div no_divisor FloorMod floor_mod no_divisor
Pow pow no_exponent }
compare! { Eq == Ne != Lt < Le <= }

macro_rules! whole {
    ($($name:ident $method:ident <A>)*) => {$(
        struct $name<T>(PhantomData<T>);
        impl<T: Real> Whole for $name<T> {
            type T = T;
            #[inline(always)]
            fn f<A: Arithmetic>(a: &[T], out: &mut [T]) { T::$method::<A>(a, out) }
        }
    )*};
}

whole! { Sin sin_slice<A> Cos cos_slice<A> Exp exp_slice<A> Log log_slice<A> Log1p log1p_slice<A>
Tanh tanh_slice<A> Sigmoid sigmoid_slice<A> Erf erf_slice<A> Erfc erfc_slice<A> }

/// Functions that are computed in f64 whatever the type, and rounded once.
macro_rules! in_double {
    (unary { $($name:ident $f:path;)* } binary { $($name2:ident $f2:path;)* }) => {
        $(struct $name<T>(PhantomData<T>);
        impl<T: Real> Unary for $name<T> {
            type In = T;
            type Out = T;
            #[inline(always)]
            fn f(x: T) -> T { T::nearest($f(x.wide())) }
        })*
        $(struct $name2<T>(PhantomData<T>);
        impl<T: Real> Binary for $name2<T> {
            type In = T;
            type Out = T;
            #[inline(always)]
            fn f(a: T, b: T) -> T { T::nearest($f2(a.wide(), b.wide())) }
        })*
    };
}

in_double! {
    unary { Tan double::tan; Asin double::asin; Acos double::acos; Atan double::atan; Sinh double::sinh; Cosh double::cosh;
        Asinh double::asinh; Acosh double::acosh; Atanh double::atanh; Lgamma special::log_gamma; Digamma special::digamma;
        Erfinv special::erf_inverse; Ndtri special::normal_quantile; BesselI0 special::bessel_i0;
        BesselI0e special::bessel_i0e; BesselI1 special::bessel_i1; BesselI1e special::bessel_i1e; }
    binary { Atan2 double::atan2; Zeta special::hurwitz_zeta; Polygamma special::polygamma; Igamma special::gamma_lower;
        Igammac special::gamma_upper; IgammaGradA special::gamma_lower_by_a; }
}

struct Betainc<T>(PhantomData<T>);
impl<T: Real> Ternary for Betainc<T> {
    type T = T;
    #[inline(always)]
    fn f(a: T, b: T, x: T) -> T {
        T::nearest(special::beta_share(a.wide(), b.wide(), x.wide()))
    }
}

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
pub fn lookup(code: Code, operand: DType, result: DType, isa: Isa) -> Option<Loop> {
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
            // Complex numbers are computed with part by part.
            DType::F16 | DType::BF16 | DType::C64 | DType::C128 | DType::Resource | DType::Variant | DType::String => {
                None
            }
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
        Code::Log => instance::<Slices<Log<T>>>(isa),
        Code::Log1p => instance::<Slices<Log1p<T>>>(isa),
        Code::Sin => instance::<Slices<Sin<T>>>(isa),
        Code::Cos => instance::<Slices<Cos<T>>>(isa),
        Code::Tanh => instance::<Slices<Tanh<T>>>(isa),
        Code::Erf => instance::<Slices<Erf<T>>>(isa),
        Code::Erfc => instance::<Slices<Erfc<T>>>(isa),
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
        Code::Asin => instance::<Un<Asin<T>>>(isa),
        Code::Acos => instance::<Un<Acos<T>>>(isa),
        Code::Atan => instance::<Un<Atan<T>>>(isa),
        Code::Sinh => instance::<Un<Sinh<T>>>(isa),
        Code::Cosh => instance::<Un<Cosh<T>>>(isa),
        Code::Asinh => instance::<Un<Asinh<T>>>(isa),
        Code::Acosh => instance::<Un<Acosh<T>>>(isa),
        Code::Atanh => instance::<Un<Atanh<T>>>(isa),
        Code::Tan => plain::<Un<Tan<T>>>(),
        Code::Lgamma => plain::<Un<Lgamma<T>>>(),
        Code::Digamma => plain::<Un<Digamma<T>>>(),
        Code::Erfinv => plain::<Un<Erfinv<T>>>(),
        Code::Ndtri => plain::<Un<Ndtri<T>>>(),
        Code::BesselI0 => plain::<Un<BesselI0<T>>>(),
        Code::BesselI0e => plain::<Un<BesselI0e<T>>>(),
        Code::BesselI1 => plain::<Un<BesselI1<T>>>(),
        Code::BesselI1e => plain::<Un<BesselI1e<T>>>(),
        Code::Atan2 => instance::<Bin<Atan2<T>>>(isa),
        Code::NextAfter => plain::<Bin<NextAfter<T>>>(),
        Code::Zeta => plain::<Bin<Zeta<T>>>(),
        Code::Polygamma => plain::<Bin<Polygamma<T>>>(),
        Code::Igamma => plain::<Bin<Igamma<T>>>(),
        Code::Igammac => plain::<Bin<Igammac<T>>>(),
        Code::IgammaGradA => plain::<Bin<IgammaGradA<T>>>(),
        Code::Betainc => plain::<Tri<Betainc<T>>>(),
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
        Code::PopulationCount => plain::<Un<PopulationCount<T>>>(),
        Code::LeftShift => plain::<Bin<LeftShift<T>>>(),
        Code::RightShift => plain::<Bin<RightShift<T>>>(),
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

/// The loop that repeats the one element of its operand, for elements of `size` bytes.
#[inline]
pub fn splat(size: usize, isa: Isa) -> Loop {
    match size {
        1 => instance::<Splat<u8>>(isa),
        2 => instance::<Splat<u16>>(isa),
        4 => instance::<Splat<u32>>(isa),
        _ => instance::<Splat<u64>>(isa),
    }
}

/// One instruction on one element, given and answered as bits; `None` where it faults or has no meaning.
pub fn evaluate(code: Code, operand: DType, result: DType, args: [u64; 3]) -> Option<u64> {
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
