//! Softmax, its logarithm and their gradients along an axis that is not the last: columns side by side, in the order of dense rows.
//! The operations run it on planes of `n` rows of `inner` neighbours; `softmax_rows.rs` has the last axis.

mod few;
pub(super) mod formula;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
pub(super) mod turned;

use super::Isa;
use super::math::fused::{Arithmetic, Fused, Portable};
use super::softmax_rows::{Real, WIDE};
use super::{Work, part};
use formula::{Formula, LogSoftmax, LogSoftmaxGradient, Softmax, SoftmaxGradient};
use std::mem::MaybeUninit;
use std::ops::Range;

/// What is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Normalise {
    Softmax,
    LogSoftmax,
    /// Of a softmax, and its cotangent.
    SoftmaxGradient,
    /// Of a logarithm of a softmax, and its cotangent.
    LogSoftmaxGradient,
}

/// Columns that are worked on at a time: their lanes stay in the first-level cache.
const COLUMNS: usize = 128;
/// The same for columns that are too short for lanes.
const SHORT_COLUMNS: usize = 1024;
/// Planes of fewer columns are worked on as a whole.
const FEW: usize = 16;
/// Elements that are worth a chunk.
const CHUNK: usize = 16 * 1024;

/// `outer` planes of `n` rows of `inner` elements, dense; sums go down the columns.
#[derive(Clone, Copy, Debug)]
pub struct Planes {
    pub outer: usize,
    pub n: usize,
    pub inner: usize,
}

impl Planes {
    /// Columns that are worked on at a time; all of a plane's where they are few.
    fn columns(&self) -> usize {
        let most = if self.n < WIDE { SHORT_COLUMNS } else { COLUMNS };
        // Few rows of many columns are chunks of their own.
        let enough = (CHUNK / self.n.max(1)).next_multiple_of(64);
        if self.inner < FEW { self.inner } else { enough.clamp(64, most).min(self.inner) }
    }

    fn cuts(&self) -> usize {
        self.inner.div_ceil(self.columns().max(1))
    }

    fn units(&self) -> usize {
        self.outer * self.cuts()
    }

    pub fn work(&self) -> Work {
        let elements = self.outer * self.n * self.inner;
        Work::chunks(elements.div_ceil(CHUNK).min(self.units()))
    }

    /// One chunk: `b` is the cotangent of a gradient, else `a` once more.
    ///
    /// # Safety
    /// Dense planes, all of these sizes; chunks write disjoint parts of `out`.
    pub unsafe fn run<T: Real>(
        &self,
        isa: Isa,
        normalise: Normalise,
        a: *const T,
        b: *const T,
        out: *mut T,
        chunk: usize,
    ) {
        if self.outer * self.n * self.inner == 0 {
            return;
        }
        let own = part(self.units(), chunk, self.work().phases[0], 1);
        // SAFETY: by the caller's promise.
        unsafe {
            match normalise {
                Normalise::Softmax => units::<Softmax, T>(isa, self, a, b, out, own),
                Normalise::LogSoftmax => units::<LogSoftmax, T>(isa, self, a, b, out, own),
                Normalise::SoftmaxGradient => units::<SoftmaxGradient, T>(isa, self, a, b, out, own),
                Normalise::LogSoftmaxGradient => units::<LogSoftmaxGradient, T>(isa, self, a, b, out, own),
            }
        }
    }
}

/// # Safety
/// As [`Planes::run`], for a range of units.
unsafe fn units<F: Formula<T>, T: Real>(
    isa: Isa,
    planes: &Planes,
    a: *const T,
    b: *const T,
    out: *mut T,
    own: Range<usize>,
) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    unsafe fn avx512<F: Formula<T>, T: Real>(p: &Planes, a: *const T, b: *const T, out: *mut T, own: Range<usize>) {
        // SAFETY: the same contract.
        unsafe { body::<F, Fused, T>(p, a, b, out, own) }
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn avx2<F: Formula<T>, T: Real>(p: &Planes, a: *const T, b: *const T, out: *mut T, own: Range<usize>) {
        // SAFETY: the same contract.
        unsafe { body::<F, Fused, T>(p, a, b, out, own) }
    }
    // SAFETY: the same contract; `Isa` names only sets that the CPU has.
    unsafe {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => avx512::<F, T>(planes, a, b, out, own),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => avx2::<F, T>(planes, a, b, out, own),
            #[allow(unreachable_patterns, reason = "the others exist on one architecture only")]
            _ => body::<F, Portable, T>(planes, a, b, out, own),
        }
    }
}

/// # Safety
/// As [`units`].
#[inline(always)]
unsafe fn body<F: Formula<T>, A: Arithmetic, T: Real>(
    p: &Planes,
    a: *const T,
    b: *const T,
    out: *mut T,
    own: Range<usize>,
) {
    // SAFETY: by the caller's promise; units have columns of their own.
    unsafe {
        if p.inner < FEW {
            let (from, planes) = (own.start * p.n * p.inner, own.len());
            return few::body::<F, A, T>(planes, p.n, p.inner, a.add(from), b.add(from), out.add(from));
        }
        for unit in own {
            let (plane, cut) = (unit / p.cuts(), unit % p.cuts());
            let columns = (cut * p.columns())..((cut + 1) * p.columns()).min(p.inner);
            let from = plane * p.n * p.inner + columns.start;
            block::<F, A, T, SHORT_COLUMNS>(p.n, p.inner, columns.len(), a.add(from), b.add(from), out.add(from));
        }
    }
}

/// Some columns of a plane, whose rows lie `stride` apart.
///
/// # Safety
/// As [`units`]; at most [`COLUMNS`] columns, or `MOST` of fewer than [`WIDE`] rows.
#[inline(always)]
unsafe fn block<F: Formula<T>, A: Arithmetic, T: Real, const MOST: usize>(
    n: usize,
    stride: usize,
    columns: usize,
    a: *const T,
    b: *const T,
    out: *mut T,
) {
    let mut greatest = [T::LOWEST; MOST];
    let mut sum = [T::ZERO; MOST];
    let mut lanes = [const { MaybeUninit::<T>::uninit() }; WIDE * COLUMNS];
    let (greatest, sum) = (&mut greatest[..columns], &mut sum[..columns]);
    // SAFETY: by the caller's promise.
    unsafe {
        let row = |from: *const T, i: usize| std::slice::from_raw_parts(from.add(i * stride), columns);
        if F::GREATEST {
            for i in (0..n).step_by(2) {
                raise(greatest, row(a, i), row(a, (i + 1).min(n - 1)));
            }
        }
        let whole = n - n % WIDE;
        let lanes = if whole > 0 { filled(&mut lanes[..WIDE * columns], T::ZERO) } else { &mut [] };
        for i in 0..whole {
            let to = std::slice::from_raw_parts_mut(out.add(i * stride), columns);
            add_terms::<F, A, T>(row(a, i), row(b, i), greatest, to, &mut lanes[i % WIDE * columns..][..columns]);
        }
        for lane in lanes.chunks(columns) {
            for (sum, &lane) in sum.iter_mut().zip(lane) {
                *sum = *sum + lane;
            }
        }
        for i in whole..n {
            let to = std::slice::from_raw_parts_mut(out.add(i * stride), columns);
            add_terms::<F, A, T>(row(a, i), row(b, i), greatest, to, sum);
        }
        for sum in &mut *sum {
            *sum = F::of_sum(*sum);
        }
        for i in 0..n {
            let to = std::slice::from_raw_parts_mut(out.add(i * stride), columns);
            results::<F, A, T>(row(a, i), row(b, i), greatest, sum, to);
        }
    }
}

/// Writes one value everywhere.
#[inline(always)]
fn filled<T: Copy>(room: &mut [MaybeUninit<T>], value: T) -> &mut [T] {
    room.iter_mut().for_each(|place| {
        place.write(value);
    });
    // SAFETY: all of them have been written.
    unsafe { &mut *(std::ptr::from_mut(room) as *mut [T]) }
}

/// The greatest of what is known and two rows; NaN is passed over. Of one row the compiler would store by a mask where the row is greater, which
/// takes six times as long on Zen 4 with AVX2.
#[inline(always)]
fn raise<T: Real>(greatest: &mut [T], one: &[T], other: &[T]) {
    for ((greatest, &one), &other) in greatest.iter_mut().zip(one).zip(other) {
        let higher = if one > *greatest { one } else { *greatest };
        *greatest = if other > higher { other } else { higher };
    }
}

/// Adds a row's terms, and keeps them in `out` if the formula does.
#[inline(always)]
fn add_terms<F: Formula<T>, A: Arithmetic, T: Real>(a: &[T], b: &[T], greatest: &[T], out: &mut [T], sums: &mut [T]) {
    let n = sums.len();
    let (a, b, greatest, out) = (&a[..n], &b[..n], &greatest[..n], &mut out[..n]);
    for i in 0..n {
        let term = F::term::<A>(a[i], b[i], greatest[i]);
        if F::KEPT {
            out[i] = term;
        }
        sums[i] = sums[i] + term;
    }
}

#[inline(always)]
fn results<F: Formula<T>, A: Arithmetic, T: Real>(a: &[T], b: &[T], greatest: &[T], of_sum: &[T], out: &mut [T]) {
    let n = out.len();
    let (a, b, greatest, of_sum) = (&a[..n], &b[..n], &greatest[..n], &of_sum[..n]);
    for i in 0..n {
        let kept = if F::KEPT { out[i] } else { T::ZERO };
        out[i] = F::result::<A>(a[i], b[i], greatest[i], of_sum[i], kept);
    }
}
