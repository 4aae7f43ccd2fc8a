//! `execute`: every operation, called by a user or by a gradient rule, comes through [`execute`].
//! It runs the kernels or hands the operation to a recorder, and then tells the tapes of this thread.

mod census;
mod eager;
mod elementwise;
mod flat;
mod gpu;
mod kernel;
mod listener;
mod numerics;
mod per_element;
mod place;
mod scopes;
mod strings;

pub use census::{Census, census};
pub(crate) use eager::{copied, dense, is_lent, view_of};
pub(crate) use gpu::{bring, is_number};
pub(crate) use kernel::run_phases;
pub use listener::Owner;
pub(crate) use listener::{TraceListener, listener, note_draw, note_said, set_listener};
pub(crate) use numerics::{InGradient, check_numerics, checks_numerics, gradient_of, set_check_numerics};
pub(crate) use per_element::{
    ElementSeed, GOLDEN, OfElement, element_seed, element_state, generator_state, mixed, with_stand_ins,
};
pub(crate) use place::{device_of, may_place, on_host};
pub(crate) use scopes::scope;
pub use scopes::{NameScope, layer_scope, name_scope, named_scope};
pub(crate) use strings::set as set_strings;

use crate::meaning::on_parts;
use crate::op::{Kind, Op, OpRef, Outputs, Sizes};
use crate::tensor::local::{InName, LOCAL, mode, user_line};
use crate::tensor::{Tensor, TensorRef};
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;

/// Takes operations instead of the kernels, as a graph builder does.
pub(crate) trait Recorder {
    /// Notes an operation and answers symbols for its results.
    fn record(&self, op: &dyn Op, inputs: &[&Tensor], location: &'static Location<'static>) -> Result<Outputs>;

    /// The elements of a tensor as sizes, where they are known so.
    fn sizes_of(&self, _tensor: &Tensor) -> Option<Sizes> {
        None
    }

    /// Notes the size that a number has become.
    fn note_size(&self, _number: &Tensor, _size: Dim) {}
}

thread_local! {
    static RECORDERS: RefCell<Vec<Rc<dyn Recorder>>> = const { RefCell::new(Vec::new()) };
}

/// Puts a recorder in place of the kernels until [`pop_recorder`].
pub(crate) fn push_recorder(recorder: Rc<dyn Recorder>) {
    RECORDERS.with_borrow_mut(|recorders| recorders.push(recorder));
    LOCAL.with(|local| local.set_mode(mode::TRACE, true));
}

/// The elements of a tensor of the graph being recorded as sizes, where they are known so.
pub(crate) fn sizes_of(tensor: &Tensor) -> Option<Sizes> {
    let recorder = RECORDERS.with_borrow(|recorders| recorders.last().cloned());
    recorder.and_then(|recorder| recorder.sizes_of(tensor))
}

/// Notes the size that a number of the graph being recorded has become.
pub(crate) fn note_size(number: &Tensor, size: Dim) {
    let recorder = RECORDERS.with_borrow(|recorders| recorders.last().cloned());
    recorder.iter().for_each(|recorder| recorder.note_size(number, size));
}

/// Takes the innermost recorder away.
pub(crate) fn pop_recorder() {
    let empty = RECORDERS.with_borrow_mut(|recorders| {
        recorders.pop();
        recorders.is_empty()
    });
    LOCAL.with(|local| local.set_mode(mode::TRACE, !empty));
}

/// While it lives, this thread's recorders are set aside and operations run at once.
pub(crate) struct Outside(Vec<Rc<dyn Recorder>>);

impl Outside {
    pub fn enter() -> Self {
        LOCAL.with(|local| local.set_mode(mode::TRACE, false));
        Self(RECORDERS.take())
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        LOCAL.with(|local| local.set_mode(mode::TRACE, !self.0.is_empty()));
        RECORDERS.set(std::mem::take(&mut self.0));
    }
}

/// Whether a recorder takes the operations of this thread.
#[inline]
pub(crate) fn recording() -> bool {
    LOCAL.with(|local| local.has(mode::TRACE))
}

/// Whether a tape, an accumulator or a recorder wants to know of this thread's operations.
#[inline]
pub(crate) fn observed() -> bool {
    LOCAL.with(|local| local.mode.get()) & !(mode::DEVICE | mode::FRESH | mode::ELEMENT) != 0
}

/// Executes an operation: eagerly, or into the recorder in force; tapes see it either way.
#[track_caller]
pub(crate) fn execute(op: &dyn Op, inputs: &[&Tensor]) -> Result<Outputs> {
    execute_reusing(op, inputs, 0)
}

/// As [`execute`]; inputs whose bit is set in `owned` are given up by the caller, so their memory may serve an output.
#[inline]
#[track_caller]
pub(crate) fn execute_reusing(op: &dyn Op, inputs: &[&Tensor], owned: u32) -> Result<Outputs> {
    if LOCAL.with(|local| local.mode.get()) == 0 {
        return eager::here(op, inputs, owned);
    }
    execute_in_mode(op, inputs, owned)
}

#[inline(never)]
#[track_caller]
fn execute_in_mode(op: &dyn Op, inputs: &[&Tensor], owned: u32) -> Result<Outputs> {
    let mode = settled_mode();
    if mode & (mode::ELEMENT | mode::TRACE) == mode::ELEMENT
        && let Some(own) = with_stand_ins(inputs)
    {
        return execute_as(op, &own.iter().collect::<SmallVec<[&Tensor; 4]>>(), 0, mode);
    }
    execute_as(op, inputs, owned, mode)
}

#[track_caller]
fn execute_as(op: &dyn Op, inputs: &[&Tensor], owned: u32, mode: u32) -> Result<Outputs> {
    if let Some(outputs) = on_parts(op, inputs)? {
        return Ok(outputs);
    }
    match mode & !(mode::DEVICE | mode::ELEMENT) {
        0 => eager::run(op, inputs, owned),
        _ => {
            let line = user_line();
            let result = observed_at(op, inputs, owned, mode, line);
            match listener() {
                Some(listener) if mode & mode::TRACE != 0 => listener.recorded(op, inputs, line, result),
                _ => result,
            }
        }
    }
}

/// The mode word, once it is known where operations of this thread run.
#[inline]
fn settled_mode() -> u32 {
    let mode = LOCAL.with(|local| local.mode.get());
    if mode & mode::FRESH == 0 {
        return mode;
    }
    crate::device::settle();
    LOCAL.with(|local| local.mode.get())
}

/// A tensor that the host has made, on the device where operations of this thread are placed: constants and variables that are used
/// more than once are brought there once. One number stays, since it travels with the kernels, unless it may `change`; so do
/// integers and truth values, which the host will read, and what a recorder sees, which folds it.
#[track_caller]
pub(crate) fn placed(made: Tensor, change: bool) -> Result<Tensor> {
    let mode = settled_mode();
    if mode & mode::DEVICE == 0 || mode & mode::TRACE != 0 || !made.dtype().is_differentiable() || made.is_away() {
        return Ok(made);
    }
    match crate::device::placed_on().gpu_index() {
        // While work is captured, or kernels are collected for it, nothing is copied.
        Some(index) if made.num_elements() > usize::from(!change) && !kernels::backend::cuda::pretending() => {
            gpu::bring(kernels::backend::cuda::gpu(index)?, &made)
        }
        _ => Ok(made),
    }
}

/// A tensor of the host where another one lies.
#[track_caller]
pub(crate) fn bring_beside(made: Tensor, beside: &Tensor) -> Result<Tensor> {
    match beside.device_id().gpu_index().filter(|_| beside.is_away()) {
        Some(index) => gpu::bring(kernels::backend::cuda::gpu(index)?, &made),
        None => Ok(made),
    }
}

/// As [`execute`] in the name of the user's line `location`, for operations that are recorded anew.
pub(crate) fn execute_at(op: &dyn Op, inputs: &[&Tensor], location: &'static Location<'static>) -> Result<Outputs> {
    observed_at(op, inputs, 0, settled_mode(), location).map_err(|e| e.at(location))
}

fn observed_at(
    op: &dyn Op,
    inputs: &[&Tensor],
    owned: u32,
    mode: u32,
    location: &'static Location<'static>,
) -> Result<Outputs> {
    if let Kind::Control = op.kind()
        && mode & mode::TRACE == 0
    {
        // Its body comes through `execute` again, where the tapes see it.
        return op.control(inputs);
    }
    if let crate::op::Kind::Host = op.kind()
        && mode & (mode::TAPE | mode::FORWARD) != 0
        && let Some(needs) = crate::tape::needed(op, inputs)
        && let Some((rule, mut outputs)) = for_gradient(op, inputs, &needs, location)?
    {
        crate::tape::observe_saving(&*rule, inputs, &outputs, location)?;
        outputs.remove(0);
        return Ok(outputs);
    }
    let outputs = if mode & mode::TRACE != 0 {
        let recorder = RECORDERS.with_borrow(|recorders| recorders.last().cloned());
        let Some(recorder) = recorder else {
            return Err(Error::internal(op.name(), "tracing without a recorder"));
        };
        recorder.record(op, inputs, location)?
    } else {
        // Nobody tracks callers here, and what a device finds comes out much later.
        let _line = gpu::UserLine::set(location);
        // An element-wise operation gives an operand's very handle another identity, by which the tapes would miss the operand.
        let checked = mode & mode::CHECK != 0;
        let outputs = eager::run(op, inputs, if op.overwrites().is_some() && !checked { owned } else { 0 })?;
        if checked {
            check_numerics(op, inputs, &outputs, gradient_of(), location)?;
        }
        outputs
    };
    if mode & (mode::TAPE | mode::FORWARD) != 0 {
        crate::tape::observe(op, inputs, &outputs, location)?;
    }
    Ok(outputs)
}

/// Runs or records a graph in the way that its gradient needs. What is recorded beside it is in the name of the operation's line.
fn for_gradient(
    op: &dyn Op,
    inputs: &[&Tensor],
    needs: &[bool],
    location: &'static Location<'static>,
) -> Result<Option<(OpRef, Outputs)>> {
    let _name = recording().then(|| InName::of(Some(location)));
    op.run_for_gradient(inputs, needs, location)
}

/// As [`execute`] for a read of a variable, which training does more often than anything else.
#[track_caller]
pub(crate) fn execute_read(op: &dyn Op, handle: &Tensor) -> Result<Tensor> {
    let mode = LOCAL.with(|local| local.mode.get());
    if mode & (mode::TRACE | mode::FORWARD) != 0 {
        return execute1(op, &[handle]);
    }
    let resource = crate::tensor::Resource::of(handle, op.name())?;
    let value = resource.read();
    if mode & (mode::TAPE | mode::WATCH) != 0 {
        crate::tape::observe_read(handle, resource, &value, user_line());
    }
    Ok(value)
}

/// As [`execute`] for an operation with one result.
#[inline]
#[track_caller]
pub(crate) fn execute1(op: &dyn Op, inputs: &[&Tensor]) -> Result<Tensor> {
    execute1_reusing(op, inputs, 0)
}

/// As [`execute_reusing`] for an operation with one result.
#[inline]
#[track_caller]
pub(crate) fn execute1_reusing(op: &dyn Op, inputs: &[&Tensor], owned: u32) -> Result<Tensor> {
    if LOCAL.with(|local| local.mode.get()) == 0
        && let Kind::Elementwise { accepts, direct } = op.kind()
    {
        return elementwise::run(op, inputs, owned, accepts, direct);
    }
    only(op, execute_reusing(op, inputs, owned)?)
}

/// As [`execute1_reusing`] for operands of which those that are owned are given up: a tape that reads them later keeps them
/// instead of handles of its own.
#[inline]
#[track_caller]
pub(crate) fn execute1_giving<const N: usize>(op: &dyn Op, inputs: [TensorRef<'_>; N]) -> Result<Tensor> {
    let refs = inputs.each_ref().map(|input| &**input);
    if let Some(outputs) = on_parts(op, &refs)? {
        return only(op, outputs);
    }
    if LOCAL.with(|local| local.mode.get()) & !(mode::DEVICE | mode::WATCH) == mode::TAPE
        && let Kind::Elementwise { accepts, direct } = op.kind()
    {
        let output = elementwise::run(op, &refs, 0, accepts, direct)?;
        crate::tape::observe_given(op, inputs, &output, user_line());
        return Ok(output);
    }
    let bit = |(i, input): (usize, &TensorRef<'_>)| u32::from(matches!(input, TensorRef::Owned(_))) << i;
    let owned = inputs.iter().enumerate().map(bit).sum();
    execute1_reusing(op, &refs, owned)
}

#[inline(always)]
fn only(op: &dyn Op, mut outputs: Outputs) -> Result<Tensor> {
    match outputs.pop() {
        Some(output) if outputs.is_empty() => Ok(output),
        _ => Err(Error::internal(op.name(), "one result was expected")),
    }
}

/// Runs an operation at once whatever the mode, in the name of the user's line `location`.
pub(crate) fn run_at(
    op: &dyn Op,
    inputs: &[&Tensor],
    owned: u32,
    location: &'static Location<'static>,
) -> Result<Outputs> {
    let _line = gpu::UserLine::set(location);
    eager::run(op, inputs, owned).map_err(|e| e.at(location))
}
