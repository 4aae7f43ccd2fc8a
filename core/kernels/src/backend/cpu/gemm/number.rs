//! The element types of products: what they are stored as and what they are computed in.
//! `multiply` is generic over [`Stored`]; the kernels of each compute type are chosen in its [`Number`].

use half::slice::HalfFloatSliceExt;

use super::blocking::Route;
use super::integer;
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::simd::Float;
use crate::dtype::{bf16, f16};

/// A part of a product, in elements.
#[derive(Clone, Copy)]
pub(super) struct Operands<T> {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub a: *const T,
    pub a_rs: isize,
    pub a_cs: isize,
    pub b: *const T,
    pub b_rs: isize,
    pub b_cs: isize,
    /// From one panel of B to the next, where its rows lie one after the other, as wide as the widest tile; 0 where B is no copy in panels.
    pub b_panels: isize,
    /// Whether rows of B that lie far apart are packed while the first tile reads them.
    pub packs: bool,
    /// Whether blocks of A, whose columns are contiguous and lie far apart, are packed.
    pub packs_a: bool,
    /// What comes next of a B in panels: whole tiles ask for its lines while they compute. Nothing is read there.
    pub ahead: *const T,
    pub c: *mut T,
    pub c_rs: isize,
    /// Whether to add to what C holds.
    pub add: bool,
    /// Whether these are the last terms of the sums: denormal ones become zero then.
    pub last: bool,
    /// What is added to the finished sums, with C's shape and unit column stride; null for nothing. It may be C itself.
    /// Tiles alone look at it.
    pub plus: *const T,
    pub plus_rs: isize,
}

/// A type that products are computed in.
pub(super) trait Number: Copy + Default {
    /// The sum, wrapping in integers.
    fn plus(self, other: Self) -> Self;

    /// A sum as it is kept: zero for a denormal one.
    fn finished(self) -> Self;

    /// Multiplies a part.
    ///
    /// # Safety
    ///
    /// The processor has the instructions of `isa`, and the operands are valid. B has unit column stride, or is in panels and `isa` is not portable; or
    /// the route is `Dot` and A has unit column and B unit row stride; or the type is a float and `isa` is portable, or `packs` is set and B
    /// has unit row stride and `PASS` rows at most.
    unsafe fn multiply(isa: Isa, route: Route, o: &Operands<Self>);

    /// Multiplies a part whose operands are pairs of `bfloat16`, each in the place of one number.
    ///
    /// # Safety
    ///
    /// As for [`Number::multiply`] with tiles, on a processor where [`super::pairs::available`].
    unsafe fn multiply_pairs(_: &Operands<Self>) {
        unreachable!("pairs are added to sums of `float32` alone")
    }
}

/// A type that tensors hold.
pub(super) trait Stored: Copy {
    type Compute: Number;
    fn widen(self) -> Self::Compute;
    /// Rounds to nearest, ties to even.
    fn narrow(from: Self::Compute) -> Self;

    /// [`Self::widen`] of a row.
    #[inline]
    fn widen_row(from: &[Self], to: &mut [Self::Compute]) {
        for (from, to) in from.iter().zip(to) {
            *to = from.widen();
        }
    }

    /// [`Self::narrow`] of a row.
    #[inline]
    fn narrow_row(from: &[Self::Compute], to: &mut [Self]) {
        for (from, to) in from.iter().zip(to) {
            *to = Self::narrow(*from);
        }
    }
}

macro_rules! float {
    ($t:ident, $portable:path, $wide:ident, $narrow:ident $(, $pairs:ident)?) => {
        impl Number for $t {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            #[inline(always)]
            fn finished(self) -> Self {
                Float::flushed(self)
            }

            #[inline]
            unsafe fn multiply(isa: Isa, route: Route, o: &Operands<Self>) {
                // SAFETY: the caller's promises; `matrixmultiply` takes any strides.
                unsafe {
                    #[cfg(target_arch = "x86_64")]
                    match (isa, route) {
                        (Isa::Avx512, Route::Tile) => {
                            return super::panels::block::<crate::backend::cpu::simd::x86::$wide>(o);
                        }
                        (Isa::Avx512, Route::Dot) => {
                            return super::dot::block::<crate::backend::cpu::simd::x86::$wide>(o);
                        }
                        (Isa::Avx2, Route::Tile) => {
                            return super::panels::block::<crate::backend::cpu::simd::x86::$narrow>(o);
                        }
                        (Isa::Avx2, Route::Dot) => {
                            return super::dot::block::<crate::backend::cpu::simd::x86::$narrow>(o);
                        }
                        _ => {}
                    }
                    let _ = (isa, route);
                    let beta = if o.add { 1.0 } else { 0.0 };
                    $portable(o.m, o.k, o.n, 1.0, o.a, o.a_rs, o.a_cs, o.b, o.b_rs, o.b_cs, beta, o.c, o.c_rs, 1);
                    for i in 0..if o.last { o.m } else { 0 } {
                        let row = std::slice::from_raw_parts_mut(o.c.offset(i as isize * o.c_rs), o.n);
                        row.iter_mut().for_each(|x| *x = x.finished());
                    }
                }
            }

            $(
                #[cfg(target_arch = "x86_64")]
                #[inline]
                unsafe fn multiply_pairs(o: &Operands<Self>) {
                    // SAFETY: the caller's promises.
                    unsafe { super::panels::block::<crate::backend::cpu::simd::x86::$pairs>(o) }
                }
            )?
        }

        impl Stored for $t {
            type Compute = $t;
            #[inline(always)]
            fn widen(self) -> $t {
                self
            }
            #[inline(always)]
            fn narrow(from: $t) -> Self {
                from
            }
        }
    };
}

float!(f32, matrixmultiply::sgemm, F32x16, F32x8, Pairs16);
float!(f64, matrixmultiply::dgemm, F64x8, F64x4);

macro_rules! half {
    ($($t:ty),*) => {$(
        impl Stored for $t {
            type Compute = f32;
            #[inline(always)]
            fn widen(self) -> f32 {
                self.to_f32()
            }
            #[inline(always)]
            fn narrow(from: f32) -> Self {
                Self::from_f32(from)
            }
            // With the processor's own instructions where it has them.
            fn widen_row(from: &[Self], to: &mut [f32]) {
                from.convert_to_f32_slice(to);
            }
            fn narrow_row(from: &[f32], to: &mut [Self]) {
                to.convert_from_f32_slice(from);
            }
        }
    )*};
}

half!(f16, bf16);

macro_rules! integer {
    ($($t:ty),*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn finished(self) -> Self {
                self
            }

            #[inline]
            unsafe fn multiply(isa: Isa, _: Route, o: &Operands<Self>) {
                // SAFETY: the caller's promises.
                unsafe { integer::block(isa, o) }
            }
        }

        impl integer::Integer for $t {
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }

        impl Stored for $t {
            type Compute = $t;
            #[inline(always)]
            fn widen(self) -> $t {
                self
            }
            #[inline(always)]
            fn narrow(from: $t) -> Self {
                from
            }
        }
    )*};
}

integer!(i8, i16, i32, i64, u8, u16, u32, u64);
