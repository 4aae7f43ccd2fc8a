//! Outputs that are a few elements each, as along an axis of three channels: many are folded by one call of a loop.
//! `ReducePlan::run` comes here before it would take each output by itself.

use super::ReducePlan;
use crate::backend::cpu::View;
use crate::backend::cpu::vector::fold::{Fold, WIDE};
use std::ops::Range;

/// Outputs that are folded by one call.
const TOGETHER: usize = 256;

impl ReducePlan {
    /// Whether each output is one run of few elements.
    pub(super) fn are_short(&self) -> bool {
        self.direct() && self.reduced.rank <= 1 && (1..WIDE).contains(&self.count)
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
        let mut at = outputs.start;
        while at < outputs.end {
            let run = self.kept.run(at, TOGETHER.min(outputs.end - at));
            // SAFETY: offsets are those of elements of the view; chunks write disjoint outputs.
            unsafe {
                let from = input.ptr.offset(run.offset * size as isize);
                (fold.start)(run.len, acc);
                (fold.short)(self.count, stride, run.len, run.stride, from, acc);
                (fold.finish)(0..run.len, run.len, 1, acc, divisor, output.ptr.add(at * size));
            }
            at += run.len;
        }
    }
}
