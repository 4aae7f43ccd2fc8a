//! What the tapes of this thread note of each operation: who fed whom, and only those tensors that the rule reads.
//! `execute` calls [`observe`] after every operation while a tape is active.

use super::backward::CustomRule;
use super::forward_mode::FORWARD;
use super::log::Rule;
use super::slot_table::UNTRACKED;
use super::stopped_paths::Cut;
use super::tape_memory::{TapeData, for_each_tape, for_each_tape_and_last};
pub(crate) use super::watcher::Watcher;
use crate::meaning::derivatives;
use crate::op::{Gradient, Kind, Op, Saves};
use crate::tensor::local::{LOCAL, mode};
use crate::tensor::{Resource, Tensor, TensorRef};
use kernels::dtype::DType;
use kernels::error::Result;
use smallvec::SmallVec;
use std::panic::Location;
use std::rc::Rc;

/// Carries tangents over an operation that ran. Where it is one that `saves`, its first output is a bundle that gradients alone
/// read.
fn follow(
    op: &dyn Op,
    inputs: &[&Tensor],
    outputs: &[Tensor],
    saves: bool,
    location: &'static Location<'static>,
) -> Result<()> {
    let Some(forward) = FORWARD.get() else { return Ok(()) };
    forward.carry(inputs, outputs, saves, location, &|scratch| note(scratch, op, inputs, outputs, location))
}

/// Tells the tapes of this thread that an operation ran.
pub(crate) fn observe(
    op: &dyn Op,
    inputs: &[&Tensor],
    outputs: &[Tensor],
    location: &'static Location<'static>,
) -> Result<()> {
    if let Kind::Read = op.kind() {
        Watcher::see(inputs[0]);
    }
    if LOCAL.with(|local| local.has(mode::TAPE)) {
        for_each_tape(|tape| note(tape, op, inputs, outputs, location));
    }
    if LOCAL.with(|local| local.has(mode::FORWARD)) {
        follow(op, inputs, outputs, false, location)?;
    }
    Ok(())
}

/// As [`observe`] for a branch, loop or call in the form that saves what its gradient reads, as a bundle before its results.
pub(crate) fn observe_saving(
    rule: &dyn Op,
    inputs: &[&Tensor],
    outputs: &[Tensor],
    location: &'static Location<'static>,
) -> Result<()> {
    for_each_tape(|tape| note(tape, rule, inputs, outputs, location));
    if LOCAL.with(|local| local.has(mode::FORWARD)) {
        follow(rule, inputs, outputs, true, location)?;
    }
    Ok(())
}

/// As [`observe`] for an element-wise operation whose owned operands nobody else needs: the last tape keeps those that it
/// reads later.
pub(crate) fn observe_given<'a, const N: usize>(
    op: &dyn Op,
    mut inputs: [TensorRef<'a>; N],
    output: &'a Tensor,
    location: &'static Location<'static>,
) {
    for_each_tape_and_last(|tape, last| {
        let refs = inputs.each_ref().map(|input| &**input);
        let outputs = std::slice::from_ref(output);
        let Some(saves) = entry(tape, op, &refs, outputs, location) else { return };
        if !last {
            return tape.log.keep(saves, &refs, outputs);
        }
        for (_, input) in inputs.iter_mut().enumerate().filter(|(i, _)| saves.inputs.has(*i)) {
            // What is not kept is dropped when the tape can be looked at again: its owner may run operations.
            tape.log.keep_input(std::mem::replace(input, TensorRef::Borrowed(output)).into_owned());
        }
        tape.log.keep_outputs(saves, outputs);
    });
}

fn note(
    tape: &mut TapeData,
    op: &dyn Op,
    inputs: &[&Tensor],
    outputs: &[Tensor],
    location: &'static Location<'static>,
) {
    if let Some(saves) = entry(tape, op, inputs, outputs, location) {
        tape.log.keep(saves, inputs, outputs);
    }
}

/// Makes the entry of an operation if the tape follows one of its operands; answers what is to be kept for it.
#[inline]
fn entry(
    tape: &mut TapeData,
    op: &dyn Op,
    inputs: &[&Tensor],
    outputs: &[Tensor],
    location: &'static Location<'static>,
) -> Option<Saves> {
    let kind = op.kind();
    if let Kind::Read = kind {
        note_read(tape, inputs[0], inputs[0].as_object(), &outputs[0], location);
        return None;
    }
    if tape.slots.is_empty() {
        return None;
    }
    let list = tape.log.open();
    let mut followed = false;
    for input in inputs {
        let slot = tape.slots.find(input.id());
        followed |= slot != UNTRACKED;
        list.push(slot);
    }
    if !followed {
        if !tape.cuts.is_empty() {
            tape.cuts.pass_on(tape.position(), inputs, outputs);
        }
        return None;
    }
    let stop = match op.gradient() {
        Gradient::Stops(reason) => Some(reason),
        _ if !outputs.iter().any(carries) => Some("its result is not floating-point"),
        _ => None,
    };
    if let Some(reason) = stop {
        let cut = Cut { op: op.name(), reason, location };
        tape.cuts.stop(cut, tape.position(), tape.log.opened(), inputs, outputs);
        return None;
    }
    let (rule, saves) = match kind {
        Kind::Elementwise { .. } => {
            let rule = derivatives(op, inputs.iter().map(|t| t.dtype()), |i| tape.log.opened()[i] != UNTRACKED);
            let saves = rule.saves;
            (Rule::Elementwise(rule), saves)
        }
        _ => {
            let needs: SmallVec<[bool; 4]> = tape.log.opened().iter().map(|&slot| slot != UNTRACKED).collect();
            (Rule::Op(op.keep()), op.saves(&needs))
        }
    };
    join_cuts(tape, inputs);
    push_outputs(tape, outputs);
    tape.log.close(rule, inputs, outputs, location);
    Some(saves)
}

/// Whether a result can have a cotangent: floats, and lists of them in graphs.
#[inline]
pub(crate) fn carries(tensor: &Tensor) -> bool {
    tensor.dtype().is_differentiable() || tensor.dtype() == DType::Variant
}

/// Gives the results of the entry that was started their slots.
#[inline]
fn push_outputs(tape: &mut TapeData, outputs: &[Tensor]) {
    let list = tape.log.slots_mut();
    for output in outputs {
        list.push(match carries(output) {
            true => {
                let slot = tape.slots.find_or(output.id(), tape.count);
                tape.count += u32::from(slot == tape.count);
                slot
            }
            false => UNTRACKED,
        });
    }
}

/// Tells the tapes of this thread that a variable was read: most steps read many, so this way is short.
pub(crate) fn observe_read(handle: &Tensor, resource: &Resource, value: &Tensor, location: &'static Location<'static>) {
    Watcher::see(handle);
    for_each_tape(|tape| note_read(tape, handle, Some(resource), value, location));
}

fn note_read(
    tape: &mut TapeData,
    handle: &Tensor,
    // None for the parameter of a graph that stands for a variable.
    resource: Option<&Resource>,
    value: &Tensor,
    location: &'static Location<'static>,
) {
    let mut from = tape.find(handle);
    if from == UNTRACKED {
        let watches = |r: &Resource| tape.watch_variables && r.trainable() && r.dtype.is_differentiable();
        if !resource.is_some_and(watches) {
            return;
        }
        tape.watched.push(handle.clone());
        from = tape.slot(handle.id());
    }
    let fresh = tape.count;
    let to = tape.slot(value.id());
    if to != fresh && was_read(tape, to) {
        return;
    }
    tape.log.open().extend_from_slice(&[from, to]);
    tape.log.close(Rule::Read, &[handle], std::slice::from_ref(value), location);
}

/// Whether the value in this slot was read before, so that one entry leads to the variable already.
fn was_read(tape: &mut TapeData, slot: u32) -> bool {
    // The value may be followed because it was watched itself.
    !tape.watched_values || tape.log.was_read(slot)
}

/// Notes what the entry that was started reads beside what is followed, if it lies behind a cut. Of the entry, the inputs are there.
#[inline]
fn join_cuts(tape: &mut TapeData, inputs: &[&Tensor]) {
    if tape.cuts.is_empty() {
        return;
    }
    let position = tape.position();
    for (i, input) in inputs.iter().enumerate() {
        if tape.log.opened()[i] == UNTRACKED {
            tape.cuts.join(position, input);
        }
    }
}

/// Tells the tapes of this thread that the program reads elements of a tensor: what it computes from them they do not see.
#[cold]
pub(crate) fn observe_host_read(tensor: &Tensor, how: &'static str, location: &'static Location<'static>) {
    for_each_tape(|tape| {
        let slot = tape.find(tensor);
        if slot != UNTRACKED {
            tape.cuts.read(slot, Cut { op: how, reason: "", location });
        }
    });
}

/// Follows variables whose reads no tape saw, as it would have had it seen them.
pub(crate) fn watch_read(handles: &[Tensor]) {
    for_each_tape(|tape| {
        let watches = tape.watch_variables;
        for handle in handles.iter().filter(|_| watches) {
            if handle.as_object::<Resource>().is_some_and(|r| r.trainable() && r.dtype.is_differentiable()) {
                tape.watch(handle);
            }
        }
    });
}

/// Notes a function with a gradient of its own: `inner` are its results as the body made them, `outer` the same under
/// the identity that callers get. Observers that follow none of the inputs see the body's own operations instead.
pub(crate) fn record_custom(
    inputs: &[&Tensor],
    inner: &[Tensor],
    outer: &[Tensor],
    rule: Rc<dyn CustomRule>,
    location: &'static Location<'static>,
) -> Result<()> {
    for_each_tape(|tape| {
        if !note_custom(tape, inputs, outer, &rule, location) {
            for (inner, outer) in inner.iter().zip(outer) {
                tape.rename(inner, outer);
            }
        }
    });
    if LOCAL.with(|local| local.has(mode::FORWARD))
        && let Some(forward) = FORWARD.get()
    {
        forward.rename(inner, outer);
        forward.carry(inputs, outer, false, location, &|scratch| {
            note_custom(scratch, inputs, outer, &rule, location);
        })?;
    }
    Ok(())
}

/// Notes the function on one tape, if the tape follows one of its inputs.
fn note_custom(
    tape: &mut TapeData,
    inputs: &[&Tensor],
    outputs: &[Tensor],
    rule: &Rc<dyn CustomRule>,
    location: &'static Location<'static>,
) -> bool {
    let slots: SmallVec<[u32; 4]> = inputs.iter().map(|t| tape.find(t)).collect();
    if slots.iter().all(|&s| s == UNTRACKED) {
        return false;
    }
    tape.log.open().extend_from_slice(&slots);
    join_cuts(tape, inputs);
    push_outputs(tape, outputs);
    tape.log.close(Rule::Custom(rule.clone()), inputs, outputs, location);
    // The cotangent of a variable has its value's type.
    for (i, resource) in inputs.iter().enumerate().filter_map(|(i, t)| Some((i, t.as_object::<Resource>()?))) {
        tape.log.set_input_type(i, resource.ty());
    }
    true
}
