//! Dense rows of few elements, turned into columns some at a time and back, in the order of rows: rows one by one would leave vectors empty.
//! `softmax_rows.rs` calls these before it takes the rows that are left.

use super::{Arithmetic, Formula, Real, WIDE, block};
use crate::backend::cpu::simd::transpose::{columns_to_rows, rows_to_columns};
use std::mem::MaybeUninit;

/// Rows that are turned at a time.
const ROWS: usize = 32;

/// Memory for the columns of [`ROWS`] rows.
struct Room<T>([MaybeUninit<[T; ROWS]>; WIDE]);

impl<T: Real> Room<T> {
    #[inline(always)]
    fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; WIDE])
    }

    #[inline(always)]
    fn at(&mut self) -> *mut T {
        self.0.as_mut_ptr().cast()
    }

    /// The first `n` columns.
    ///
    /// # Safety
    /// They have been written.
    #[inline(always)]
    unsafe fn columns(&self, n: usize) -> &[[T; ROWS]] {
        // SAFETY: by the caller's promise.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), n) }
    }
}

/// Elements of the rows that are turned of `out`, for rows of `n`, of which each operand has as many.
#[inline(always)]
fn whole<T>(n: usize, operands: &[&[T]], out: &[T]) -> usize {
    let whole = if (2..WIDE).contains(&n) { out.len() / (ROWS * n) * (ROWS * n) } else { 0 };
    assert!(operands.iter().all(|operand| operand.len() >= whole), "operands have the elements of results");
    whole
}

/// The results of rows of `n` elements; answers how many elements of them there are.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
pub(in crate::backend::cpu) unsafe fn rows<F: Formula<T>, A: Arithmetic, T: Real>(
    n: usize,
    a: &[T],
    b: &[T],
    out: &mut [T],
) -> usize {
    let whole = whole(n, &[a, b], out);
    let mut rooms = [Room::new(), Room::new(), Room::new()];
    let [of_a, of_b, of_out] = rooms.each_mut().map(Room::at);
    for at in (0..whole).step_by(ROWS * n) {
        // SAFETY: by the caller's promise; operands and results have the elements, and the rooms hold as many columns.
        unsafe {
            rows_to_columns(n, ROWS, a.as_ptr().add(at), of_a);
            if !F::GREATEST {
                rows_to_columns(n, ROWS, b.as_ptr().add(at), of_b);
            }
            let b = if F::GREATEST { of_a } else { of_b };
            block::<F, A, T, ROWS>(n, ROWS, ROWS, of_a, b, of_out);
            columns_to_rows(n, ROWS, of_out, out.as_mut_ptr().add(at));
        }
    }
    whole
}

/// The losses and probabilities of rows of `n` elements, with a label for each; answers how many elements there are. Each row has a loss.
///
/// # Safety
/// As [`rows`].
#[inline(always)]
pub(in crate::backend::cpu) unsafe fn cross_entropy<A: Arithmetic, T: Real>(
    n: usize,
    labels: &[T],
    x: &[T],
    loss: &mut [T],
    p: &mut [T],
) -> usize {
    let whole = whole(n, &[labels, x], p);
    let (mut of_x, mut of_labels, mut of_p) = (Room::new(), Room::new(), Room::new());
    for at in (0..whole).step_by(ROWS * n) {
        // SAFETY: by the caller's promise; operands and results have the elements, and the rooms hold as many columns.
        unsafe {
            rows_to_columns(n, ROWS, x.as_ptr().add(at), of_x.at());
            rows_to_columns(n, ROWS, labels.as_ptr().add(at), of_labels.at());
            let (greatest, log) = probabilities::<A, T>(of_x.columns(n), of_p.at());
            let mut sum = [T::ZERO; ROWS];
            for (x, labels) in of_x.columns(n).iter().zip(of_labels.columns(n)) {
                for j in 0..ROWS {
                    sum[j] = sum[j] + labels[j] * (log[j] - (x[j] - greatest[j]));
                }
            }
            loss[at / n..][..ROWS].copy_from_slice(&sum);
            columns_to_rows(n, ROWS, of_p.at(), p.as_mut_ptr().add(at));
        }
    }
    whole
}

/// As [`cross_entropy`], where each row has the number of the element that is its label, below `n`.
///
/// # Safety
/// As [`rows`].
#[inline(always)]
pub(in crate::backend::cpu) unsafe fn sparse_cross_entropy<A: Arithmetic, T: Real>(
    n: usize,
    labels: &[usize],
    x: &[T],
    loss: &mut [T],
    p: &mut [T],
) -> usize {
    let whole = whole(n, &[x], p);
    let (mut of_x, mut of_p) = (Room::new(), Room::new());
    for at in (0..whole).step_by(ROWS * n) {
        // SAFETY: by the caller's promise; operands and results have the elements, and the rooms hold as many columns.
        let (greatest, log) = unsafe {
            rows_to_columns(n, ROWS, x.as_ptr().add(at), of_x.at());
            let found = probabilities::<A, T>(of_x.columns(n), of_p.at());
            columns_to_rows(n, ROWS, of_p.at(), p.as_mut_ptr().add(at));
            found
        };
        let first = at / n;
        for j in 0..ROWS {
            loss[first + j] = log[j] - (x[at + j * n + labels[first + j]] - greatest[j]);
        }
    }
    whole
}

/// Writes the softmax of columns to as many from `p` on; answers the greatest of each, and the logarithm of its sum.
///
/// # Safety
/// There is room for them.
#[inline(always)]
unsafe fn probabilities<A: Arithmetic, T: Real>(x: &[[T; ROWS]], p: *mut T) -> ([T; ROWS], [T; ROWS]) {
    let (mut greatest, mut sum) = ([T::LOWEST; ROWS], [T::ZERO; ROWS]);
    for x in x {
        for j in 0..ROWS {
            greatest[j] = if x[j] > greatest[j] { x[j] } else { greatest[j] };
        }
    }
    for (k, x) in x.iter().enumerate() {
        for j in 0..ROWS {
            let term = (x[j] - greatest[j]).exp::<A>();
            // SAFETY: by the caller's promise.
            unsafe { p.add(k * ROWS + j).write(term) };
            sum[j] = sum[j] + term;
        }
    }
    let (mut log, mut factor) = ([T::ZERO; ROWS], [T::ZERO; ROWS]);
    for j in 0..ROWS {
        log[j] = sum[j].log();
        factor[j] = T::ONE / sum[j];
    }
    for k in 0..x.len() {
        // SAFETY: by the caller's promise; all has been written above.
        let p = unsafe { &mut *p.add(k * ROWS).cast::<[T; ROWS]>() };
        for j in 0..ROWS {
            p[j] = p[j] * factor[j];
        }
    }
    (greatest, log)
}
