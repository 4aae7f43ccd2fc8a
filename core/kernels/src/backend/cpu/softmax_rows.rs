//! Passes over rows of floats that normalise exponentials: each row's maximum, sums, logarithm, and what follows.
//! The softmax and cross entropy operations run them on blocks of rows, so that short rows fill whole vectors too.

use super::Isa;
use super::math::fused::{Arithmetic, Fused, Portable};
use super::math::{double, single};
use super::softmax_columns::formula::{Formula, LogSoftmax, LogSoftmaxGradient, Softmax, SoftmaxGradient};
#[cfg(target_arch = "x86_64")]
use super::softmax_columns::turned;
use std::ops::{Add, Div, Mul, Range, Sub};

/// The element types that rows hold.
pub trait Real:
    crate::dtype::Element + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    const ZERO: Self;
    const ONE: Self;
    const LOWEST: Self;
    fn exp<A: Arithmetic>(self) -> Self;
    fn log(self) -> Self;
}

macro_rules! reals {
    ($($t:ident $math:ident $exp:ident $(<$fused:ident>)?)*) => {$(
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const LOWEST: Self = $t::NEG_INFINITY;
            #[inline(always)]
            fn exp<A: Arithmetic>(self) -> Self { $math::$exp$(::<$fused>)?(self) }
            #[inline(always)]
            fn log(self) -> Self { $math::log(self) }
        }
    )*};
}
reals!(f32 single exp_in<A> f64 double exp);

/// Elements that stay in the first-level cache between the passes over a block.
const BLOCK: usize = 1024;
/// Elements per chunk of work: long enough to hide the cost of handing it out.
const CHUNK: usize = 16 * 1024;
/// Independent accumulators of a row.
pub(super) const WIDE: usize = 32;

/// Rows of each chunk, for rows of `n` elements.
fn rows_per_chunk(n: usize) -> usize {
    (CHUNK / n.max(1)).max(1)
}

/// Chunks that `rows` rows of `n` elements make.
pub fn chunks(rows: usize, n: usize) -> usize {
    rows.div_ceil(rows_per_chunk(n)).max(1)
}

/// The rows of a chunk.
pub fn chunk(rows: usize, n: usize, index: usize) -> Range<usize> {
    let step = rows_per_chunk(n);
    (index * step).min(rows)..((index + 1) * step).min(rows)
}

#[inline(always)]
fn max_of<T: Real>(row: &[T]) -> T {
    let greater = |a: T, b: T| if b > a { b } else { a };
    let mut best = T::LOWEST;
    let mut rest = row;
    if row.len() >= WIDE {
        let mut lanes = [T::LOWEST; WIDE];
        let (blocks, tail) = row.as_chunks::<WIDE>();
        for block in blocks {
            for (lane, &v) in lanes.iter_mut().zip(block) {
                *lane = greater(*lane, v);
            }
        }
        best = lanes.into_iter().fold(best, greater);
        rest = tail;
    }
    rest.iter().fold(best, |a, &b| greater(a, b))
}

/// The sum of `f` over the elements of rows of one length, in lanes. Blocks of known size keep the lanes in registers.
#[inline(always)]
fn sum_of<T: Real, const K: usize>(rows: [&[T]; K], f: impl Fn([T; K]) -> T) -> T {
    let n = rows[0].len();
    let whole = n - n % WIDE;
    let mut sum = T::ZERO;
    if whole > 0 {
        let blocks = rows.map(|row| row.as_chunks::<WIDE>().0);
        let mut lanes = [T::ZERO; WIDE];
        for b in 0..n / WIDE {
            let block = blocks.map(|blocks| &blocks[b]);
            for (i, lane) in lanes.iter_mut().enumerate() {
                *lane = *lane + f(block.map(|block| block[i]));
            }
        }
        sum = lanes.into_iter().fold(sum, |a, b| a + b);
    }
    (whole..n).fold(sum, |a, i| a + f(rows.map(|row| row[i])))
}

/// Writes exp(x - max) to `out` for a block of rows and calls `row(number, max, sum)` for each.
#[inline(always)]
fn exponentials<A: Arithmetic, T: Real>(
    x: &[T],
    out: &mut [T],
    n: usize,
    mut row: impl FnMut(usize, T, T, &[T], &mut [T]),
) {
    let block = (BLOCK / n).max(1) * n;
    let mut maxima = [T::ZERO; BLOCK];
    for (number, (x, out)) in x.chunks(block).zip(out.chunks_mut(block)).enumerate() {
        for ((x, out), max) in x.chunks_exact(n).zip(out.chunks_exact_mut(n)).zip(&mut maxima) {
            *max = max_of(x);
            for (out, &x) in out.iter_mut().zip(x) {
                *out = x - *max;
            }
        }
        for out in out.iter_mut() {
            *out = out.exp::<A>();
        }
        for (i, ((x, out), &max)) in x.chunks_exact(n).zip(out.chunks_exact_mut(n)).zip(&maxima).enumerate() {
            let sum = sum_of([&*out], |[v]| v);
            row(number * (block / n) + i, max, sum, x, out);
        }
    }
}

#[inline(always)]
fn scale<T: Real>(row: &mut [T], factor: T) {
    for v in row {
        *v = *v * factor;
    }
}

/// How many elements of short rows were taken as columns, if those who call it `TURN` rows.
#[inline(always)]
fn taken<F: Formula<T>, A: Arithmetic, T: Real, const TURN: bool>(n: usize, a: &[T], b: &[T], out: &mut [T]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if TURN {
        // SAFETY: passes that turn rows are compiled for AVX2.
        return unsafe { turned::rows::<F, A, T>(n, a, b, out) };
    }
    let _ = (n, a, b, out);
    0
}

#[inline(always)]
fn softmax_body<A: Arithmetic, T: Real, const TURN: bool>(n: usize, x: &[T], y: &mut [T]) {
    let taken = taken::<Softmax, A, T, TURN>(n, x, x, y);
    exponentials::<A, T>(&x[taken..], &mut y[taken..], n, |_, _, sum, _, y| scale(y, T::ONE / sum));
}

#[inline(always)]
fn log_softmax_body<A: Arithmetic, T: Real, const TURN: bool>(n: usize, x: &[T], y: &mut [T]) {
    let taken = taken::<LogSoftmax, A, T, TURN>(n, x, x, y);
    exponentials::<A, T>(&x[taken..], &mut y[taken..], n, |_, max, sum, x, y| {
        let log = sum.log();
        for (y, &x) in y.iter_mut().zip(x) {
            *y = x - max - log;
        }
    });
}

#[inline(always)]
fn softmax_gradient_body<A: Arithmetic, T: Real, const TURN: bool>(n: usize, y: &[T], dy: &[T], dx: &mut [T]) {
    let taken = taken::<SoftmaxGradient, A, T, TURN>(n, y, dy, dx);
    let rows = y[taken..].chunks_exact(n).zip(dy[taken..].chunks_exact(n)).zip(dx[taken..].chunks_exact_mut(n));
    for ((y, dy), dx) in rows {
        let sum = sum_of([y, dy], |[y, dy]| y * dy);
        for ((dx, &y), &dy) in dx.iter_mut().zip(y).zip(dy) {
            *dx = (dy - sum) * y;
        }
    }
}

#[inline(always)]
fn log_softmax_gradient_body<A: Arithmetic, T: Real, const TURN: bool>(n: usize, y: &[T], dy: &[T], dx: &mut [T]) {
    let taken = taken::<LogSoftmaxGradient, A, T, TURN>(n, y, dy, dx);
    let (y, dy, dx) = (&y[taken..], &dy[taken..], &mut dx[taken..]);
    for (dx, &y) in dx.iter_mut().zip(y) {
        *dx = y.exp::<A>();
    }
    for (dy, dx) in dy.chunks_exact(n).zip(dx.chunks_exact_mut(n)) {
        let sum = sum_of([dy], |[dy]| dy);
        for (dx, &dy) in dx.iter_mut().zip(dy) {
            *dx = dy - *dx * sum;
        }
    }
}

#[inline(always)]
fn cross_entropy_body<A: Arithmetic, T: Real, const TURN: bool>(
    n: usize,
    labels: &[T],
    x: &[T],
    loss: &mut [T],
    p: &mut [T],
) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: passes that turn rows are compiled for AVX2.
    let taken = if TURN { unsafe { turned::cross_entropy::<A, T>(n, labels, x, loss, p) } } else { 0 };
    #[cfg(not(target_arch = "x86_64"))]
    let taken = 0;
    let (labels, loss) = (&labels[taken..], &mut loss[taken / n..]);
    exponentials::<A, T>(&x[taken..], &mut p[taken..], n, |r, max, sum, x, p| {
        let (labels, log) = (&labels[r * n..(r + 1) * n], sum.log());
        loss[r] = sum_of([labels, x], |[label, x]| label * (log - (x - max)));
        scale(p, T::ONE / sum);
    });
}

#[inline(always)]
fn sparse_cross_entropy_body<A: Arithmetic, T: Real, const TURN: bool>(
    n: usize,
    labels: &[usize],
    x: &[T],
    loss: &mut [T],
    p: &mut [T],
) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: passes that turn rows are compiled for AVX2.
    let taken = if TURN { unsafe { turned::sparse_cross_entropy::<A, T>(n, labels, x, loss, p) } } else { 0 };
    #[cfg(not(target_arch = "x86_64"))]
    let taken = 0;
    let (labels, loss) = (&labels[taken / n..], &mut loss[taken / n..]);
    exponentials::<A, T>(&x[taken..], &mut p[taken..], n, |r, max, sum, x, p| {
        loss[r] = sum.log() - (x[labels[r]] - max);
        scale(p, T::ONE / sum);
    });
}

/// Defines a pass that runs `$body` compiled for an instruction set.
macro_rules! pass {
    ($($(#[$doc:meta])* $name:ident = $body:ident($($arg:ident: $t:ty),*);)*) => {$(
        $(#[$doc])*
        ///
        /// Rows have `n` elements and lie one after the other; with `n = 0` there is nothing to do.
        pub fn $name<T: Real>(isa: Isa, n: usize, $($arg: $t),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
            fn avx512<T: Real>(n: usize, $($arg: $t),*) {
                $body::<Fused, T, true>(n, $($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2<T: Real>(n: usize, $($arg: $t),*) {
                $body::<Fused, T, true>(n, $($arg),*)
            }
            if n == 0 {
                return;
            }
            match isa {
                // SAFETY: `Isa` names only sets that the CPU has.
                #[cfg(target_arch = "x86_64")]
                Isa::Avx512 => unsafe { avx512(n, $($arg),*) },
                // SAFETY: `Isa` names only sets that the CPU has.
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2 => unsafe { avx2(n, $($arg),*) },
                #[allow(unreachable_patterns, reason = "the others exist on one architecture only")]
                _ => $body::<Portable, T, false>(n, $($arg),*),
            }
        }
    )*};
}

pass! {
    /// `y = exp(x) / sum(exp(x))` for each row.
    softmax = softmax_body(x: &[T], y: &mut [T]);
    /// `y = x - log(sum(exp(x)))` for each row.
    log_softmax = log_softmax_body(x: &[T], y: &mut [T]);
    /// `dx = (dy - sum(y dy)) y` for each row, where y is a softmax.
    softmax_gradient = softmax_gradient_body(y: &[T], dy: &[T], dx: &mut [T]);
    /// `dx = dy - exp(y) sum(dy)` for each row, where y is a logarithm of a softmax.
    log_softmax_gradient = log_softmax_gradient_body(y: &[T], dy: &[T], dx: &mut [T]);
    /// Per row the softmax `p` of `x`, and the loss `-sum(labels log(p))`.
    cross_entropy = cross_entropy_body(labels: &[T], x: &[T], loss: &mut [T], p: &mut [T]);
    /// Per row the softmax `p` of `x`, and the loss `-log(p[label])`; labels are below `n`.
    sparse_cross_entropy = sparse_cross_entropy_body(labels: &[usize], x: &[T], loss: &mut [T], p: &mut [T]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_and_length_agrees_with_the_definition() {
        for n in [1, 2, 10, 31, 32, 65, 1024, 1500] {
            let x: Vec<f64> = (0..3 * n).map(|i| ((i * 7919) % 101) as f64 / 10.0 - 5.0).collect();
            for isa in Isa::available() {
                let (mut y, mut log) = (vec![0.0; x.len()], vec![0.0; x.len()]);
                softmax(isa, n, &x, &mut y);
                log_softmax(isa, n, &x, &mut log);
                for ((x, y), log) in x.chunks(n).zip(y.chunks(n)).zip(log.chunks(n)) {
                    let sum: f64 = x.iter().map(|v| f64::exp(*v)).sum();
                    for i in 0..n {
                        assert!((y[i] - x[i].exp() / sum).abs() < 1e-12, "{isa:?} {n}");
                        assert!((log[i] - (x[i] - sum.ln())).abs() < 1e-12, "{isa:?} {n}");
                    }
                }
            }
        }
    }

    /// All passes over rows of `n` elements: what they write, one after the other.
    fn all_passes<T: Real>(isa: Isa, n: usize, x: &[T], y: &[T]) -> Vec<Vec<T>> {
        let labels: Vec<usize> = (0..x.len() / n).map(|row| row * 7 % n).collect();
        let [mut loss, mut sparse_loss] = [0; 2].map(|_| vec![T::ZERO; labels.len()]);
        let mut outs: [Vec<T>; 6] = std::array::from_fn(|_| vec![T::ZERO; x.len()]);
        let [a, b, c, d, e, f] = &mut outs;
        softmax(isa, n, x, a);
        log_softmax(isa, n, x, b);
        softmax_gradient(isa, n, y, x, c);
        log_softmax_gradient(isa, n, y, x, d);
        cross_entropy(isa, n, y, x, &mut loss, e);
        sparse_cross_entropy(isa, n, &labels, x, &mut sparse_loss, f);
        outs.into_iter().chain([loss, sparse_loss]).collect()
    }

    /// Results have the same bits for many rows at once as for each alone, which no pass turns into columns.
    fn many_rows_are_as_each<T: Real>(of: impl Fn(f64) -> T, bits: impl Fn(T) -> u64 + Copy) {
        for n in (1..40).chain([64, 65]) {
            // Some that are turned together, and some that are left; rows with NaN, and with infinities alone.
            let rows = 75;
            let number = |i: usize| match i / n % 25 {
                7 if i % n == n / 2 => f64::NAN,
                11 => f64::NEG_INFINITY,
                13 if i.is_multiple_of(n) => f64::INFINITY,
                _ => (i * 7919 % 1009) as f64 / 50.0 - 10.0,
            };
            let x: Vec<T> = (0..rows * n).map(|i| of(number(i))).collect();
            let y: Vec<T> = (0..rows * n).map(|i| of((i * 31 % 101) as f64 / 101.0)).collect();
            for isa in Isa::available() {
                let mut each: Vec<Vec<T>> = vec![Vec::new(); 8];
                for (row, (x, y)) in x.chunks(n).zip(y.chunks(n)).enumerate() {
                    // The label of a row is told by its number.
                    let one = all_passes(isa, n, x, y);
                    each.iter_mut().zip(one).take(7).for_each(|(all, one)| all.extend(one));
                    let (mut loss, mut p) = ([T::ZERO], vec![T::ZERO; n]);
                    sparse_cross_entropy(isa, n, &[row * 7 % n], x, &mut loss, &mut p);
                    each[7].extend(loss);
                }
                for (pass, (many, each)) in all_passes(isa, n, &x, &y).into_iter().zip(each).enumerate() {
                    let same = many.iter().zip(&each).all(|(&a, &b)| bits(a) == bits(b));
                    assert!(same && many.len() == each.len(), "pass {pass}, rows of {n}, {isa:?}");
                }
            }
        }
    }

    #[test]
    fn many_rows_have_the_bits_of_each() {
        many_rows_are_as_each(|v| v as f32, |v: f32| v.to_bits().into());
        many_rows_are_as_each(|v| v, f64::to_bits);
    }

    #[test]
    fn chunks_cover_the_rows() {
        for (rows, n) in [(0, 3), (5, 0), (7, 10), (10_000, 10), (3, 100_000)] {
            let mut next = 0;
            for i in 0..chunks(rows, n) {
                let part = chunk(rows, n, i);
                assert_eq!(part.start, next);
                next = part.end;
            }
            assert_eq!(next, rows);
        }
    }
}
