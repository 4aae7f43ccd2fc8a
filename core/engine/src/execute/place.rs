//! Where an operation runs: by the guard in force, else where its operands are, else on the default device.
//! `execute` asks while operations are placed, or when an operand lies on a GPU; operands that lie elsewhere are copied.

use super::{eager, gpu};
use crate::device;
use crate::op::{Kind, Op, Outputs};
use crate::tensor::local::{LOCAL, mode};
use crate::tensor::{Resource, Tensor, TensorType};
use kernels::backend::cuda;
use kernels::device::DeviceId;
use kernels::error::Result;
use smallvec::SmallVec;

/// Runs an operation on the device where it belongs.
#[track_caller]
pub(super) fn run(op: &dyn Op, inputs: &[&Tensor], owned: u32) -> Result<Outputs> {
    match op.kind() {
        // What is inside comes through `execute` again; a read gives the value where it lies.
        Kind::Control | Kind::Host | Kind::Read => return eager::here(op, inputs, owned),
        Kind::View if device::asked().is_none() || cuda::capturing() => return eager::view(op, inputs),
        _ => {}
    }
    if op.runs_on_host() && cuda::in_use() {
        cuda::await_assertions()?;
    }
    if op.is_idle(inputs) {
        return Ok(Outputs::new());
    }
    match device_of(op, inputs)?.gpu_index() {
        Some(index) => gpu::run(cuda::gpu(index)?, op, inputs, owned),
        None if inputs.iter().all(|t| !t.is_away()) && !values_away(inputs) => eager::here(op, inputs, owned),
        None => {
            fetch_values(inputs)?;
            let mut here: SmallVec<[Tensor; 4]> = SmallVec::new();
            for input in inputs {
                here.push(on_host(input)?);
            }
            eager::here(op, &here.iter().collect::<SmallVec<[&Tensor; 4]>>(), 0)
        }
    }
}

/// The device of an operation.
///
/// Integers and truth values that lie on the host stay there, and so do those that are computed from them alone, unless a
/// guard asks for a device: they are indices, counters and conditions, which the host will read.
#[track_caller]
pub(crate) fn device_of(op: &dyn Op, inputs: &[&Tensor]) -> Result<DeviceId> {
    // TensorFlow too keeps strings in the host's memory, whatever a guard asks.
    if op.runs_on_host() || inputs.iter().any(|t| super::strings::are_strings(t)) {
        return Ok(DeviceId::CPU);
    }
    if let Some(device) = cuda::all_on() {
        // What is captured depends on no integer of the host but constants, and the host reads what follows from them.
        let count = |t: &&Tensor| gpu::is_number(t) && !t.dtype().is_differentiable();
        let constant = !inputs.is_empty() && !matches!(op.kind(), Kind::Effect) && inputs.iter().all(count);
        let floats = |ty: &TensorType| ty.dtype.is_differentiable();
        return Ok(if constant && !eager::infer(op, inputs)?.iter().any(floats) { DeviceId::CPU } else { device });
    }
    if let Some(beside) = op.runs_beside().and_then(|i| inputs.get(i)) {
        return Ok(beside.device_id());
    }
    if let Some(asked) = device::asked() {
        return Ok(asked);
    }
    let mut numbers = true;
    for input in inputs {
        let (device, dtype) = match input.as_object::<Resource>() {
            Some(resource) => (resource.lock().device_id(), resource.dtype),
            None => (input.device_id(), input.dtype()),
        };
        if device != DeviceId::CPU {
            return Ok(device);
        }
        numbers &= !dtype.is_differentiable();
    }
    let default = kernels::devices::default_id();
    if default == DeviceId::CPU || !numbers {
        return Ok(default);
    }
    let floats = eager::infer(op, inputs)?.iter().any(|ty| ty.dtype.is_differentiable());
    Ok(if floats { default } else { DeviceId::CPU })
}

/// The tensor in the host's memory: waits for the device that computes it, and reports what failed there.
#[track_caller]
pub(crate) fn on_host(tensor: &Tensor) -> Result<Tensor> {
    let Some(index) = tensor.device_id().gpu_index().filter(|_| tensor.is_away()) else {
        return Ok(tensor.clone());
    };
    gpu::fetch(cuda::gpu(index)?, tensor)
}

/// Whether the value of a variable among the inputs lies on a GPU.
pub(super) fn values_away(inputs: &[&Tensor]) -> bool {
    let away = |t: &&&Tensor| t.as_object::<Resource>().is_some_and(|resource| resource.lock().is_away());
    inputs.iter().any(|t| away(&t))
}

/// Brings the values of variables to the host.
#[track_caller]
fn fetch_values(inputs: &[&Tensor]) -> Result<()> {
    for resource in inputs.iter().filter_map(|t| t.as_object::<Resource>()) {
        let mut value = resource.lock();
        if value.is_away() {
            *value = on_host(&value)?;
        }
    }
    Ok(())
}

/// Whether any call of this thread may be placed operation by operation.
#[inline]
pub(crate) fn may_place() -> bool {
    LOCAL.with(|local| local.has(mode::DEVICE | mode::FRESH)) || cuda::in_use()
}
