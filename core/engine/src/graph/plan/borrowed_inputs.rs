//! Calls of a plan on operands that stay the caller's, in a frame that the caller keeps: the shortest calls count no handles
//! and ask no pool. Traced functions run their latest trace so; where a plan wants more, [`Plan::run`] runs it.

use super::frame::Frame;
use super::{Plan, Step, exec};
use crate::ir::steps::count;
use crate::op::Outputs;
use crate::tensor::Tensor;
use kernels::error::Result;

/// A frame of one plan, between calls.
pub(crate) struct Seat(Box<Frame>);

impl Plan {
    /// A frame to keep.
    pub fn seat(&self) -> Result<Seat> {
        self.frame().map(Seat)
    }

    /// Takes a frame back that this plan gave.
    pub fn leave(&self, seat: Seat) {
        self.frames.put(seat.0);
    }

    /// Whether operands whose types are those of the parameters can be lent: nobody wants a handle of them, or them in
    /// another order.
    #[inline]
    pub fn takes_lent<'a>(&self, operands: impl Iterator<Item = &'a Tensor>) -> bool {
        self.lends
            && operands.zip(&self.params).all(|(operand, param)| {
                debug_assert_eq!(*operand.ty(), param.ty);
                !operand.is_symbol() && operand.is_contiguous()
            })
    }

    /// Runs the plan on operands that [`takes_lent`](Self::takes_lent) accepts, as many as there are parameters.
    #[inline]
    pub fn run_lent<'a>(&self, seat: &mut Seat, operands: impl Iterator<Item = &'a Tensor>) -> Result<Outputs> {
        for (slot, operand) in (0..).zip(operands) {
            seat.0.point(self, slot, operand.data());
        }
        let result = exec::steps(self, &mut seat.0);
        seat.0.clear(self);
        result
    }
}

/// Whether steps use one of the first `slots` as a tensor, not only its address.
pub(super) fn takes(steps: &[Step], slots: u32) -> bool {
    count(steps.len());
    steps.iter().any(|step| match step {
        Step::Tensors { inputs, .. } => inputs.iter().any(|(from, _)| *from < slots),
        Step::Move { from, .. } | Step::Own { from, .. } => *from < slots,
        Step::Branch { then: a, otherwise: b, .. } | Step::Loop { test: a, body: b, .. } => {
            takes(a, slots) || takes(b, slots)
        }
        Step::FusedLoop { .. } | Step::Kernel { .. } | Step::Copy { .. } | Step::Allocate { .. } => false,
    })
}
