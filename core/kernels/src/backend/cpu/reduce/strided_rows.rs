//! Rows that do not lie dense: they are brought together in parts and folded in the order of dense ones. Where the outputs are
//! neighbours in memory, as in a transposed matrix, several are folded at a time, so that what is fetched is used.

use super::ReducePlan;
use crate::backend::cpu::View;
use crate::backend::cpu::copy::strided_row;
use crate::backend::cpu::vector::fold::{Fold, WIDE};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Outputs that are folded together: their lanes stay in the second-level cache.
const BUNDLE: usize = 256;
/// Outputs of a chunk at least: memory gives short pieces of rows that lie pages apart slowly.
pub(super) const FEWEST: usize = 128;
/// Outputs whose short rows are brought together: at four bytes an element, what lies in one line of the cache.
const FEW: usize = 16;
/// Elements of a single output that are brought together at a time: several rows of a transposed matrix, as a rule.
const ALONE: usize = 64 * WIDE;

impl ReducePlan {
    /// Folds a range of elements into one output, by rows that are dense in a dense operand: brought together if they lie apart.
    ///
    /// # Safety
    /// As `ReducePlan::unit`.
    pub(super) unsafe fn rows(&self, fold: &Fold, input: &View, acc: *mut u8, output: usize, range: Range<usize>) {
        let size = self.dtype.size();
        let base = self.kept.offset(output);
        let mut at = range.start;
        while at < range.end {
            let len = (self.row - at % self.row).min(range.end - at);
            let run = self.reduced.run(at, len);
            // SAFETY: offsets are those of elements of the view; the accumulator is the caller's.
            unsafe {
                if run.len == len && run.stride == 1 {
                    let from = input.ptr.offset((base + run.offset) * size as isize);
                    (fold.row)(len, 1, 1, from, acc);
                } else {
                    let from = input.ptr.offset(base * size as isize);
                    self.row_together(fold, from, acc, 1, at..at + len);
                }
            }
            at += len;
        }
    }

    /// Whether neighbouring outputs are neighbours in memory, and the elements of a row are not.
    pub(super) fn bundles(&self) -> bool {
        self.columns == 1
            && self.row >= WIDE
            && self.kept.rank > 0
            && self.kept.inner().1 == 1
            && self.reduced.inner().1 != 1
    }

    /// As the end of `ReducePlan::run`, for several neighbouring outputs at a time; units count outputs first, then blocks.
    ///
    /// # Safety
    /// As `ReducePlan::run`.
    pub(super) unsafe fn bundled(
        &self,
        fold: &Fold,
        input: &View,
        scratch: *mut u8,
        output: &View,
        divisor: Option<usize>,
        units: Range<usize>,
    ) {
        // Eight bytes for each lane, the most that one takes.
        let mut lanes = Vec::<u64>::with_capacity(WIDE * BUNDLE.min(units.len()));
        let lanes = lanes.as_mut_ptr().cast::<u8>();
        let mut at = units.start;
        while at < units.end {
            let (block, first) = (at / self.outputs, at % self.outputs);
            let most = BUNDLE.min(units.end - at).min(self.outputs - first);
            let run = self.kept.run(first, most);
            // SAFETY: by the caller's promise; units write disjoint partial results or outputs.
            unsafe {
                let from = input.ptr.offset(run.offset * self.dtype.size() as isize);
                if self.direct() {
                    let mut acc = [0u64; BUNDLE];
                    let acc = acc.as_mut_ptr().cast::<u8>();
                    self.rows_together(fold, from, acc, lanes, run.len, 0);
                    (fold.finish)(0..run.len, run.len, 1, acc, divisor, output.ptr.add(first * self.dtype.size()));
                } else {
                    let acc = scratch.add((block * self.outputs + first) * self.acc_size());
                    self.rows_together(fold, from, acc, lanes, run.len, block);
                }
            }
            at += run.len;
        }
    }

    /// Folds a block of each of `n` outputs whose first elements lie from `from` on into as many accumulators.
    ///
    /// # Safety
    /// As `ReducePlan::run`, for at most [`BUNDLE`] outputs, each with room for its lanes.
    unsafe fn rows_together(&self, fold: &Fold, from: *const u8, acc: *mut u8, lanes: *mut u8, n: usize, block: usize) {
        let (size, range) = (self.dtype.size(), self.block(block));
        let mut at = range.start;
        // SAFETY: by the caller's promise.
        unsafe {
            (fold.start)(n, acc);
            while at < range.end {
                let row = at..at + (self.row - at % self.row).min(range.end - at);
                at = row.end;
                if row.len() < WIDE {
                    for first in (0..n).step_by(FEW) {
                        let (from, acc) = (from.add(first * size), acc.add(first * self.acc_size()));
                        self.row_together(fold, from, acc, FEW.min(n - first), row.clone());
                    }
                    continue;
                }
                (fold.start)(n * WIDE, lanes);
                for run in self.reduced.runs(row.clone()) {
                    let from = from.offset(run.offset * size as isize);
                    (fold.turned)(run.first - row.start, run.len, run.stride, n, from, lanes);
                }
                (fold.join_turned)(n, lanes, acc);
            }
        }
    }

    /// Folds a row of one output, or rows of fewer than [`WIDE`] elements of `n` outputs, in the order of rows that lie dense.
    ///
    /// # Safety
    /// As [`Self::rows_together`], for at most [`FEW`] outputs; the row is one of reduced elements.
    unsafe fn row_together(&self, fold: &Fold, from: *const u8, acc: *mut u8, n: usize, row: Range<usize>) {
        let size = self.dtype.size();
        let mut parts = [const { MaybeUninit::<u64>::uninit() }; ALONE];
        let parts = parts.as_mut_ptr().cast::<u8>();
        // SAFETY: parts have room for all outputs, of eight bytes an element at most; by the caller's promise.
        unsafe {
            if row.len() < WIDE {
                self.bring(from, row.clone(), n, parts);
                let (part, acc) = (|i: usize| parts.add(i * WIDE * size), |i: usize| acc.add(i * self.acc_size()));
                return (0..n).for_each(|i| (fold.row)(row.len(), 1, 1, part(i), acc(i)));
            }
            debug_assert_eq!(n, 1);
            let mut lanes = [const { MaybeUninit::<u64>::uninit() }; WIDE];
            let lanes = lanes.as_mut_ptr().cast::<u8>();
            (fold.start)(WIDE, lanes);
            for first in row.clone().step_by(ALONE) {
                let len = ALONE.min(row.end - first);
                self.bring(from, first..first + len, 1, parts);
                (fold.lanes)(len, 1, 1, parts, lanes);
            }
            (fold.join)(lanes, acc);
        }
    }

    /// Copies a range of reduced elements of `n` neighbouring outputs to one part for each.
    ///
    /// # Safety
    /// As [`Self::row_together`]; the range has fewer than [`WIDE`] elements, or at most [`ALONE`] of a single output.
    unsafe fn bring(&self, from: *const u8, range: Range<usize>, n: usize, parts: *mut u8) {
        let size = self.dtype.size();
        let mut at = range.start;
        while at < range.end {
            let run = self.reduced.run(at, range.end - at);
            // Of a single output, neighbours in memory are elements of rows that follow.
            let rows = if n == 1 { self.neighbours(at, range.end) } else { n };
            let pitch = if n == 1 { run.len } else { WIDE };
            // SAFETY: by the caller's promise.
            unsafe {
                let from = from.offset(run.offset * size as isize);
                let to = parts.add((at - range.start) * size);
                match size {
                    _ if rows == 1 => strided_row(size, from, run.stride, to, run.len),
                    1 => turn(from, run.stride, run.len, rows, pitch, to),
                    2 => turn::<u16>(from.cast(), run.stride, run.len, rows, pitch, to.cast()),
                    4 => turn::<u32>(from.cast(), run.stride, run.len, rows, pitch, to.cast()),
                    _ => turn::<u64>(from.cast(), run.stride, run.len, rows, pitch, to.cast()),
                }
            }
            at += if n == 1 { rows * run.len } else { run.len };
        }
    }

    /// How many whole rows from an element on, up to `end`, begin in neighbouring places; one where it begins none.
    fn neighbours(&self, at: usize, end: usize) -> usize {
        let (row, _) = self.reduced.inner();
        let Some(outer) = self.reduced.rank.checked_sub(2) else { return 1 };
        if self.reduced.strides[outer] != 1 || !at.is_multiple_of(row) {
            return 1;
        }
        let left = self.reduced.dims[outer] - at / row % self.reduced.dims[outer];
        ((end - at) / row).min(left).max(1)
    }
}

/// Copies `len` runs of `n` neighbours, `stride` apart, to `n` rows `pitch` apart.
///
/// # Safety
/// All these elements are there, and places for them.
unsafe fn turn<T: Copy>(from: *const T, stride: isize, len: usize, n: usize, pitch: usize, to: *mut T) {
    // SAFETY: by the caller's promise.
    unsafe {
        let mut done = 0;
        while done < n {
            let (from, to) = (from.add(done), to.add(done * pitch));
            done += match (n - done, pitch) {
                // The usual distances are known, so that places need no arithmetic.
                (FEW.., WIDE) => turn_by::<T, FEW>(from, stride, len, WIDE, to),
                (8.., _) => turn_by::<T, 8>(from, stride, len, pitch, to),
                (4.., _) => turn_by::<T, 4>(from, stride, len, pitch, to),
                _ => turn_by::<T, 1>(from, stride, len, pitch, to),
            };
        }
    }
}

/// As [`turn`] for a number of neighbours that the compiler knows; gives that number.
///
/// # Safety
/// As [`turn`].
#[inline(always)]
unsafe fn turn_by<T: Copy, const N: usize>(
    from: *const T,
    stride: isize,
    len: usize,
    pitch: usize,
    to: *mut T,
) -> usize {
    for i in 0..len {
        // SAFETY: by the caller's promise.
        unsafe {
            let run = from.offset(i as isize * stride);
            (0..N).for_each(|j| *to.add(j * pitch + i) = *run.add(j));
        }
    }
    N
}

const _: () = assert!(FEW * WIDE <= ALONE);
