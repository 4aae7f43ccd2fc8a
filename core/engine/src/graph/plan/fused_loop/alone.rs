//! A fused loop of one instruction over few dense elements: it needs no tiles, tables or scratch memory, only addresses.
//! The executor of plans tries [`FusedLoop::run_alone`] first; most steps of the smallest graphs are such fused loops.

use super::{FusedLoop, Order, Run, Stepping};
use kernels::backend::cpu::vector::Loop;

/// The instruction, and which operands of the fused loop are its own; those that it has not are its result.
pub(super) struct Alone {
    run: Loop,
    args: [u8; 3],
    arity: u8,
}

impl Alone {
    /// What a fused loop is, if it is one instruction that a single chunk does and whose operands lie as its result does.
    pub fn of(fused: &FusedLoop) -> Option<Self> {
        let [Run::Step { run, args, arity, .. }] = fused.runs[..] else { return None };
        let stored = fused.inputs.len() + fused.outputs.len();
        let plain = fused.outputs.len() == 1
            && fused.folds.is_empty()
            && !fused.streams
            && matches!(fused.order, Order::Flat)
            && fused.work.phases[..2] == [1, 0]
            && fused.inputs.iter().all(|input| input.walk == Stepping::Dense)
            && args.iter().all(|&arg| usize::from(arg) < stored);
        plain.then(|| Self { run, args: args.map(|arg| arg as u8), arity })
    }
}

impl FusedLoop {
    /// Runs a fused loop of one instruction: answers whether it faulted, or nothing if it takes the way of all others.
    ///
    /// # Safety
    /// As [`FusedLoop::run`].
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
