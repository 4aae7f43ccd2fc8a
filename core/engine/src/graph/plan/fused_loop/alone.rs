//! A pass of one instruction over few dense elements: it needs no tiles, tables or scratch memory, only addresses.
//! The executor of plans tries [`Pass::run_alone`] first; most steps of the smallest graphs are such passes.

use super::{Order, Pass, Run, Walk};
use kernels::backend::cpu::vector::Loop;

/// The instruction, and which operands of the pass are its own; those that it has not are its result.
pub(super) struct Alone {
    run: Loop,
    args: [u8; 3],
    arity: u8,
}

impl Alone {
    /// What a pass is, if it is one instruction that a single chunk does and whose operands lie as its result does.
    pub fn of(pass: &Pass) -> Option<Self> {
        let [Run::Step { run, args, arity, .. }] = pass.runs[..] else { return None };
        let stored = pass.inputs.len() + pass.outputs.len();
        let plain = pass.outputs.len() == 1
            && pass.folds.is_empty()
            && !pass.streams
            && matches!(pass.order, Order::Flat)
            && pass.work.phases[..2] == [1, 0]
            && pass.inputs.iter().all(|input| input.walk == Walk::Dense)
            && args.iter().all(|&arg| usize::from(arg) < stored);
        plain.then(|| Self { run, args: args.map(|arg| arg as u8), arity })
    }
}

impl Pass {
    /// Runs a pass of one instruction: answers whether it faulted, or nothing if it takes the way of all others.
    ///
    /// # Safety
    /// As [`Pass::run`].
    #[inline]
    pub unsafe fn run_alone(&self, operands: &[*mut u8]) -> Option<bool> {
        let alone = self.alone.as_ref()?;
        let [a, b, c] = alone.args.map(|arg| operands[usize::from(arg)]);
        let to = operands[self.inputs.len()];
        // A loop may not write what it reads.
        if [a, b, c][..usize::from(alone.arity)].contains(&to) {
            return None;
        }
        // SAFETY: by the caller's promise; dense operands of `len` elements, the result apart from them.
        Some(unsafe { (alone.run)(self.len, to, a, b, c) })
    }
}
