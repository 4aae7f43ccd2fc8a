//! What a trace under way wants to know of what the engine records, draws and makes, as a trait that the upper floor implements.
//! `execute`, builders, variables and generators tell the [`listener`]; `function` sets itself as it when it first traces.

use super::recording;
use crate::op::{Facts, Op, Outputs};
use crate::tensor::local::user_line;
use crate::tensor::{Tensor, TensorType};
use kernels::error::Result;
use kernels::shape::Constraints;
use std::panic::Location;
use std::sync::{OnceLock, Weak};

/// Who keeps variables that are made late, as layers and optimizers do while a function is traced for the first time.
pub trait Owner: Send + Sync {
    /// The handle of the variable with this id.
    fn handle(&self, id: u64) -> Option<Tensor>;
}

/// Who traces functions. Lines are handed over as values: callers are not tracked through a trait object.
pub(crate) trait TraceListener: Sync {
    /// Whether the sizes of the call that is traced fit an operation as it is recorded.
    fn check_sizes(&self, op: &dyn Op, inputs: &[&TensorType], facts: &dyn Facts, equal: &Constraints) -> Result<()>;

    /// Notes what an operation that was recorded is given; an error gets the user's names of the operands.
    fn recorded(
        &self,
        op: &dyn Op,
        inputs: &[&Tensor],
        at: &'static Location<'static>,
        result: Result<Outputs>,
    ) -> Result<Outputs>;

    /// The user wrote `said` at a line where the operation `op` is recorded in its place.
    fn said(&self, op: &'static str, said: &'static str, at: &'static Location<'static>);

    /// What the user calls a symbol.
    fn name_of(&self, symbol: &Tensor) -> Option<String>;

    /// Random numbers are drawn at once.
    fn drew(&self, at: &'static Location<'static>);

    /// How many random draws of this kind the innermost trace has recorded before this one; none where no function is traced.
    fn nth_draw(&self, kind: &str) -> Option<usize>;

    /// A graph takes in a tensor or variable from outside, by its id.
    fn took_in(&self, id: u64);

    /// A variable is made while a graph is recorded.
    fn made(&self, handle: &Tensor);

    /// A new variable is `owner`'s: a trace must not keep it alive.
    fn owned(&self, handle: &Tensor, owner: Weak<dyn Owner>);

    /// Code that runs at once begins, outside of the graph that is recorded.
    fn scope_began(&self);

    /// That code has ended.
    fn scope_ended(&self);
}

static LISTENER: OnceLock<&'static dyn TraceListener> = OnceLock::new();

/// Says who is told from now on; the first one stays.
pub(crate) fn set_listener(listener: &'static dyn TraceListener) {
    LISTENER.get_or_init(|| listener);
}

/// Who is told, once a function was traced.
#[inline]
pub(crate) fn listener() -> Option<&'static dyn TraceListener> {
    LISTENER.get().copied()
}

/// Notes that the user wrote `said` where the operation `op` is recorded in its place.
#[inline]
#[track_caller]
pub(crate) fn note_said(op: &'static str, said: &'static str) {
    if recording()
        && let Some(listener) = listener()
    {
        listener.said(op, said, user_line());
    }
}

/// Notes that random numbers are drawn.
#[inline]
pub(crate) fn note_draw(at: &'static Location<'static>) {
    if let Some(listener) = listener() {
        listener.drew(at);
    }
}
