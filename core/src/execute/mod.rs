//! The one door: every operation, called by a user or by a gradient rule, comes through [`execute`].
//! It runs the kernels or hands the operation to a recorder, and then tells the tapes of this thread.

mod eager;
mod elementwise;
mod flat;
mod kernel;

pub(crate) use eager::{dense, view_of};

use crate::error::{Error, Result};
use crate::op::{Kind, Op, Outputs};
use crate::tensor::Tensor;
use crate::tensor::local::{LOCAL, mode};
use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;

/// Takes operations instead of the kernels, as a graph builder does.
pub(crate) trait Recorder {
    /// Notes an operation and answers symbols for its results.
    fn record(&self, op: &dyn Op, inputs: &[&Tensor], location: &'static Location<'static>) -> Result<Outputs>;
}

thread_local! {
    static RECORDERS: RefCell<Vec<Rc<dyn Recorder>>> = const { RefCell::new(Vec::new()) };
}

/// Runs `body` with a recorder in place of the kernels.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the graph builder comes with tf_function; the skeleton test records")
)]
pub(crate) fn with_recorder<R>(recorder: Rc<dyn Recorder>, body: impl FnOnce() -> R) -> R {
    struct Leave(bool);
    impl Drop for Leave {
        fn drop(&mut self) {
            RECORDERS.with_borrow_mut(Vec::pop);
            LOCAL.with(|local| local.set_mode(mode::TRACE, self.0));
        }
    }
    let before = LOCAL.with(|local| local.has(mode::TRACE));
    RECORDERS.with_borrow_mut(|recorders| recorders.push(recorder));
    LOCAL.with(|local| local.set_mode(mode::TRACE, true));
    let _leave = Leave(before);
    body()
}

/// Whether a recorder takes the operations of this thread.
#[inline]
pub(crate) fn recording() -> bool {
    LOCAL.with(|local| local.has(mode::TRACE))
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
    let mode = LOCAL.with(|local| local.mode.get());
    if mode & !mode::DEVICE == 0 {
        return eager::run(op, inputs, owned);
    }
    execute_observed(op, inputs, mode)
}

#[inline(never)]
#[track_caller]
fn execute_observed(op: &dyn Op, inputs: &[&Tensor], mode: u32) -> Result<Outputs> {
    let location = Location::caller();
    if let Kind::Control = op.kind()
        && mode & mode::TRACE == 0
    {
        // Its body comes through the door again, where the tapes see it.
        return op.control(inputs);
    }
    let outputs = if mode & mode::TRACE != 0 {
        let recorder = RECORDERS.with_borrow(|recorders| recorders.last().cloned());
        let Some(recorder) = recorder else {
            return Err(Error::internal(op.name(), "tracing without a recorder"));
        };
        recorder.record(op, inputs, location)?
    } else {
        eager::run(op, inputs, 0)?
    };
    if mode & (mode::TAPE | mode::FORWARD) != 0 {
        crate::tape::observe(op, inputs, &outputs, location)?;
    }
    Ok(outputs)
}

/// As [`execute`] for a read of a variable, which training does more often than anything else.
#[track_caller]
pub(crate) fn execute_read(op: &dyn Op, handle: &Tensor) -> Result<Tensor> {
    let mode = LOCAL.with(|local| local.mode.get());
    if mode & (mode::TRACE | mode::FORWARD) != 0 {
        return execute1(op, &[handle]);
    }
    let resource = crate::tensor::Resource::of(handle, op.name())?;
    let value = resource.lock().clone();
    if mode & mode::TAPE != 0 {
        crate::tape::observe_read(handle, resource, &value, Location::caller());
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
    if LOCAL.with(|local| local.mode.get()) & !mode::DEVICE == 0
        && let Kind::Elementwise { accepts, direct } = op.kind()
    {
        return elementwise::run(op, inputs, owned, accepts, direct);
    }
    only(op, execute_reusing(op, inputs, owned)?)
}

#[inline]
fn only(op: &dyn Op, mut outputs: Outputs) -> Result<Tensor> {
    match outputs.pop() {
        Some(output) if outputs.is_empty() => Ok(output),
        _ => Err(Error::internal(op.name(), "one result was expected")),
    }
}
