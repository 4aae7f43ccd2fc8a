//! Devices and their names, as numbers and as text, whether they are there or not.
//! Guards of the engine place operations by these names; `devices` tells which of them this machine has.

use crate::error::{Error, Result};
use std::fmt;
use std::panic::Location;

/// A device by number: 0 is the CPU, the others are GPUs in the driver's order.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DeviceId(u8);

impl DeviceId {
    pub const CPU: Self = Self(0);

    pub const fn gpu(index: usize) -> Self {
        Self(index as u8 + 1)
    }

    /// The device with this number.
    pub const fn device(self) -> Device {
        match self.gpu_index() {
            None => Device { kind: DeviceKind::Cpu, index: 0 },
            Some(index) => Device { kind: DeviceKind::Gpu, index },
        }
    }

    /// The number among GPUs, for one of them.
    #[inline]
    pub const fn gpu_index(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }
}

/// What a device is made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeviceKind {
    /// The processor and its memory.
    Cpu,
    /// An NVIDIA graphics processor.
    Gpu,
}

/// A device of this machine, printed as TensorFlow prints it: `/device:CPU:0`.
///
/// ```
/// use eagerflow as tf;
/// let cpu = tf::zeros([2]).device();
/// assert_eq!(cpu.to_string(), "/device:CPU:0");
/// assert_eq!(tf::list_physical_devices(Some(tf::DeviceKind::Cpu)), [cpu]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Device {
    pub(crate) kind: DeviceKind,
    pub(crate) index: usize,
}

impl Device {
    /// CPU or GPU.
    pub fn kind(&self) -> DeviceKind {
        self.kind
    }

    /// The number among devices of the same kind.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The device of a name such as `/cpu:0`, `cpu`, `/device:GPU:1` or `gpu:0`, whether or not it is there.
    ///
    /// TensorFlow's full names, `/job:localhost/replica:0/task:0/device:CPU:0`, are understood as well.
    ///
    /// ```
    /// use eagerflow::{Device, DeviceKind};
    /// let device = Device::parse("/gpu:1")?;
    /// assert_eq!((device.kind(), device.index()), (DeviceKind::Gpu, 1));
    /// assert_eq!(device.to_string(), "/device:GPU:1");
    /// # Ok::<(), eagerflow::Error>(())
    /// ```
    ///
    /// # Errors
    /// InvalidArgument if the text names no device.
    #[track_caller]
    pub fn parse(name: &str) -> Result<Self> {
        let here = Location::caller();
        let lower = name.trim_start_matches('/').to_ascii_lowercase();
        let local = lower.strip_prefix("job:localhost/replica:0/task:0/").unwrap_or(&lower);
        let local = local.strip_prefix("device:").unwrap_or(local);
        let (kind, index) = local.split_once(':').unwrap_or((local, "0"));
        let kind = match kind {
            "cpu" => Some(DeviceKind::Cpu),
            "gpu" => Some(DeviceKind::Gpu),
            _ => None,
        };
        // Digits only: `parse` would take a plus sign as well.
        let index = index.bytes().all(|b| b.is_ascii_digit()).then(|| index.parse().ok()).flatten();
        match (kind, index) {
            (Some(kind), Some(index)) => Ok(Self { kind, index }),
            _ => Err(Error::invalid_argument("device", "not the name of a device")
                .got(format!("`{name}`"))
                .expected("`/cpu:0`, `/gpu:0`, `/gpu:1`, ...")
                .at(here)),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            DeviceKind::Cpu => "CPU",
            DeviceKind::Gpu => "GPU",
        };
        write!(f, "/device:{kind}:{}", self.index)
    }
}

#[cfg(test)]
mod tests;
