//! Passes over the elements of one channel, which lie together: their sums, and elements by the channel's coefficients.
//! `mod.rs` runs them where channels come before the spots.

use super::on_every_isa;
use crate::backend::cpu::Isa;
use crate::backend::cpu::norm_rows::Root;
use crate::backend::cpu::norm_rows::parts::{Part, Tail, Whole, by_halves, each, plus, sums as summed};
use crate::backend::cpu::simd::Simd;
use std::marker::PhantomData;

/// Elements that are summed in their own type: they stay in the first-level cache between two passes.
const BLOCK: usize = 2048;

/// # Safety
/// Where the CPU has the instruction set of `V`.
#[inline(always)]
unsafe fn moments_body<V: Simd>(x: &[V::Elem], both: &mut [f64; 2])
where
    V::Elem: Root,
{
    let (mut first, mut sum, mut square) = (0.0, 0.0, 0.0);
    for (i, block) in x.chunks(BLOCK).enumerate() {
        let (n, x) = (block.len(), block.as_ptr());
        // SAFETY: by the caller's promise; the tail ends with the block.
        let (shift, near, far) = unsafe {
            let [total] = summed!(V, 1, 256, n, |i, part| [part.load(x.add(i))]);
            let shift = total / V::Elem::rounded(n as f64);
            let less = V::splat(V::Elem::rounded(-shift.wide()));
            let [near, far] = summed!(V, 2, 128, n, |i, part| {
                let x = part.only(part.load(x.add(i)).add(less));
                [x, x.mul(x)]
            });
            (shift.wide(), near.wide(), far.wide())
        };
        if i == 0 {
            first = shift;
        }
        let apart = shift - first;
        let moved = n as f64 * apart;
        sum += near + moved;
        square += far + apart * (2.0 * near + moved);
    }
    let count = x.len() as f64;
    let around = square - sum * sum / count;
    *both = [first + sum / count, if around < 0.0 { 0.0 } else { around }];
}

/// # Safety
/// Where the CPU has the instruction set of `V`; `x` and `dy` have one length.
#[inline(always)]
unsafe fn sums_body<V: Simd>(x: &[V::Elem], dy: &[V::Elem], less: V::Elem, both: &mut [f64; 2])
where
    V::Elem: Root,
{
    *both = [0.0; 2];
    for (x, dy) in x.chunks(BLOCK).zip(dy.chunks(BLOCK)) {
        let (n, x, dy) = (x.len(), x.as_ptr(), dy.as_ptr());
        // SAFETY: by the caller's promise; the tail ends with the block.
        let [plain, product] = unsafe {
            let less = V::splat(less);
            summed!(V, 2, 128, n, |i, part| {
                let owed = part.load(dy.add(i));
                [owed, owed.mul(part.load(x.add(i)).add(less))]
            })
        };
        both[0] += plain.wide();
        both[1] += product.wide();
    }
}

/// # Safety
/// Where the CPU has the instruction set of `V`; `x`, `dy` and `out` have `len` elements.
#[inline(always)]
unsafe fn write_body<V: Simd>(
    len: usize,
    x: *const V::Elem,
    dy: Option<*const V::Elem>,
    coefficients: [V::Elem; 4],
    out: *mut V::Elem,
) where
    V::Elem: Root,
{
    // SAFETY: by the caller's promise; the tail ends with the run.
    unsafe {
        let [less, by, other, more] = coefficients.map(|c| V::splat(c));
        match dy {
            None => each!(V, len, |i, part| {
                part.store(part.load(x.add(i)).add(less).mul(by).add(other), out.add(i));
            }),
            Some(dy) => each!(V, len, |i, part| {
                let far = part.load(x.add(i)).add(less).mul(other).add(more);
                part.store(part.load(dy.add(i)).mul(by).add(far), out.add(i));
            }),
        }
    }
}

on_every_isa!(
    /// The mean of `x`, and the squares around it.
    ///
    /// # Safety
    /// That of the body.
    moments = moments_body; (x: &[T], both: &mut [f64; 2])
);
on_every_isa!(
    /// The sums of `dy` and of `dy (x + less)`.
    ///
    /// # Safety
    /// That of the body.
    sums = sums_body; (x: &[T], dy: &[T], less: T, both: &mut [f64; 2])
);
on_every_isa!(
    /// Elements by coefficients.
    ///
    /// # Safety
    /// That of the body.
    write = write_body; (len: usize, x: *const T, dy: Option<*const T>, coefficients: [T; 4], out: *mut T)
);
