//! What devices have to say of themselves: memory and names.
//! Users call these functions, which the crate `eagerflow` re-exports in its module `config`.

use crate::backend::cuda;
use crate::device::Device;
use crate::devices::id_of;
use crate::error::{Error, Result};
use std::panic::Location;

/// What tensors hold of a device's memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// Held by tensors now.
    pub current: usize,
    /// The most that tensors ever held.
    pub peak: usize,
    /// Kept by the allocator, for tensors that live and that will come.
    pub reserved: usize,
    /// Free on the device, as its driver sees it.
    pub free: usize,
    /// All of the device's memory.
    pub total: usize,
}

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceDetails {
    /// The product's name.
    pub name: String,
    /// The compute capability, such as (9, 0).
    pub compute_capability: (u32, u32),
    /// Multiprocessors.
    pub multiprocessors: u32,
}

/// The GPU of a name such as `/gpu:0`.
fn gpu_of(op: &str, name: &str) -> Result<&'static cuda::Gpu> {
    let device = Device::parse(name)?;
    match id_of(device)?.gpu_index() {
        Some(index) => cuda::gpu(index),
        None => Err(Error::invalid_argument(op, "the CPU has no memory of its own to look at")
            .got(device)
            .expected("a GPU")
            .help("`tf::memory::stats()` tells what tensors hold of the host's memory")),
    }
}

/// What tensors hold of a GPU's memory, as `tf.config.experimental.get_memory_info`.
///
/// ```
/// use eagerflow as tf;
/// match tf::config::memory_info("/gpu:0") {
///     Ok(info) => assert!(info.current <= info.peak && info.free <= info.total),
///     Err(error) => assert!(matches!(error, tf::Error::NotFound(_))),
/// }
/// ```
///
/// # Errors
/// NotFound for a device that is not there, InvalidArgument for the CPU.
#[track_caller]
pub fn memory_info(device: &str) -> Result<MemoryInfo> {
    let here = Location::caller();
    let info = || {
        let gpu = gpu_of("memory_info", device)?;
        let (held, (free, total)) = (gpu.held(), gpu.memory_info()?);
        Ok(MemoryInfo { current: held.used, peak: held.peak, reserved: held.reserved, free, total })
    };
    info().map_err(|e: Error| e.at(here))
}

/// Takes what tensors hold of a GPU's memory now for the peak, as `tf.config.experimental.reset_memory_stats`.
///
/// # Errors
/// As [`memory_info`].
#[track_caller]
pub fn reset_memory_stats(device: &str) -> Result<()> {
    let here = Location::caller();
    gpu_of("reset_memory_stats", device).map(cuda::Gpu::reset_peak).map_err(|e| e.at(here))
}

/// Gives the memory that the allocator keeps for later back to the device, and answers how many bytes that were.
///
/// # Errors
/// As [`memory_info`], and whatever failed in work that was queued.
#[track_caller]
pub fn trim_memory(device: &str) -> Result<usize> {
    let here = Location::caller();
    gpu_of("trim_memory", device).and_then(cuda::Gpu::trim).map_err(|e| e.at(here))
}

/// Waits until a GPU has done all work that was queued for it; reads of elements wait by themselves.
///
/// # Errors
/// As [`memory_info`], and what failed on the device since elements were last read.
#[track_caller]
pub fn synchronize(device: &str) -> Result<()> {
    let here = Location::caller();
    gpu_of("synchronize", device).and_then(cuda::Gpu::synchronize).map_err(|e| e.at(here))
}

/// What a GPU is, as `tf.config.experimental.get_device_details`.
///
/// # Errors
/// As [`memory_info`].
#[track_caller]
pub fn device_details(device: &str) -> Result<DeviceDetails> {
    let here = Location::caller();
    let gpu = gpu_of("device_details", device).map_err(|e| e.at(here))?;
    Ok(DeviceDetails {
        name: gpu.name().to_string(),
        compute_capability: gpu.capability(),
        multiprocessors: gpu.multiprocessors(),
    })
}

/// Whether this build knows of GPUs at all, as `tf.test.is_built_with_cuda`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::config::is_built_with_cuda(), cfg!(feature = "cuda"));
/// ```
pub fn is_built_with_cuda() -> bool {
    cfg!(feature = "cuda")
}
