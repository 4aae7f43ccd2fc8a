//! Planes of few columns: many rows of them are one long row, whose elements fill whole vectors; short planes go element by element.
//! `softmax_columns.rs` calls it where a row of a plane is shorter than vectors are.

use super::{Arithmetic, FEW, Formula, Real, WIDE, add_terms, raise, results};

/// Elements of short planes that are worked on at a time.
const TOGETHER: usize = 1024;

/// # Safety
/// `planes` dense planes of `n` rows of `inner` elements, fewer than [`FEW`].
#[inline(always)]
pub(super) unsafe fn body<F: Formula<T>, A: Arithmetic, T: Real>(
    planes: usize,
    n: usize,
    inner: usize,
    a: *const T,
    b: *const T,
    out: *mut T,
) {
    // SAFETY: by the caller's promise.
    let (a, b, out) = unsafe {
        let elements = planes * n * inner;
        (
            std::slice::from_raw_parts(a, elements),
            std::slice::from_raw_parts(b, elements),
            std::slice::from_raw_parts_mut(out, elements),
        )
    };
    let size = n * inner;
    if n >= WIDE {
        for ((a, b), out) in a.chunks(size).zip(b.chunks(size)).zip(out.chunks_mut(size)) {
            long::<F, A, T>(inner, a, b, out);
        }
        return;
    }
    let together = (TOGETHER / size).max(1) * size;
    for ((a, b), out) in a.chunks(together).zip(b.chunks(together)).zip(out.chunks_mut(together)) {
        short::<F, A, T>(n, inner, a, b, out);
    }
}

/// A plane of [`WIDE`] rows at least, as many at a time as there are lanes.
#[inline(always)]
fn long<F: Formula<T>, A: Arithmetic, T: Real>(inner: usize, a: &[T], b: &[T], out: &mut [T]) {
    let wide = WIDE * inner;
    let mut greatest = [T::LOWEST; WIDE * FEW];
    let mut lanes = [T::ZERO; WIDE * FEW];
    let (greatest, lanes) = (&mut greatest[..wide], &mut lanes[..wide]);
    if F::GREATEST {
        for pair in a.chunks(2 * wide) {
            let (one, other) = pair.split_at(pair.len().min(wide));
            if other.len() == wide {
                raise(greatest, one, other);
            } else {
                [one, other].into_iter().for_each(|row| raise(greatest, row, row));
            }
        }
        let (first, others) = greatest.split_at_mut(inner);
        others.chunks(inner).for_each(|row| raise(first, row, row));
        others.chunks_mut(inner).for_each(|row| row.copy_from_slice(first));
    }
    let whole = a.len() - a.len() % wide;
    let mut at = 0;
    while at < whole {
        let row = at..at + wide;
        add_terms::<F, A, T>(&a[row.clone()], &b[row.clone()], greatest, &mut out[row], lanes);
        at += wide;
    }
    let mut sum = [T::ZERO; FEW];
    let sum = &mut sum[..inner];
    for lane in lanes.chunks(inner) {
        for (sum, &lane) in sum.iter_mut().zip(lane) {
            *sum = *sum + lane;
        }
    }
    while at < a.len() {
        let row = at..at + inner;
        add_terms::<F, A, T>(&a[row.clone()], &b[row.clone()], greatest, &mut out[row], sum);
        at += inner;
    }
    for sum in &mut *sum {
        *sum = F::of_sum(*sum);
    }
    // The lanes have been added up: they hold what results need of the sums from here on.
    lanes.chunks_mut(inner).for_each(|row| row.copy_from_slice(sum));
    for ((a, b), out) in a.chunks(wide).zip(b.chunks(wide)).zip(out.chunks_mut(wide)) {
        results::<F, A, T>(a, b, greatest, lanes, out);
    }
}

/// Whole planes of fewer rows: what belongs to a column is written beside each of its elements, so that all are computed by vectors.
#[inline(always)]
fn short<F: Formula<T>, A: Arithmetic, T: Real>(n: usize, inner: usize, a: &[T], b: &[T], out: &mut [T]) {
    let mut greatest = [T::LOWEST; TOGETHER];
    let mut terms = [T::ZERO; TOGETHER];
    let (greatest, terms) = (&mut greatest[..a.len()], &mut terms[..a.len()]);
    let size = n * inner;
    if F::GREATEST {
        for (greatest, a) in greatest.chunks_mut(size).zip(a.chunks(size)) {
            for j in 0..inner {
                let mut most = T::LOWEST;
                for i in 0..n {
                    let v = a[i * inner + j];
                    most = if v > most { v } else { most };
                }
                (0..n).for_each(|i| greatest[i * inner + j] = most);
            }
        }
    }
    for i in 0..a.len() {
        terms[i] = F::term::<A>(a[i], b[i], greatest[i]);
    }
    if F::KEPT {
        out.copy_from_slice(terms);
    }
    // Terms give way to what results need of their sums.
    for terms in terms.chunks_mut(size) {
        for j in 0..inner {
            let mut sum = T::ZERO;
            for i in 0..n {
                sum = sum + terms[i * inner + j];
            }
            let of_sum = F::of_sum(sum);
            (0..n).for_each(|i| terms[i * inner + j] = of_sum);
        }
    }
    results::<F, A, T>(a, b, greatest, terms, out);
}

// A plane of short columns fits.
const _: () = assert!(WIDE * FEW <= TOGETHER);
