//! Walks along a row in vectors, with the rest of the row as a part of one, and sums that are the same for every instruction set.
//! The passes over rows are written with them.

use crate::backend::cpu::simd::Simd;
use std::marker::PhantomData;

/// A whole vector of a row, or what remains of the row.
pub(super) trait Part<V: Simd>: Copy {
    unsafe fn load(self, p: *const V::Elem) -> V;
    unsafe fn store(self, v: V, p: *mut V::Elem);
    /// The vector with zeros behind the row's end.
    unsafe fn only(self, v: V) -> V;
}

#[derive(Clone, Copy)]
pub(super) struct Whole<V>(pub PhantomData<V>);

impl<V: Simd> Part<V> for Whole<V> {
    #[inline(always)]
    unsafe fn load(self, p: *const V::Elem) -> V {
        // SAFETY: the same contract.
        unsafe { V::load(p) }
    }
    #[inline(always)]
    unsafe fn store(self, v: V, p: *mut V::Elem) {
        // SAFETY: the same contract.
        unsafe { v.store(p) }
    }
    #[inline(always)]
    unsafe fn only(self, v: V) -> V {
        v
    }
}

#[derive(Clone, Copy)]
pub(super) struct Tail<V: Simd>(pub V::Tail);

impl<V: Simd> Part<V> for Tail<V> {
    #[inline(always)]
    unsafe fn load(self, p: *const V::Elem) -> V {
        // SAFETY: the same contract.
        unsafe { V::load_tail(p, self.0) }
    }
    #[inline(always)]
    unsafe fn store(self, v: V, p: *mut V::Elem) {
        // SAFETY: the same contract.
        unsafe { v.store_tail(p, self.0) }
    }
    #[inline(always)]
    unsafe fn only(self, v: V) -> V {
        // SAFETY: vectors are their lanes, one after the other.
        unsafe { V::load_tail((&raw const v).cast(), self.0) }
    }
}

/// The `$count` sums of a row's `$terms`, an array of vectors for each place `$i` in the row, of which `$part` says how much there is. Each sum has as
/// many registers as `$bytes` hold. A macro, because closures would not be compiled for the instruction set.
macro_rules! sums {
    ($v:ident, $count:literal, $bytes:literal, $n:expr, |$i:ident, $part:ident| $terms:expr) => {{
        let (n, registers, lanes) = ($n, const { $bytes / size_of::<$v>() }, $v::LANES);
        let mut sums = [[$v::zero(); $bytes / 16]; $count];
        let mut start = 0;
        while start + registers * lanes <= n {
            for r in 0..registers {
                let ($i, $part) = (start + r * lanes, Whole::<$v>(PhantomData));
                plus(&mut sums, r, $terms);
            }
            start += registers * lanes;
        }
        for r in 0..registers {
            let $i = start + r * lanes;
            if $i + lanes <= n {
                let $part = Whole::<$v>(PhantomData);
                plus(&mut sums, r, $terms);
            } else if $i < n {
                let $part = Tail::<$v>($v::tail(n - $i));
                plus(&mut sums, r, $terms);
            }
        }
        by_halves(sums, registers)
    }};
}

/// # Safety
/// Where the CPU has the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn plus<V: Simd, const M: usize, const K: usize>(sums: &mut [[V; M]; K], r: usize, terms: [V; K]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        // SAFETY: by the caller's promise.
        sum[r] = unsafe { sum[r].add(term) };
    }
}

/// The sums of all lanes, half of them added to the other half until one is left.
///
/// # Safety
/// Where the CPU has the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn by_halves<V: Simd, const M: usize, const K: usize>(
    mut sums: [[V; M]; K],
    registers: usize,
) -> [V::Elem; K] {
    let mut width = registers / 2;
    while width > 0 {
        for sum in &mut sums {
            for r in 0..width {
                // SAFETY: by the caller's promise.
                sum[r] = unsafe { sum[r].add(sum[r + width]) };
            }
        }
        width /= 2;
    }
    // SAFETY: by the caller's promise.
    sums.map(|sum| unsafe { sum[0].sum_by_halves() })
}

/// Runs `$body` for each place `$i` of a row, of which `$part` says how much there is.
macro_rules! each {
    ($v:ident, $n:expr, |$i:ident, $part:ident| $body:expr) => {{
        let mut $i = 0;
        while $i + $v::LANES <= $n {
            let $part = Whole::<$v>(PhantomData);
            $body;
            $i += $v::LANES;
        }
        if $i < $n {
            let $part = Tail::<$v>($v::tail($n - $i));
            $body;
        }
    }};
}

pub(super) use {each, sums};
