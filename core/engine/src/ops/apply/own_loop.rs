//! Formulas that have a loop in registers: the operands are checked, and the loop of the kernels runs.
//! `Apply` asks here before it runs a rule's program.

use super::rule::OwnLoop;
use kernels::backend::cpu::adam_step::{self, Moments, Values};
use kernels::backend::cpu::{Isa, View};
use kernels::dtype::DType;
use std::ops::Range;
use std::slice;

impl OwnLoop {
    /// One range of a variable in one loop, where the operands are such as the loop takes: the formula is the same, and so are the
    /// bits. Answers whether it ran.
    ///
    /// # Safety
    /// The views are those of one variable, valid, and nobody else uses this range of them.
    pub(super) unsafe fn run(self, group: &[View], range: Range<usize>, factors: &[f64], isa: Isa) -> bool {
        let Self::Adam { first, second, epsilon } = self;
        let ([value, average, square, gradient], &[rate]) = (group, factors) else { return false };
        let dense = |view: &View| view.dtype == DType::F32 && view.is_dense();
        // A gradient that is the variable's own memory, or one of its slots', is left to a loop that allows it.
        let apart = |view: &View| view.ptr.addr().abs_diff(gradient.ptr.addr()) >= view.len() * 4;
        if !group.iter().all(dense) || ![value, average, square].into_iter().all(apart) {
            return false;
        }
        let with = Moments { first: first as f32, second: second as f32, rate: rate as f32, epsilon: epsilon as f32 };
        // SAFETY: dense f32 values by the test above, of one shape by the type rule; the variable and its slots are different
        // resources, each of which has its memory to itself while it is changed, and the gradient lies elsewhere.
        unsafe {
            let changed = |view: &View| slice::from_raw_parts_mut(view.ptr.cast::<f32>().add(range.start), range.len());
            let gradient = slice::from_raw_parts(gradient.ptr.cast::<f32>().add(range.start), range.len());
            let values = Values { value: changed(value), average: changed(average), square: changed(square), gradient };
            adam_step::step(isa, values, with);
        }
        true
    }
}
