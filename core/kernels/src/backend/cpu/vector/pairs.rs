//! Loops that do two instructions of f32 at once, where the first only feeds the second; both are rounded as they are alone.
//! Fused loops of plans use them: an instruction of one cycle costs as much again for its way through the first-level cache.

use super::Loop;
use super::kernels::{Binary, Body, Unary, instance, map2};
use super::pick::{Abs, Add, Max, Mul, Neg, Sub};
use crate::backend::cpu::Isa;
use crate::backend::cpu::math::fused::Arithmetic;
use crate::scalar::Code;
use std::marker::PhantomData;
use std::slice::{from_raw_parts as slice, from_raw_parts_mut as slice_mut};

/// `out = (a . b) : c`, or `c : (a . b)` if it is swapped.
struct Binaries<A, B, const SWAPPED: bool>(PhantomData<(A, B)>);
/// `out = B(a . b)`.
struct BinaryUnary<A, B>(PhantomData<(A, B)>);
/// `out = A(a) : b`, or `b : A(a)` if it is swapped.
struct UnaryBinary<A, B, const SWAPPED: bool>(PhantomData<(A, B)>);

#[inline(always)]
fn map3(out: &mut [f32], a: &[f32], b: &[f32], c: &[f32], f: impl Fn(f32, f32, f32) -> f32) {
    for (((o, &a), &b), &c) in out.iter_mut().zip(a).zip(b).zip(c) {
        *o = f(a, b, c);
    }
}

#[inline(always)]
fn ordered<B: Binary<In = f32, Out = f32>, const SWAPPED: bool>(first: f32, other: f32) -> f32 {
    if SWAPPED { B::f(other, first) } else { B::f(first, other) }
}

impl<A: Binary<In = f32, Out = f32>, B: Binary<In = f32, Out = f32>, const SWAPPED: bool> Body
    for Binaries<A, B, SWAPPED>
{
    #[inline(always)]
    unsafe fn run<M: Arithmetic>(n: usize, out: *mut u8, a: *const u8, b: *const u8, c: *const u8) -> bool {
        // SAFETY: by the contract of `Loop`: dense operands of n elements, the output apart from them.
        let (out, a, b, c) =
            unsafe { (slice_mut(out.cast(), n), slice(a.cast(), n), slice(b.cast(), n), slice(c.cast(), n)) };
        map3(out, a, b, c, |a, b, c| ordered::<B, SWAPPED>(A::f(a, b), c));
        false
    }
}

impl<A: Binary<In = f32, Out = f32>, B: Unary<In = f32, Out = f32>> Body for BinaryUnary<A, B> {
    #[inline(always)]
    unsafe fn run<M: Arithmetic>(n: usize, out: *mut u8, a: *const u8, b: *const u8, _: *const u8) -> bool {
        // SAFETY: as above.
        let (out, a, b) = unsafe { (slice_mut(out.cast(), n), slice(a.cast(), n), slice(b.cast(), n)) };
        map2(out, a, b, |a, b| B::f(A::f(a, b)));
        false
    }
}

impl<A: Unary<In = f32, Out = f32>, B: Binary<In = f32, Out = f32>, const SWAPPED: bool> Body
    for UnaryBinary<A, B, SWAPPED>
{
    #[inline(always)]
    unsafe fn run<M: Arithmetic>(n: usize, out: *mut u8, a: *const u8, b: *const u8, _: *const u8) -> bool {
        // SAFETY: as above.
        let (out, a, b) = unsafe { (slice_mut(out.cast(), n), slice(a.cast(), n), slice(b.cast(), n)) };
        map2(out, a, b, |a, b| ordered::<B, SWAPPED>(A::f(a), b));
        false
    }
}

/// The loop of two instructions of f32, if there is one: operands are those of the first, then the other one of the
/// second. `swapped` says that what the first gives is the second operand of the second.
pub fn pair(first: Code, second: Code, swapped: bool, isa: Isa) -> Option<Loop> {
    Some(match first {
        Code::Add => after_binary::<Add<f32>>(second, swapped, isa)?,
        Code::Sub => after_binary::<Sub<f32>>(second, swapped, isa)?,
        Code::Mul => after_binary::<Mul<f32>>(second, swapped, isa)?,
        Code::Max => after_binary::<Max<f32>>(second, swapped, isa)?,
        Code::Abs => after_unary::<Abs<f32>>(second, swapped, isa)?,
        _ => return None,
    })
}

fn after_binary<A: Binary<In = f32, Out = f32>>(second: Code, swapped: bool, isa: Isa) -> Option<Loop> {
    Some(match (second, swapped) {
        (Code::Add, _) => instance::<Binaries<A, Add<f32>, false>>(isa),
        (Code::Mul, _) => instance::<Binaries<A, Mul<f32>, false>>(isa),
        (Code::Sub, false) => instance::<Binaries<A, Sub<f32>, false>>(isa),
        (Code::Sub, true) => instance::<Binaries<A, Sub<f32>, true>>(isa),
        (Code::Max, false) => instance::<Binaries<A, Max<f32>, false>>(isa),
        (Code::Neg, _) => instance::<BinaryUnary<A, Neg<f32>>>(isa),
        _ => return None,
    })
}

fn after_unary<A: Unary<In = f32, Out = f32>>(second: Code, swapped: bool, isa: Isa) -> Option<Loop> {
    Some(match (second, swapped) {
        (Code::Add, _) => instance::<UnaryBinary<A, Add<f32>, false>>(isa),
        (Code::Mul, _) => instance::<UnaryBinary<A, Mul<f32>, false>>(isa),
        (Code::Sub, false) => instance::<UnaryBinary<A, Sub<f32>, false>>(isa),
        (Code::Sub, true) => instance::<UnaryBinary<A, Sub<f32>, true>>(isa),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::cpu::vector::lookup;
    use crate::dtype::DType;

    const FIRST: [Code; 5] = [Code::Add, Code::Sub, Code::Mul, Code::Max, Code::Abs];
    const SECOND: [Code; 5] = [Code::Add, Code::Sub, Code::Mul, Code::Max, Code::Neg];

    #[test]
    fn pairs_are_their_instructions_one_after_the_other() {
        let values = [0.0, -0.0, 1.5, -2.25, 1e-41, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.1, -3e7];
        let n = 3 * 11 * 7;
        let operand = |step: usize| (0..n).map(|i| values[i * step % 11]).collect::<Vec<f32>>();
        let operands = [operand(1), operand(3), operand(7)];
        let run = |run: Loop, args: [&[f32]; 3]| {
            let mut out = vec![0f32; n];
            let [a, b, c] = args.map(|arg| arg.as_ptr().cast::<u8>());
            // SAFETY: three operands and a result of n elements.
            assert!(!unsafe { run(n, out.as_mut_ptr().cast(), a, b, c) });
            out
        };
        let mut found = 0;
        for (first, second, swapped) in
            FIRST.iter().flat_map(|&f| SECOND.iter().flat_map(move |&s| [(f, s, false), (f, s, true)]))
        {
            for isa in Isa::available() {
                let Some(both) = pair(first, second, swapped, isa) else { continue };
                found += 1;
                let single = |code| lookup(code, DType::F32, DType::F32, isa).unwrap();
                let [a, b, c] = operands.each_ref().map(|v| &v[..]);
                let other = if first.arity() == 1 { b } else { c };
                let between = run(single(first), [a, b, b]);
                let args = if swapped { [other, &between, b] } else { [&between, other, b] };
                // The one operand of a negation is what the first gives.
                let args = if second.arity() == 1 { [&between[..], b, b] } else { args };
                let (expected, got) = (run(single(second), args), run(both, [a, b, c]));
                for (x, y) in expected.iter().zip(&got) {
                    assert!(x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(), "{first:?} {second:?} {x} {y}");
                }
            }
        }
        assert!(found >= 27, "{found}");
    }
}
