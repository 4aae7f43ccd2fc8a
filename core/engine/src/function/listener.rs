//! What traces under way are told by the floors below: names of operands, draws, variables that are made, sizes that must fit.
//! [`Tracing`](super::Tracing) puts [`Listener`] in place; each answer is given by the file that keeps what it is about.

use super::{eager_draws, operands, pins};
use crate::execute::{Owner, TraceListener};
use crate::op::{Facts, Op, Outputs};
use crate::tensor::{Tensor, TensorType};
use kernels::error::Result;
use kernels::shape::Constraints;
use std::panic::Location;
use std::sync::Weak;

pub(super) struct Listener;

impl TraceListener for Listener {
    fn check_sizes(&self, op: &dyn Op, inputs: &[&TensorType], facts: &dyn Facts, equal: &Constraints) -> Result<()> {
        pins::check_sizes(op, inputs, facts, equal)
    }

    fn recorded(
        &self,
        op: &dyn Op,
        inputs: &[&Tensor],
        at: &'static Location<'static>,
        result: Result<Outputs>,
    ) -> Result<Outputs> {
        operands::named(op, inputs, at, result)
    }

    fn said(&self, op: &'static str, said: &'static str, at: &'static Location<'static>) {
        operands::note_said(op, said, at);
    }

    fn name_of(&self, symbol: &Tensor) -> Option<String> {
        operands::symbol_name(symbol)
    }

    fn drew(&self, at: &'static Location<'static>) {
        eager_draws::note_draw(at);
    }

    fn nth_draw(&self, kind: &str) -> Option<usize> {
        pins::nth_draw(kind)
    }

    fn took_in(&self, id: u64) {
        eager_draws::note_taken_in(id);
    }

    fn made(&self, handle: &Tensor) {
        pins::note_made(handle);
    }

    fn owned(&self, handle: &Tensor, owner: Weak<dyn Owner>) {
        pins::note_owner(handle, owner);
    }

    fn scope_began(&self) {
        pins::note_scope();
    }

    fn scope_ended(&self) {
        eager_draws::end_scope();
    }
}
