//! Eager operations with a kernel of their own: outputs, scratch, resources, and the thread pool around it.
//! `eager.rs` sends reductions, movements, contractions, opaque operations and effects here.

use super::eager::{dense, infer, overwritten, view_of};
use crate::meaning::on_parts;
use crate::op::{Access, Kind, Op, Outputs};
use crate::tensor::{Guard, Resource, Tensor};
use kernels::backend::cpu::{CpuCall, Isa, View, thread_pool};
use kernels::backend::cuda;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::memory::StorageRef;
use kernels::moved;
use smallvec::SmallVec;
use std::sync::Mutex;

#[track_caller]
pub(super) fn run(op: &dyn Op, inputs: &[&Tensor], owned: u32) -> Result<Outputs> {
    if let Some(outputs) = on_parts(op, inputs)? {
        return Ok(outputs);
    }
    if inputs.iter().any(|t| t.is_away()) || (cuda::in_use() && super::place::values_away(inputs)) {
        return super::place::run(op, inputs, owned);
    }
    let types = infer(op, inputs)?;
    if super::strings::concern(inputs, &types) {
        return super::strings::run(op, inputs, &types);
    }
    let under = if owned == 0 { None } else { overwritten(op, inputs, owned, &types) };
    let mut held: SmallVec<[Tensor; 4]> = SmallVec::new();
    let mut resources = Resources::lock(op, inputs)?;
    let mut views: SmallVec<[View; 4]> = SmallVec::new();
    for (i, input) in inputs.iter().enumerate() {
        if input.dtype() == DType::Resource {
            views.push(resources.view(op, i)?);
        } else if op.takes_strides() || input.is_contiguous() {
            views.push(view_of(input));
        } else {
            held.push(dense(input)?);
            views.extend(held.last().map(view_of));
        }
    }
    // A loop, not `map`: a function pointer would lose the user's line.
    let mut outputs = Outputs::new();
    for ty in &types {
        outputs.push(match under {
            // Another tensor over the same memory: tapes know the operand by its handle, which goes with the caller's.
            Some(given) => given.alias(),
            None => Tensor::uninit(ty).map_err(|e| e.in_op(op.name()))?,
        });
    }
    let mut output_views: SmallVec<[View; 2]> = SmallVec::new();
    outputs.iter().for_each(|t| output_views.push(view_of(t)));
    let mut call =
        CpuCall { inputs: &views, outputs: &output_views, scratch: std::ptr::null_mut(), isa: Isa::current() };
    let work = op.work(&call);
    let scratch = if work.scratch > 0 { Some(StorageRef::allocate(work.scratch)?) } else { None };
    call.scratch = scratch.as_ref().map_or(std::ptr::null_mut(), StorageRef::data);
    // SAFETY: the views are valid for the inferred types, outputs and locked values are seen by nobody else; an output that lies over
    // an operand does so as the operation allows it.
    unsafe { run_phases(op, &call, &work.phases)? };
    resources.finish();
    Ok(outputs)
}

/// Bytes that a kernel reads or writes, about: what it makes or, over an operand, what the others bring; and what it folds.
fn touched(op: &dyn Op, call: &CpuCall<'_>) -> usize {
    let bytes = |views: &[View]| views.iter().map(|view| view.len() * view.dtype.size()).sum::<usize>();
    match op.overwrites().filter(|&i| call.lies_over(i)) {
        Some(i) => bytes(call.inputs) - bytes(&call.inputs[i..=i]),
        None if matches!(op.kind(), Kind::Reduction | Kind::Contraction) => bytes(call.inputs) + bytes(call.outputs),
        None => bytes(call.outputs),
    }
}

/// Runs all chunks; the error of the first chunk that has one is the answer, whichever thread met it first.
///
/// # Safety
/// As `Op::cpu` for all chunks.
pub(crate) unsafe fn run_phases(op: &dyn Op, call: &CpuCall<'_>, phases: &[usize]) -> Result<()> {
    moved::note(|| touched(op, call));
    if phases.iter().all(|&p| p <= 1) {
        for phase in (0..phases.len()).filter(|&p| phases[p] == 1) {
            // SAFETY: by the caller's promise.
            unsafe { op.cpu(call, phase, 0)? };
        }
        return Ok(());
    }
    let failed: Mutex<Option<((usize, usize), Error)>> = Mutex::new(None);
    thread_pool::run(phases, &|phase, chunk| {
        // SAFETY: by the caller's promise; each chunk runs once, phase after phase.
        if let Err(error) = unsafe { op.cpu(call, phase, chunk) } {
            let mut failed = failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if failed.as_ref().is_none_or(|(at, _)| (phase, chunk) < *at) {
                *failed = Some(((phase, chunk), error));
            }
        }
    });
    match failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// The resources of a call, locked in one global order so that two calls cannot wait for each other.
struct Resources<'a> {
    locked: SmallVec<[(usize, Access, Guard<'a>); 2]>,
}

impl<'a> Resources<'a> {
    fn lock(op: &dyn Op, inputs: &[&'a Tensor]) -> Result<Self> {
        if !inputs.iter().any(|t| t.dtype() == DType::Resource) {
            return Ok(Self { locked: SmallVec::new() });
        }
        let mut order: SmallVec<[(usize, &'a Resource); 2]> = SmallVec::new();
        for (i, &input) in inputs.iter().enumerate().filter(|(_, t)| t.dtype() == DType::Resource) {
            let resource = Resource::of(input, op.name())?;
            if order.iter().any(|(_, other)| std::ptr::eq(*other, resource)) {
                return Err(Error::invalid_argument(op.name(), "the same variable stands for two inputs")
                    .variable(Resource::label(input))
                    .help("give the operation two variables"));
            }
            order.push((i, resource));
        }
        order.sort_by_key(|(_, resource)| std::ptr::from_ref(*resource).addr());
        Ok(Self { locked: order.into_iter().map(|(i, r)| (i, op.access(i), r.lock())).collect() })
    }

    /// The value of resource input `index` as the kernel may use it: changed values are dense and seen by nobody else.
    #[track_caller]
    fn view(&mut self, op: &dyn Op, index: usize) -> Result<View> {
        let Some((_, access, value)) = self.locked.iter_mut().find(|(i, ..)| *i == index) else {
            return Err(Error::internal(op.name(), "a resource that was not locked"));
        };
        if *access != Access::Read && !(value.is_contiguous() && value.is_unique()) {
            let fresh = Tensor::uninit(value.ty())?;
            if *access == Access::Update {
                // SAFETY: a fresh target of the same type.
                unsafe { kernels::backend::cpu::copy::copy_shared(&view_of(value), &view_of(&fresh)) };
            }
            **value = fresh;
        }
        Ok(view_of(value))
    }

    /// Gives changed values a new identity, so that tapes do not take them for what they were.
    fn finish(&mut self) {
        for (_, access, value) in &mut self.locked {
            if *access != Access::Read {
                // SAFETY: `view` made sure that the variable holds the only handle, and the lock is still held.
                unsafe { value.renew_id() };
            }
        }
    }
}
