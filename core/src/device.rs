//! Devices: their names, the list of those that are there, and the guard that places operations.
//! The door asks for the current device; the CUDA backend adds its devices to the list.

use crate::error::{Error, Result};
use crate::tensor::local::{LOCAL, mode};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

/// A device by number: 0 is the CPU, the others are GPUs in the driver's order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct DeviceId(u8);

impl DeviceId {
    pub const CPU: Self = Self(0);
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
    kind: DeviceKind,
    index: usize,
}

impl Device {
    pub(crate) const CPU: Self = Self { kind: DeviceKind::Cpu, index: 0 };

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
    /// # Errors
    /// InvalidArgument if the text names no device.
    pub fn parse(name: &str) -> Result<Self> {
        let lower = name.trim_start_matches('/').to_ascii_lowercase();
        let lower = lower.strip_prefix("device:").unwrap_or(&lower);
        let (kind, index) = lower.split_once(':').unwrap_or((lower, "0"));
        let kind = match kind {
            "cpu" => Some(DeviceKind::Cpu),
            "gpu" => Some(DeviceKind::Gpu),
            _ => None,
        };
        match (kind, index.parse()) {
            (Some(kind), Ok(index)) => Ok(Self { kind, index }),
            _ => Err(Error::invalid_argument("device", "not the name of a device")
                .got(format!("`{name}`"))
                .expected("`/cpu:0`, `/gpu:0`, `/gpu:1`, ...")),
        }
    }

    pub(crate) fn id(self) -> Result<DeviceId> {
        match (self.kind, self.index) {
            (DeviceKind::Cpu, 0) => Ok(DeviceId::CPU),
            (DeviceKind::Cpu, index) => Err(Error::not_found("device", "there is no such CPU device")
                .got(format!("/cpu:{index}"))
                .expected("/cpu:0, which stands for all cores")),
            (DeviceKind::Gpu, index) => Err(Error::not_found("device", "there is no such GPU on this machine")
                .got(format!("/gpu:{index}"))
                .expected("a device of `list_physical_devices`: /device:CPU:0")
                .help("this version runs on the CPU only; use `/cpu:0`")),
        }
    }

    pub(crate) fn of_id(_id: DeviceId) -> Self {
        Self::CPU
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

/// The devices of this machine, all or of one kind, as `tf.config.list_physical_devices`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::list_physical_devices(None).len(), 1 + tf::list_physical_devices(Some(tf::DeviceKind::Gpu)).len());
/// ```
pub fn list_physical_devices(kind: Option<DeviceKind>) -> Vec<Device> {
    [Device::CPU].into_iter().filter(|d| kind.is_none_or(|k| k == d.kind)).collect()
}

thread_local! {
    static CURRENT: Cell<DeviceId> = const { Cell::new(DeviceId::CPU) };
}

/// Places the operations of this thread on a device until it is dropped; made by [`device`].
#[must_use = "operations are placed only while the guard lives"]
pub struct DeviceGuard {
    before: DeviceId,
    had_mode: bool,
    /// The guard belongs to its thread.
    _here: PhantomData<*const ()>,
}

impl Drop for DeviceGuard {
    fn drop(&mut self) {
        CURRENT.set(self.before);
        LOCAL.with(|local| local.set_mode(mode::DEVICE, self.had_mode));
    }
}

/// Places the operations of this thread on the named device while the guard lives, as `with tf.device(...)`.
///
/// ```
/// use eagerflow as tf;
/// let _on_cpu = tf::device("/cpu:0").unwrap();
/// assert_eq!(tf::ones([2]).device().kind(), tf::DeviceKind::Cpu);
/// ```
///
/// # Errors
/// InvalidArgument for a text that names no device, NotFound for a device that is not there.
#[track_caller]
pub fn device(name: &str) -> Result<DeviceGuard> {
    let here = std::panic::Location::caller();
    let id = Device::parse(name).and_then(Device::id).map_err(|e| e.at(here))?;
    let before = CURRENT.replace(id);
    let had_mode = LOCAL.with(|local| {
        let had = local.has(mode::DEVICE);
        local.set_mode(mode::DEVICE, true);
        had
    });
    Ok(DeviceGuard { before, had_mode, _here: PhantomData })
}

impl crate::Tensor {
    /// The device that holds the elements.
    pub fn device(&self) -> Device {
        Device::of_id(self.device_id())
    }

    /// This tensor on the CPU; the same handle if it is there already.
    pub fn cpu(&self) -> crate::Tensor {
        self.clone()
    }

    /// This tensor on the named device; the same handle if it is there already.
    ///
    /// # Errors
    /// As [`device`].
    #[track_caller]
    pub fn to_device(&self, name: &str) -> Result<crate::Tensor> {
        let here = std::panic::Location::caller();
        Device::parse(name).and_then(Device::id).map_err(|e| e.at(here))?;
        Ok(self.clone())
    }
}
