//! Running a plan: operands into slots, then the steps in order, then the results out of slots.
//! A warmed call allocates nothing but what the graph hands out.

use super::frame::Frame;
use super::fused_loop::FusedLoop;
use super::{Plan, Step, profile, resources};
use crate::execute::{dense, run_at, run_phases, view_of};
use crate::graph::control::while_loop::in_registers;
use crate::graph::run;
use crate::graph::scalar_loop::Ran;
use crate::ir::sizes::Sizes;
use crate::op::{Kind, Op, Operands, Outputs};
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::tile::fault_error;
use kernels::backend::cpu::{CpuCall, Isa, copy, denormals, thread_pool};
use kernels::error::{Error, Result};
use kernels::moved;
use smallvec::SmallVec;
use std::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

pub(super) fn call(plan: &Plan, frame: &mut Frame, inputs: Operands) -> Result<Outputs> {
    if frame.locked.capacity() > 0 && !resources::lock(plan, frame, &inputs)? {
        frame.locked.clear();
        frame.order.clear();
        return run::run(&plan.fallback, inputs, &Sizes::default());
    }
    for (i, (input, param)) in inputs.into_iter().zip(&plan.params).enumerate() {
        let input = if param.dense && !input.is_contiguous() { dense(&input)? } else { input };
        frame.set(plan, i as u32, input);
    }
    steps(plan, frame)
}

/// Runs all steps, the operands in their slots, and takes the results out of theirs.
pub(super) fn steps(plan: &Plan, frame: &mut Frame) -> Result<Outputs> {
    if plan.long {
        thread_pool::wake();
    }
    if profile::is_on() {
        plan.costs.call();
        run_steps::<true>(plan, frame, &plan.steps, 0)?;
    } else {
        run_steps::<false>(plan, frame, &plan.steps, 0)?;
    }
    let mut outputs = Outputs::with_capacity(plan.answers.len());
    for answer in &plan.answers {
        let slot = &mut frame.slots[answer.slot as usize];
        let tensor = if answer.give_up && !plan.kept[answer.slot as usize] { slot.take() } else { slot.clone() };
        outputs.push(tensor.ok_or_else(|| missing(plan))?);
    }
    Ok(outputs)
}

#[cold]
fn missing(plan: &Plan) -> Error {
    Error::internal(&plan.name, "a value of the plan is not there when it is wanted")
}

/// Runs steps, the first of which has number `first`; measures each if so asked.
fn run_steps<const MEASURE: bool>(plan: &Plan, frame: &mut Frame, steps: &[Step], first: u32) -> Result<()> {
    for (i, step) in steps.iter().enumerate() {
        if MEASURE {
            denormals::forget();
            let start = Instant::now();
            run_step::<true>(plan, frame, step)?;
            plan.costs.add(plan, first + i as u32, start);
        } else {
            run_step::<false>(plan, frame, step)?;
        }
    }
    Ok(())
}

#[inline(always)]
fn run_step<const MEASURE: bool>(plan: &Plan, frame: &mut Frame, step: &Step) -> Result<()> {
    match step {
        Step::FusedLoop { fused, operands, scratch, op, location } => {
            let pointers = &frame.pointers[operands.start as usize..operands.end as usize];
            moved::note(|| fused.len * operands.len());
            // SAFETY: the tables hold valid addresses for the layouts that the fused loop was made for.
            if let Some(false) = unsafe { fused.run_alone(pointers) } {
                return Ok(());
            }
            let scratch = scratch_of(frame, *scratch);
            // SAFETY: as above. A fused loop that faulted runs again, which tells the instruction.
            if let Some(fault) = unsafe { run_fused_loop(fused, pointers, scratch) } {
                return Err(fault_error(op, fused.step(fault)).at(location));
            }
        }
        Step::Kernel { op, inputs, outputs, scratch, phases, location } => {
            let views = |refs: &super::Refs| &frame.views[refs.start as usize..refs.end as usize];
            let scratch = scratch_of(frame, *scratch);
            let call = CpuCall { inputs: views(inputs), outputs: views(outputs), scratch, isa: Isa::current() };
            // SAFETY: the views are valid for the operation's types; buffers that live together do not overlap.
            unsafe { run_phases(&**op, &call, phases) }.map_err(|e| e.at(location))?;
        }
        Step::Copy { from, to } => {
            let (from, to) = (&frame.views[*from as usize], &frame.views[*to as usize]);
            moved::note(|| to.len() * to.dtype.size());
            // SAFETY: views of one shape, the target dense and apart.
            unsafe { copy::copy_shared(from, to) };
        }
        Step::Allocate { slot, ty, location } => {
            let tensor = Tensor::uninit_at(ty, location).map_err(|e| e.at(location))?;
            frame.set(plan, *slot, tensor);
        }
        Step::Tensors { op, inputs, outputs, location } => {
            run_tensors(plan, frame, &**op, inputs, outputs, location)?;
        }
        Step::Move { from, to, give_up, view } => {
            let slot = &mut frame.slots[*from as usize];
            let tensor = if *give_up { slot.take() } else { slot.clone() }.ok_or_else(|| missing(plan))?;
            let tensor = match view {
                Some((ty, layout)) => tensor.with_layout(ty, layout),
                None => tensor,
            };
            frame.set(plan, *to, tensor);
        }
        Step::Own { from, to, location } => {
            let given = frame.slots[*from as usize].take().ok_or_else(|| missing(plan))?;
            let alone = given.is_unique() && given.is_contiguous() && given.storage().is_some();
            let own = if alone { given.alias_at(location) } else { own_copy(&given, location)? };
            drop(given);
            frame.set(plan, *to, own);
        }
        Step::Branch { condition, then, otherwise, first } => match is_true(frame, *condition) {
            true => run_steps::<MEASURE>(plan, frame, then, first[0])?,
            false => run_steps::<MEASURE>(plan, frame, otherwise, first[1])?,
        },
        Step::Loop { condition, test, body, first } => loop {
            run_steps::<MEASURE>(plan, frame, test, first[0])?;
            if !is_true(frame, *condition) {
                break;
            }
            run_steps::<MEASURE>(plan, frame, body, first[1])?;
        },
    }
    Ok(())
}

/// The same elements in memory of their own.
fn own_copy(tensor: &Tensor, location: &'static Location<'static>) -> Result<Tensor> {
    let own = Tensor::uninit_at(tensor.ty(), location).map_err(|e| e.at(location))?;
    moved::note(|| tensor.ty().bytes());
    // SAFETY: a fresh tensor of the same type.
    unsafe { copy::copy_shared(&view_of(tensor), &view_of(&own)) };
    Ok(own)
}

fn is_true(frame: &Frame, pointer: u32) -> bool {
    // SAFETY: the address of a truth value that was just computed.
    unsafe { *frame.pointers[pointer as usize] != 0 }
}

fn scratch_of(frame: &Frame, scratch: u32) -> *mut u8 {
    frame.pointers.get(scratch as usize).copied().unwrap_or(std::ptr::null_mut())
}

/// Addresses that the threads of a job share.
struct Shared<'a>(&'a [*mut u8], *mut u8);

// SAFETY: chunks work on disjoint parts of the results.
unsafe impl Sync for Shared<'_> {}

/// Runs all chunks of a fused loop; answers the instruction that faulted, if one did.
///
/// # Safety
/// As [`FusedLoop::run`] for all chunks.
#[inline]
unsafe fn run_fused_loop(fused: &FusedLoop, operands: &[*mut u8], scratch: *mut u8) -> Option<usize> {
    if fused.work.phases[..2] == [1, 0] {
        // SAFETY: by the caller's promise.
        return unsafe { fused.run(operands, scratch, 0, 0) };
    }
    let (shared, fault) = (Shared(operands, scratch), AtomicUsize::new(usize::MAX));
    thread_pool::run(&fused.work.phases, &|phase, chunk| {
        let Shared(operands, scratch) = &shared;
        // SAFETY: by the caller's promise; every chunk runs once, phase after phase.
        if let Some(step) = unsafe { fused.run(operands, *scratch, phase, chunk) } {
            fault.fetch_min(step, Ordering::Relaxed);
        }
    });
    Some(fault.into_inner()).filter(|&step| step != usize::MAX)
}

fn run_tensors(
    plan: &Plan,
    frame: &mut Frame,
    op: &dyn Op,
    inputs: &[(u32, bool)],
    outputs: &[(u32, TensorType)],
    location: &'static Location<'static>,
) -> Result<()> {
    let mut operands = Operands::new();
    for &(slot, give_up) in inputs {
        let slot = &mut frame.slots[slot as usize];
        operands.push(if give_up { slot.take() } else { slot.clone() }.ok_or_else(|| missing(plan))?);
    }
    // Results of a loop in registers come without a list of their own.
    if let Some(compiled) = in_registers(op) {
        match compiled.run(operands).map_err(|e| e.at(location))? {
            Ran::Done(results) => return put_tensors(plan, frame, op, outputs, results, location),
            Ran::Not(given) => operands = given,
        }
    }
    let results = match op.kind() {
        Kind::Host => op.host(operands, &Sizes::default()).map_err(|e| e.at(location))?,
        _ => {
            let refs: SmallVec<[&Tensor; 4]> = operands.iter().collect();
            run_at(op, &refs, 0, location)?
        }
    };
    put_tensors(plan, frame, op, outputs, results, location)
}

/// Puts the results of an operation into their slots.
fn put_tensors(
    plan: &Plan,
    frame: &mut Frame,
    op: &dyn Op,
    outputs: &[(u32, TensorType)],
    results: impl IntoIterator<Item = Tensor>,
    location: &'static Location<'static>,
) -> Result<()> {
    for ((slot, ty), result) in outputs.iter().zip(results) {
        if result.ty() != ty {
            return Err(Error::internal(op.name(), "a result has not the type that was planned")
                .got(result.ty())
                .expected(ty)
                .at(location));
        }
        let result = if ty.dtype.size() > 0 { dense(&result)? } else { result };
        frame.set(plan, *slot, result);
    }
    Ok(())
}
