//! Outputs that are a few elements each, as along an axis of three channels, or few in a row: many are folded by one call of a loop.
//! `ReducePlan::run` comes here before it would take each output by itself.

use super::ReducePlan;
use crate::backend::cpu::View;
use crate::backend::cpu::copy::strided_row;
use crate::backend::cpu::vector::fold::{Fold, WIDE};
use crate::dtype::{DType, f16};
use half::slice::HalfFloatSliceExt;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Outputs that are folded by one call.
const TOGETHER: usize = 256;
/// Groups of columns that are widened together.
const SIDE: usize = 4;
/// Elements that are brought together at a time.
const ROOM: usize = 2048;

impl ReducePlan {
    /// Whether each output is one run of few elements, or of not too many that are neighbours. Several rows are several, also where they lie
    /// as one: the order is that of the sizes.
    pub(super) fn are_short(&self) -> bool {
        let most = if self.reduced.inner().1 == 1 { ROOM } else { WIDE - 1 };
        self.direct() && self.reduced.rank <= 1 && self.row == self.count && (1..=most).contains(&self.count)
    }

    /// Whether outputs come in groups of few neighbours, one group after the other at one distance. Bytes are no faster so but for dense rows of
    /// up to eight, and `float16` is widened first, where it lies dense.
    pub(super) fn are_few(&self) -> bool {
        let [groups, columns] = [0, 1].map(|axis| (self.kept.dims[axis], self.kept.strides[axis]));
        self.blocks == 1
            && (2..16).contains(&self.columns)
            && (self.dtype.size() > 1 || (self.columns <= 8 && self.reduced.inner().1 == self.columns as isize))
            && (self.dtype != DType::F16 || self.reduced.inner().1 == self.columns as isize)
            && self.reduced.rank == 1
            && self.kept.rank == 2
            && columns == (self.columns, 1)
            && groups.0 == self.groups()
    }

    /// The partial results of a range of such groups, in phase 0 of `ReducePlan::run`; `wide` are the loops of `float32`, for `float16`.
    ///
    /// # Safety
    /// As `ReducePlan::run`.
    pub(super) unsafe fn few_columns(
        &self,
        [fold, wide]: [&Fold; 2],
        input: &View,
        scratch: *mut u8,
        groups: Range<usize>,
    ) {
        let (len, stride) = self.reduced.inner();
        let pitch = self.kept.strides[0];
        // SAFETY: offsets are those of elements of the view; chunks write disjoint accumulators.
        unsafe {
            let from = input.ptr.offset(groups.start as isize * pitch * self.dtype.size() as isize);
            let acc = scratch.add(groups.start * self.columns * self.acc_size());
            (fold.start)(groups.len() * self.columns, acc);
            match self.dtype {
                DType::F16 => self.widened_columns(wide, from.cast(), acc.cast(), groups.len()),
                _ => (fold.groups)([len, self.columns, groups.len()], [stride, pitch], from, acc),
            }
        }
    }

    /// Groups of `float16`, a few at a time: some rows of each are widened and folded, then the next.
    ///
    /// # Safety
    /// As `ReducePlan::run`, for `groups` groups from `from` on, which lie dense, and their accumulators.
    unsafe fn widened_columns(&self, wide: &Fold, from: *const f16, acc: *mut f32, groups: usize) {
        let (columns, len) = (self.columns, self.count);
        let mut room = [0f32; ROOM];
        for first in (0..groups).step_by(SIDE) {
            let n = SIDE.min(groups - first);
            let most = ROOM / (n * columns);
            for row in (0..len).step_by(most) {
                let size = most.min(len - row) * columns;
                // SAFETY: by the caller's promise.
                unsafe {
                    for (g, room) in room.chunks_mut(size).take(n).enumerate() {
                        let from = from.offset((first + g) as isize * self.kept.strides[0]).add(row * columns);
                        std::slice::from_raw_parts(from, size).convert_to_f32_slice(room);
                    }
                    let apart = [columns, size].map(|apart| apart as isize);
                    (wide.groups)(
                        [size / columns, columns, n],
                        apart,
                        room.as_ptr().cast(),
                        acc.add(first * columns).cast(),
                    );
                }
            }
        }
    }

    /// The end of `ReducePlan::run` for a range of such outputs.
    ///
    /// # Safety
    /// As `ReducePlan::run`.
    pub(super) unsafe fn short_rows(
        &self,
        fold: &Fold,
        input: &View,
        output: &View,
        divisor: Option<usize>,
        outputs: Range<usize>,
    ) {
        let size = self.dtype.size();
        let (_, stride) = self.reduced.inner();
        let mut acc = [0u64; TOGETHER];
        let acc = acc.as_mut_ptr().cast::<u8>();
        let mut room = [const { MaybeUninit::<u64>::uninit() }; ROOM];
        let room = room.as_mut_ptr().cast::<u8>();
        // Rows that follow each other at one distance throughout are dense once they are brought together.
        let apart = stride != 1 && self.kept.inner().1 == self.count as isize * stride;
        let most = if apart { TOGETHER.min(ROOM / self.count) } else { TOGETHER };
        let mut at = outputs.start;
        while at < outputs.end {
            let run = self.kept.run(at, most.min(outputs.end - at));
            // SAFETY: offsets are those of elements of the view; chunks write disjoint outputs.
            unsafe {
                let from = input.ptr.offset(run.offset * size as isize);
                (fold.start)(run.len, acc);
                if apart {
                    strided_row(size, from, stride, room, run.len * self.count);
                    (fold.short)(self.count, 1, run.len, self.count as isize, room, acc);
                } else {
                    (fold.short)(self.count, stride, run.len, run.stride, from, acc);
                }
                (fold.finish)(0..run.len, run.len, 1, acc, divisor, output.ptr.add(at * size));
            }
            at += run.len;
        }
    }

    /// Whether each output is a dense row of `float16`, of more than a few and not too many: they are widened first, by the processor's own
    /// conversion. (That of `bfloat16` is a shift, which costs no more on the way.)
    pub(super) fn are_narrow(&self) -> bool {
        self.dtype == DType::F16
            && self.direct()
            && self.reduced.rank <= 1
            && self.row == self.count
            && (9..=ROOM).contains(&self.count)
            && self.reduced.inner().1 == 1
    }

    /// The end of `ReducePlan::run` for a range of such outputs; `wide` are the loops of `float32`, whose order is the same.
    ///
    /// # Safety
    /// As `ReducePlan::run`.
    pub(super) unsafe fn narrow_rows(
        &self,
        [fold, wide]: [&Fold; 2],
        input: &View,
        output: &View,
        divisor: Option<usize>,
        outputs: Range<usize>,
    ) {
        let (size, count) = (self.dtype.size(), self.count);
        let mut acc = [0f32; TOGETHER];
        let mut room = [0f32; ROOM];
        let mut at = outputs.start;
        while at < outputs.end {
            let run = self.kept.run(at, TOGETHER.min(ROOM / count).min(outputs.end - at));
            let acc = acc.as_mut_ptr().cast::<u8>();
            let rows = &mut room[..run.len * count];
            // SAFETY: offsets are those of elements of the view; chunks write disjoint outputs.
            unsafe {
                let from = input.ptr.offset(run.offset * size as isize);
                let follow = run.stride == count as isize;
                for (i, row) in rows.chunks_mut(if follow { run.len * count } else { count }).enumerate() {
                    let from = from.offset(i as isize * run.stride * size as isize).cast::<f16>();
                    std::slice::from_raw_parts(from, row.len()).convert_to_f32_slice(row);
                }
                (wide.start)(run.len, acc);
                (wide.short)(count, 1, run.len, count as isize, rows.as_ptr().cast(), acc);
                (fold.finish)(0..run.len, run.len, 1, acc, divisor, output.ptr.add(at * size));
            }
            at += run.len;
        }
    }
}
