//! Settings of the whole process, as TensorFlow's `tf.config`: those of kernels and devices, where operations go whose device is
//! not there, and whether functions run eagerly. Users call these functions.

pub use crate::function::{functions_run_eagerly, run_functions_eagerly, with_eager_functions};
pub use kernels::backend::cuda::Finding;
pub use kernels::config::{
    DeviceDetails, MemoryInfo, device_details, enable_tensor_float_32_execution, enable_winograd_convolutions,
    is_built_with_cuda, memory_info, reset_memory_stats, set_threads, synchronize, tensor_float_32_execution_enabled,
    threads, trim_memory, winograd_convolutions_enabled,
};

use kernels::backend::cuda;
use kernels::device::Device;
use kernels::error::{Error, Result};
use std::sync::atomic::Ordering;

/// Whether the CPU stands for a device that [`tf::device`](crate::device()) asks for and that cannot be used, as
/// `tf.config.set_soft_device_placement`. Unless it is called with `true`, such a device is an error.
///
/// ```
/// use eagerflow as tf;
/// tf::config::set_soft_device_placement(true);
/// let _there = tf::device("/gpu:63");
/// assert_eq!(tf::ones([2]).device().kind(), tf::DeviceKind::Cpu);
/// ```
pub fn set_soft_device_placement(enabled: bool) {
    crate::device::SOFT.store(enabled, Ordering::Relaxed);
}

/// What [`set_soft_device_placement`] was called with, as `tf.config.get_soft_device_placement`.
///
/// ```
/// assert!(!eagerflow::config::get_soft_device_placement());
/// ```
pub fn get_soft_device_placement() -> bool {
    crate::device::SOFT.load(Ordering::Relaxed)
}

/// What CUDA finds and misses on this machine, step by step, with advice; `cargo run --release --example doctor` prints it.
///
/// ```
/// use eagerflow as tf;
/// let findings = tf::config::cuda_findings();
/// assert_eq!(findings[0].subject, "build");
/// assert!(findings.iter().all(|f| f.good || f.advice.is_some()));
/// ```
pub fn cuda_findings() -> Vec<Finding> {
    cuda::findings(&first_kernel)
}

/// Lets a device compute something small.
fn first_kernel(device: &Device) -> Result<()> {
    let _there = crate::try_device(&device.to_string())?;
    let x = crate::constant([1.0, 2.0, 3.0]);
    let sum = (&x * &x).sum().try_item::<f32>()?;
    if sum != 14.0 {
        return Err(Error::internal("doctor", "a kernel gave a wrong result").got(sum).expected(14));
    }
    Ok(())
}
