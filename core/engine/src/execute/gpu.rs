//! Running an operation on a GPU: types, outputs, operands brought there, then the kernel that its kind or its file gives.
//! `place` sends operations here; nothing waits for the device but the reads of elements.

use super::eager::{self, infer, view_of};
use crate::meaning::program_of;
use crate::op::{Access, Kind, Op, Outputs, fingerprint};
use crate::tensor::{Guard, Resource, Tensor};
use kernels::backend::cpu::View;
use kernels::backend::cuda::{self, CudaCall, Gpu, Owner};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use smallvec::SmallVec;
use std::cell::Cell;
use std::panic::Location;

thread_local! {
    static LINE: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// The user's line of operations that a graph runs, while it lives: their faults come to light much later.
pub(super) struct UserLine(Option<Option<&'static Location<'static>>>);

impl UserLine {
    #[inline]
    pub fn set(line: &'static Location<'static>) -> Self {
        Self(cuda::in_use().then(|| LINE.replace(Some(line))))
    }
}

impl Drop for UserLine {
    #[inline]
    fn drop(&mut self) {
        if let Some(before) = self.0 {
            LINE.set(before);
        }
    }
}

/// A call of an operation on a device, in the name of the user's line.
#[track_caller]
fn call_of<'a>(gpu: &'static Gpu, op: &'static str, inputs: &'a [View], outputs: &'a [View]) -> CudaCall<'a> {
    CudaCall { gpu, inputs, outputs, on_host: 0, op, location: LINE.get().unwrap_or(Location::caller()) }
}

#[track_caller]
pub(super) fn run(gpu: &'static Gpu, op: &dyn Op, inputs: &[&Tensor], owned: u32) -> Result<Outputs> {
    let outputs = match op.kind() {
        Kind::Elementwise { .. } => elementwise(gpu, op, inputs),
        Kind::View => {
            let base = bring(gpu, inputs[0].concrete(op.name())?)?;
            let mut all: SmallVec<[&Tensor; 4]> = inputs.into();
            all[0] = &base;
            eager::view(op, &all)
        }
        _ => kernel(gpu, op, inputs, owned),
    };
    outputs.map_err(|e| e.in_op(op.name()))
}

/// The tensor in the memory of a GPU.
#[track_caller]
pub(crate) fn bring(gpu: &'static Gpu, tensor: &Tensor) -> Result<Tensor> {
    if tensor.device_id() == gpu.id {
        return Ok(tensor.clone());
    }
    if cuda::capturing() && is_number(tensor) {
        return filled(gpu, tensor);
    }
    let here = super::on_host(tensor)?;
    let here = eager::dense(&here)?;
    let there = Tensor::uninit_on(gpu, tensor.ty())?;
    // SAFETY: both hold all elements, densely.
    unsafe { gpu.upload(there.address().addr() as u64, here.data(), tensor.ty().bytes())? };
    Ok(there)
}

/// One number of the host, repeated or not, in the memory of a GPU: without a copy, which captured work cannot have.
#[track_caller]
fn filled(gpu: &'static Gpu, number: &Tensor) -> Result<Tensor> {
    let there = Tensor::uninit_on(gpu, number.ty())?;
    let call = call_of(gpu, "fill", &[], &[]);
    // SAFETY: one element of this size in the host's memory; a fresh target.
    unsafe {
        let bits = kernels::backend::cpu::vector::load_bits(number.dtype().size(), number.data());
        cuda::fill(&call, &view_of(&there), bits)?;
    }
    Ok(there)
}

/// The elements of a GPU's tensor in the host's memory.
#[track_caller]
pub(super) fn fetch(gpu: &'static Gpu, tensor: &Tensor) -> Result<Tensor> {
    let there = dense(tensor)?;
    let here = Tensor::uninit(tensor.ty())?;
    // SAFETY: both hold all elements, densely; the copy is done when the call returns.
    unsafe { gpu.download(here.data(), there.address().addr() as u64, tensor.ty().bytes())? };
    Ok(here)
}

/// The same elements in row-major order on the same GPU.
#[track_caller]
pub(super) fn dense(tensor: &Tensor) -> Result<Tensor> {
    if tensor.is_row_major() {
        return Ok(tensor.clone());
    }
    copied(tensor)
}

/// The same elements in row-major order in memory of their own, on the same device.
#[track_caller]
pub(super) fn copied(tensor: &Tensor) -> Result<Tensor> {
    let Some(index) = tensor.device_id().gpu_index() else { return eager::copied(tensor) };
    let gpu = cuda::gpu(index)?;
    let out = Tensor::uninit_on(gpu, tensor.ty())?;
    let call = call_of(gpu, "copy", &[], &[]);
    // SAFETY: a fresh output of the same type.
    unsafe { cuda::copy(&call, &view_of(tensor), &view_of(&out))? };
    Ok(out)
}

/// Whether a tensor is one element of the host's memory, for all places.
pub(crate) fn is_number(tensor: &Tensor) -> bool {
    let strides = tensor.strides();
    let repeats = || tensor.shape().dims().iter().zip(strides).all(|(&d, stride)| d == 1 || stride == 0);
    // A number travels as eight bytes at the most.
    let size = tensor.dtype().size();
    !tensor.is_away() && size > 0 && size <= 8 && tensor.num_elements() > 0 && repeats()
}

/// How many elements of a GPU's tensor are not zero: one number is read.
#[track_caller]
pub(super) fn count_set(tensor: &Tensor) -> Result<Option<usize>> {
    let Some(index) = tensor.device_id().gpu_index().filter(|_| tensor.is_away()) else { return Ok(None) };
    let gpu = cuda::gpu(index)?;
    let call = call_of(gpu, "where_indices", &[], &[]);
    // SAFETY: a valid view of a tensor on this device.
    unsafe { cuda::count_set(&call, &view_of(tensor)).map(Some) }
}

#[track_caller]
fn elementwise(gpu: &'static Gpu, op: &dyn Op, inputs: &[&Tensor]) -> Result<Outputs> {
    let types = infer(op, inputs)?;
    let dtypes: SmallVec<[DType; 4]> = inputs.iter().map(|t| t.dtype()).collect();
    let program = program_of(op, &dtypes);
    let mut there: SmallVec<[Tensor; 4]> = SmallVec::new();
    for input in inputs {
        // One number of the host, repeated or not, travels as an argument of the kernel.
        there.push(if is_number(input) { (*input).clone() } else { bring(gpu, input)? });
    }
    // A block that is freed is given out again at once, so nothing is gained by writing over an operand.
    let out = Tensor::uninit_on(gpu, &types[0])?;
    let views: SmallVec<[View; 4]> = there.iter().map(view_of).collect();
    let numbers: SmallVec<[bool; 4]> = there.iter().map(|t| !t.is_away()).collect();
    let call = call_of(gpu, op.name(), &[], &[]);
    let owner = Owner { name: op.name(), attributes: fingerprint(op) };
    // SAFETY: the views are valid; the output is fresh.
    unsafe { cuda::run_program(&call, owner, &program, &views, &numbers, &[view_of(&out)])? };
    Ok(Outputs::from_elem(out, 1))
}

#[track_caller]
fn kernel(gpu: &'static Gpu, op: &dyn Op, inputs: &[&Tensor], owned: u32) -> Result<Outputs> {
    let types = infer(op, inputs)?;
    // Asked before `bring` makes a second handle.
    let under = eager::overwritten(op, inputs, owned, &types).filter(|given| given.device_id() == gpu.id);
    let mut held: SmallVec<[Tensor; 4]> = SmallVec::new();
    let mut resources = Resources::lock(op, inputs)?;
    let mut views: SmallVec<[View; 4]> = SmallVec::new();
    let mut on_host = 0;
    for (i, input) in inputs.iter().enumerate() {
        if input.dtype() == DType::Resource {
            let (view, here) = resources.view(gpu, op, i)?;
            views.push(view);
            on_host |= u64::from(here && i < 64) << (i % 64);
            continue;
        }
        let there = match () {
            () if op.takes_from_host(i) && !input.is_away() && i < 64 => (*input).clone(),
            () => bring(gpu, input)?,
        };
        if !there.is_away() && i < 64 {
            on_host |= 1 << i;
        }
        let there = if op.takes_strides_on_gpu() { there } else { eager::dense(&there)? };
        views.push(view_of(&there));
        held.push(there);
    }
    let mut outputs = Outputs::new();
    for ty in &types {
        outputs.push(match under {
            Some(given) => given.alias(),
            None => Tensor::uninit_on(gpu, ty)?,
        });
    }
    let mut output_views: SmallVec<[View; 2]> = SmallVec::new();
    outputs.iter().for_each(|t| output_views.push(view_of(t)));
    let call = CudaCall { on_host, ..call_of(gpu, op.name(), &views, &output_views) };
    // SAFETY: the views are valid for the inferred types in the order of the stream; outputs and locked values are seen by
    // nobody else.
    unsafe {
        match op.reduction() {
            Some((monoid, axes, mean)) => cuda::reduce(&call, monoid, axes, mean)?,
            None => op.cuda(&call)?,
        }
    }
    resources.finish();
    Ok(outputs)
}

/// The resources of a call, locked in one global order so that two calls cannot wait for each other.
struct Resources<'a> {
    locked: SmallVec<[(usize, Access, Guard<'a>); 2]>,
}

impl<'a> Resources<'a> {
    fn lock(op: &dyn Op, inputs: &[&'a Tensor]) -> Result<Self> {
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

    /// The value of resource input `index` as the kernel may use it: where the kernel wants it, and whether that is the
    /// host's memory; changed values are dense and seen by nobody else.
    #[track_caller]
    fn view(&mut self, gpu: &'static Gpu, op: &dyn Op, index: usize) -> Result<(View, bool)> {
        let Some((_, access, value)) = self.locked.iter_mut().find(|(i, ..)| *i == index) else {
            return Err(Error::internal(op.name(), "a resource that was not locked"));
        };
        let stays = op.takes_from_host(index) && !value.is_away();
        if !stays && value.device_id() != gpu.id {
            **value = bring(gpu, value)?.alias();
        }
        if *access == Access::Read || (value.is_row_major() && value.is_unique()) {
            return Ok((view_of(value), stays));
        }
        if cuda::capturing() {
            return Err(Error::failed_precondition(
                op.name(),
                "a variable's memory is shared while its change is captured",
            ));
        }
        let fresh = if stays { Tensor::uninit(value.ty())? } else { Tensor::uninit_on(gpu, value.ty())? };
        if *access == Access::Update {
            let call = call_of(gpu, op.name(), &[], &[]);
            match stays {
                // SAFETY: a fresh target of the same type, in the host's memory as is the value.
                true => unsafe { kernels::backend::cpu::copy::copy_shared(&view_of(value), &view_of(&fresh)) },
                // SAFETY: a fresh target of the same type, on the same device.
                false => unsafe { cuda::copy(&call, &view_of(value), &view_of(&fresh))? },
            }
        }
        **value = fresh;
        Ok((view_of(value), stays))
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
