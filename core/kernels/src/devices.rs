//! The devices of this machine: which are there, and on which one operations run by default.
//! Guards and copies of the engine ask before they place anything; users list them.

use crate::backend::cuda;
use crate::device::{Device, DeviceId, DeviceKind};
use crate::error::{Error, OrFail, Result};
use std::sync::OnceLock;

/// The number of a device, if it is there.
#[doc(hidden)]
pub fn id_of(device: Device) -> Result<DeviceId> {
    if device == DeviceId::CPU.device() {
        return Ok(DeviceId::CPU);
    }
    let what = match (device.kind, cuda::count()) {
        (DeviceKind::Cpu, _) => "there is one CPU device, which stands for all cores".to_string(),
        (DeviceKind::Gpu, Ok(there)) if device.index < *there => return Ok(DeviceId::gpu(device.index)),
        (DeviceKind::Gpu, Ok(_)) => format!("there is no GPU {}", device.index),
        (DeviceKind::Gpu, Err(why)) => format!("there is no GPU {}: {why}", device.index),
    };
    let there: Vec<String> = list_physical_devices(None).iter().map(Device::to_string).collect();
    Err(Error::not_found("device", what).got(device).expected(there.join(", ")).help("use `/cpu:0`"))
}

/// The devices of this machine, all or of one kind, as `tf.config.list_physical_devices`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::list_physical_devices(None).len(), 1 + tf::list_physical_devices(Some(tf::DeviceKind::Gpu)).len());
/// ```
pub fn list_physical_devices(kind: Option<DeviceKind>) -> Vec<Device> {
    let gpus = (0..*cuda::count().as_ref().unwrap_or(&0)).map(|index| Device { kind: DeviceKind::Gpu, index });
    std::iter::once(DeviceId::CPU.device()).chain(gpus).filter(|d| kind.is_none_or(|k| k == d.kind)).collect()
}

/// Where operations run that nothing else places: on the first GPU, if there is one that can be used.
///
/// The environment variable `EAGERFLOW_DEVICE` names another. The question is settled once per process.
#[doc(hidden)]
pub fn default_id() -> DeviceId {
    static DEFAULT: OnceLock<DeviceId> = OnceLock::new();
    *DEFAULT.get_or_init(|| {
        let first = || if cuda::is_default() { DeviceId::gpu(0) } else { DeviceId::CPU };
        match std::env::var("EAGERFLOW_DEVICE") {
            // A name that is wrong or a device that is not there must not pass in silence.
            Ok(name) if !name.is_empty() => Device::parse(&name)
                .and_then(id_of)
                .map_err(|e| e.help("correct or unset the environment variable EAGERFLOW_DEVICE"))
                .or_fail(),
            _ => first(),
        }
    })
}
