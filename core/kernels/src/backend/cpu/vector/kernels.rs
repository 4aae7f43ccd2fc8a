//! The loop bodies, generic over instruction and type, and their instances for each instruction set.
//! `pick.rs` names an instance per instruction; LLVM turns each body into vector code for the set it is compiled for.

use super::Loop;
use crate::backend::cpu::Isa;
use crate::backend::cpu::math::fused::{Arithmetic, Fused, Portable};
use std::marker::PhantomData;

/// A loop body that is inlined into a function per instruction set, and computes with its [`Arithmetic`].
pub(super) trait Body {
    /// # Safety
    /// As [`Loop`].
    unsafe fn run<A: Arithmetic>(n: usize, out: *mut u8, a: *const u8, b: *const u8, c: *const u8) -> bool;
}

pub(super) trait Unary {
    type In: Copy;
    type Out: Copy;
    fn f(x: Self::In) -> Self::Out;
}

/// A unary instruction that works on whole slices of one length.
pub(super) trait Whole {
    type T: Copy;
    fn f<A: Arithmetic>(a: &[Self::T], out: &mut [Self::T]);
}

pub(super) trait Binary {
    type In: Copy;
    type Out: Copy;
    fn f(a: Self::In, b: Self::In) -> Self::Out;
}

pub(super) trait Ternary {
    type T: Copy;
    fn f(a: Self::T, b: Self::T, c: Self::T) -> Self::T;
}

/// A binary instruction that faults for some right operands, where it computes with `safe` instead.
pub(super) trait Faulty {
    type T: Copy;
    fn faults(b: Self::T) -> bool;
    fn safe() -> Self::T;
    fn f(a: Self::T, b: Self::T) -> Self::T;
}

pub(super) struct Un<F>(PhantomData<F>);
pub(super) struct Slices<F>(PhantomData<F>);
pub(super) struct Bin<F>(PhantomData<F>);
pub(super) struct Tri<F>(PhantomData<F>);
pub(super) struct Fault<F>(PhantomData<F>);
pub(super) struct Choose<T>(PhantomData<T>);

/// The loops over slices are functions of their own because only slice *parameters* tell LLVM that nothing overlaps.
#[inline(always)]
fn map1<A: Copy, R: Copy>(out: &mut [R], a: &[A], f: impl Fn(A) -> R) {
    for (o, &a) in out.iter_mut().zip(a) {
        *o = f(a);
    }
}

#[inline(always)]
pub(super) fn map2<A: Copy, B: Copy, R: Copy>(out: &mut [R], a: &[A], b: &[B], f: impl Fn(A, B) -> R) {
    for ((o, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *o = f(a, b);
    }
}

#[inline(always)]
fn map3<T: Word>(out: &mut [T], c: &[u8], a: &[T], b: &[T]) {
    for (((o, &c), &a), &b) in out.iter_mut().zip(c).zip(a).zip(b) {
        *o = T::choose(c, a, b);
    }
}

/// The bits of an element, which is all that choosing between two looks at.
pub(super) trait Word: Copy {
    fn choose(condition: u8, then: Self, otherwise: Self) -> Self;
}

macro_rules! words {
    ($($t:ident)*) => {$(
        impl Word for $t {
            #[inline(always)]
            fn choose(condition: u8, then: Self, otherwise: Self) -> Self {
                // Not `if`: LLVM would turn that into a choice between two addresses, and gather.
                let mask = ((condition != 0) as $t).wrapping_neg();
                then & mask | otherwise & !mask
            }
        }
    )*};
}

words!(u8 u16 u32 u64);

use std::slice::{from_raw_parts as slice, from_raw_parts_mut as slice_mut};

impl<F: Unary> Body for Un<F> {
    #[inline(always)]
    unsafe fn run<A: Arithmetic>(n: usize, out: *mut u8, a: *const u8, _: *const u8, _: *const u8) -> bool {
        // SAFETY: by the contract of `Loop`: dense operands of n elements, the output apart from them.
        unsafe { map1(slice_mut(out.cast(), n), slice(a.cast(), n), F::f) };
        false
    }
}

impl<F: Whole> Body for Slices<F> {
    #[inline(always)]
    unsafe fn run<A: Arithmetic>(n: usize, out: *mut u8, a: *const u8, _: *const u8, _: *const u8) -> bool {
        // SAFETY: as above.
        unsafe { F::f::<A>(slice(a.cast(), n), slice_mut(out.cast(), n)) };
        false
    }
}

impl<F: Binary> Body for Bin<F> {
    #[inline(always)]
    unsafe fn run<A: Arithmetic>(n: usize, out: *mut u8, a: *const u8, b: *const u8, _: *const u8) -> bool {
        // SAFETY: as above.
        unsafe { map2(slice_mut(out.cast(), n), slice(a.cast(), n), slice(b.cast(), n), F::f) };
        false
    }
}

impl<F: Ternary> Body for Tri<F> {
    #[inline(always)]
    unsafe fn run<A: Arithmetic>(n: usize, out: *mut u8, a: *const u8, b: *const u8, c: *const u8) -> bool {
        // SAFETY: as above.
        let (a, b, c) = unsafe { (slice(a.cast(), n), slice(b.cast(), n), slice(c.cast(), n)) };
        // SAFETY: as above.
        let out: &mut [F::T] = unsafe { slice_mut(out.cast(), n) };
        for (((o, &a), &b), &c) in out.iter_mut().zip(a).zip(b).zip(c) {
            *o = F::f(a, b, c);
        }
        false
    }
}

impl<F: Faulty> Body for Fault<F> {
    #[inline(always)]
    unsafe fn run<A: Arithmetic>(n: usize, out: *mut u8, a: *const u8, b: *const u8, _: *const u8) -> bool {
        // SAFETY: as above.
        let (out, a, b) = unsafe { (slice_mut(out.cast(), n), slice(a.cast(), n), slice::<F::T>(b.cast(), n)) };
        let fault = b.iter().fold(false, |any, &b| any | F::faults(b));
        map2(out, a, b, |a, b| F::f(a, if F::faults(b) { F::safe() } else { b }));
        fault
    }
}

impl<T: Word> Body for Choose<T> {
    #[inline(always)]
    unsafe fn run<A: Arithmetic>(n: usize, out: *mut u8, a: *const u8, b: *const u8, c: *const u8) -> bool {
        // SAFETY: as above; the condition is the first operand.
        unsafe { map3::<T>(slice_mut(out.cast(), n), slice(a, n), slice(b.cast(), n), slice(c.cast(), n)) };
        false
    }
}

/// One element repeated. Compiled per instruction set: a tile that is written in other widths than it is read waits
/// for its stores.
pub(super) struct Splat<T>(PhantomData<T>);

impl<T: Copy> Body for Splat<T> {
    #[inline(always)]
    unsafe fn run<A: Arithmetic>(n: usize, out: *mut u8, a: *const u8, _: *const u8, _: *const u8) -> bool {
        // SAFETY: as above; the operand has one element.
        unsafe { slice_mut(out.cast::<T>(), n).fill(*a.cast::<T>()) };
        false
    }
}

unsafe fn portable<B: Body>(n: usize, out: *mut u8, a: *const u8, b: *const u8, c: *const u8) -> bool {
    // SAFETY: the same contract.
    unsafe { B::run::<Portable>(n, out, a, b, c) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi2,lzcnt")]
unsafe fn avx2<B: Body>(n: usize, out: *mut u8, a: *const u8, b: *const u8, c: *const u8) -> bool {
    // SAFETY: the same contract.
    unsafe { B::run::<Fused>(n, out, a, b, c) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,lzcnt")]
unsafe fn avx512<B: Body>(n: usize, out: *mut u8, a: *const u8, b: *const u8, c: *const u8) -> bool {
    // SAFETY: the same contract.
    unsafe { B::run::<Fused>(n, out, a, b, c) }
}

/// The instance of a body for an instruction set that this processor has.
#[inline]
pub(super) fn instance<B: Body>(isa: Isa) -> Loop {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => avx512::<B>,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => avx2::<B>,
        _ => portable::<B>,
    }
}

/// One instance for all sets, for loops that are rarely hot: it keeps the library small.
#[inline]
pub(super) fn plain<B: Body>() -> Loop {
    portable::<B>
}
