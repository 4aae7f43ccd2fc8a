//! What happens to a block of scores between its products: the mask, the running softmax, probabilities and their slopes.
//! Scores lie as `[keys][queries]`, so every pass runs along the queries; each is compiled for the processor's instructions.

use super::operand::Matrix;
use super::{Attention, Number, QUERIES};
use crate::backend::cpu::isa::Isa;
use crate::backend::cpu::math::fused::{Arithmetic, Fused, Portable};
use crate::backend::cpu::philox;
use crate::dtype::DType;
use std::ops::Range;

/// A block of scores: which queries and which keys of a head.
#[derive(Clone)]
pub(super) struct Block {
    pub queries: Range<usize>,
    pub keys: Range<usize>,
}

/// Adds the mask, and takes out the keys that a query does not see.
///
/// # Safety
/// The mask has the block.
pub(super) unsafe fn hide<T: Number>(p: &Attention<'_>, mask: Option<&Matrix>, block: &Block, scores: &mut [T]) {
    let n = block.queries.len();
    for (key, row) in block.keys.clone().zip(scores.chunks_exact_mut(n)) {
        if let Some(mask) = mask {
            let truth = p.mask.is_some_and(|mask| mask.dtype == DType::Bool);
            // SAFETY: by the caller's promise.
            unsafe {
                match (truth, mask.is_one_row()) {
                    (true, true) if mask.holds(0, key) => {}
                    (true, true) => row.fill(T::LOWEST),
                    (true, false) => {
                        for (query, score) in block.queries.clone().zip(row.iter_mut()) {
                            *score = if mask.holds(query, key) { *score } else { T::LOWEST };
                        }
                    }
                    (false, true) => {
                        let added = mask.element::<T>(0, key);
                        row.iter_mut().for_each(|score| *score = *score + added);
                    }
                    (false, false) => {
                        for (query, score) in block.queries.clone().zip(row.iter_mut()) {
                            *score = *score + mask.element(query, key);
                        }
                    }
                }
            }
        }
        if p.causal && key > block.queries.start {
            let unseen = (key - block.queries.start).min(n);
            row[..unseen].fill(T::LOWEST);
        }
    }
}

/// Factors of a block's probabilities: 0 where they are dropped, else what makes up for those. `noise` has room for a row of keys.
pub(super) fn kept<T: Number>(
    p: &Attention<'_>,
    head: usize,
    [queries, keys]: [usize; 2],
    block: &Block,
    noise: &mut [f32],
    factors: &mut [T],
) {
    let Some((stream, rate)) = p.dropout else { return };
    let (n, noise) = (block.queries.len(), &mut noise[..block.keys.len()]);
    let (limit, scale) = (rate as f32, T::of(1.0 / (1.0 - rate)));
    for (i, query) in block.queries.clone().enumerate() {
        philox::uniform(stream, (head * queries + query) * keys + block.keys.start, 1.0, 0.0, noise);
        for (j, noise) in noise.iter().enumerate() {
            factors[j * n + i] = if *noise >= limit { scale } else { T::ZERO };
        }
    }
}

/// What is known of each query of a block so far: greatest score, sum of exponentials below it, and by how much older sums shrink.
pub(super) struct Running<'a, T> {
    pub top: &'a mut [T],
    pub sum: &'a mut [T],
    pub shrink: &'a mut [T],
}

/// Queries whose running numbers are kept in registers over a block's keys.
const SIDE: usize = 32;

/// Raises each query's greatest score to that of the block.
#[inline(always)]
fn raise<T: Number>(scores: &[T], greatest: &mut [T]) {
    let n = greatest.len();
    let higher = |score: T, top: T| if score > top { score } else { top };
    // Without lanes of its own this would be a store for each greater score, which is slow where it is masked.
    let (sides, rest) = greatest.as_chunks_mut::<SIDE>();
    for (i, side) in sides.iter_mut().enumerate() {
        let mut lanes = *side;
        for row in scores.chunks_exact(n) {
            let row = &row.as_chunks::<SIDE>().0[i];
            for (top, &score) in lanes.iter_mut().zip(row) {
                *top = higher(score, *top);
            }
        }
        *side = lanes;
    }
    let from = n - rest.len();
    for row in scores.chunks_exact(n) {
        for (top, &score) in rest.iter_mut().zip(&row[from..]) {
            *top = higher(score, *top);
        }
    }
}

#[inline(always)]
fn online_body<A: Arithmetic, T: Number>(scores: &mut [T], running: &mut Running<'_, T>) {
    let n = running.top.len();
    let (top, sum, shrink) = (&mut running.top[..n], &mut running.sum[..n], &mut running.shrink[..n]);
    // `shrink` holds the new maxima on the way.
    shrink.copy_from_slice(top);
    raise(scores, shrink);
    let mut bases = [T::ZERO; QUERIES];
    let bases = &mut bases[..n];
    for ((old, shrink), base) in top.iter_mut().zip(shrink.iter_mut()).zip(bases.iter_mut()) {
        // Nothing is below the lowest: exponentials of what is hidden from all keys so far are 0.
        *base = if *shrink > T::LOWEST { *shrink } else { T::ZERO };
        let before = *old;
        *old = *shrink;
        *shrink = before - *base;
    }
    for (shrink, sum) in shrink.iter_mut().zip(sum.iter_mut()) {
        *shrink = shrink.exp::<A>();
        *sum = *sum * *shrink;
    }
    for row in scores.chunks_exact_mut(n) {
        for ((score, &base), sum) in row.iter_mut().zip(bases.iter()).zip(sum.iter_mut()) {
            *score = (*score - base).exp::<A>();
            *sum = *sum + *score;
        }
    }
}

#[inline(always)]
fn probabilities_body<A: Arithmetic, T: Number>(scores: &mut [T], logs: &[T]) {
    for row in scores.chunks_exact_mut(logs.len()) {
        for (score, &log) in row.iter_mut().zip(logs) {
            *score = (*score - log).exp::<A>();
        }
    }
}

#[inline(always)]
fn slopes_body<A: Arithmetic, T: Number>(probabilities: &[T], deltas: &[T], slopes: &mut [T]) {
    let n = deltas.len();
    for (p, slopes) in probabilities.chunks_exact(n).zip(slopes.chunks_exact_mut(n)) {
        for ((slope, &p), &delta) in slopes.iter_mut().zip(p).zip(deltas) {
            *slope = p * (*slope - delta);
        }
    }
}

#[inline(always)]
fn shrunk_body<A: Arithmetic, T: Number>(sums: &mut [T], shrink: &[T], width: usize) {
    for (row, &shrink) in sums.chunks_exact_mut(width.max(1)).zip(shrink) {
        if shrink != T::ONE {
            row.iter_mut().for_each(|sum| *sum = *sum * shrink);
        }
    }
}

/// Defines a pass that runs `$body` compiled for an instruction set.
macro_rules! pass {
    ($($(#[$doc:meta])* $name:ident = $body:ident($($arg:ident: $t:ty),*);)*) => {$(
        $(#[$doc])*
        pub(super) fn $name<T: Number>(isa: Isa, $($arg: $t),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
            fn avx512<T: Number>($($arg: $t),*) {
                $body::<Fused, T>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2<T: Number>($($arg: $t),*) {
                $body::<Fused, T>($($arg),*)
            }
            match isa {
                // SAFETY: `Isa` names only sets that the CPU has.
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => unsafe { avx512($($arg),*) },
                // SAFETY: `Isa` names only sets that the CPU has.
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => unsafe { avx2($($arg),*) },
                #[allow(unreachable_patterns, reason = "the others exist on one architecture only")]
                _ => $body::<Portable, T>($($arg),*),
            }
        }
    )*};
}

pass! {
    /// Turns scores into exponentials below the greatest so far, and brings what is known of each query up to date.
    online = online_body(scores: &mut [T], running: &mut Running<'_, T>);
    /// Brings sums of older blocks below the greatest score so far.
    shrunk = shrunk_body(sums: &mut [T], shrink: &[T], width: usize);
    /// Turns scores into probabilities, by the logarithm of each query's sum of exponentials.
    probabilities = probabilities_body(scores: &mut [T], logs: &[T]);
    /// Turns cotangents of probabilities into those of scores: p (dp - delta).
    slopes = slopes_body(probabilities: &[T], deltas: &[T], slopes: &mut [T]);
}
