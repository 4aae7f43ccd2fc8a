//! Devices: their names, the list of those that are there, and the guard that places operations.
//! The door asks for the device of an operation; the CUDA backend opens the GPUs that are named here.

mod copies;

use crate::backend::cuda;
use crate::error::{Error, OrFail, Result};
use crate::tensor::local::{LOCAL, mode};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// A device by number: 0 is the CPU, the others are GPUs in the driver's order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct DeviceId(u8);

impl DeviceId {
    pub const CPU: Self = Self(0);

    pub const fn gpu(index: usize) -> Self {
        Self(index as u8 + 1)
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

    pub(crate) fn id(self) -> Result<DeviceId> {
        if self == Self::CPU {
            return Ok(DeviceId::CPU);
        }
        let what = match (self.kind, cuda::count()) {
            (DeviceKind::Cpu, _) => "there is one CPU device, which stands for all cores".to_string(),
            (DeviceKind::Gpu, Ok(there)) if self.index < *there => return Ok(DeviceId::gpu(self.index)),
            (DeviceKind::Gpu, Ok(_)) => format!("there is no GPU {}", self.index),
            (DeviceKind::Gpu, Err(why)) => format!("there is no GPU {}: {why}", self.index),
        };
        let there: Vec<String> = list_physical_devices(None).iter().map(Device::to_string).collect();
        Err(Error::not_found("device", what).got(self).expected(there.join(", ")).help("use `/cpu:0`"))
    }

    pub(crate) fn of_id(id: DeviceId) -> Self {
        match id.gpu_index() {
            None => Self::CPU,
            Some(index) => Self { kind: DeviceKind::Gpu, index },
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

/// The devices of this machine, all or of one kind, as `tf.config.list_physical_devices`.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::list_physical_devices(None).len(), 1 + tf::list_physical_devices(Some(tf::DeviceKind::Gpu)).len());
/// ```
pub fn list_physical_devices(kind: Option<DeviceKind>) -> Vec<Device> {
    let gpus = (0..*cuda::count().as_ref().unwrap_or(&0)).map(|index| Device { kind: DeviceKind::Gpu, index });
    std::iter::once(Device::CPU).chain(gpus).filter(|d| kind.is_none_or(|k| k == d.kind)).collect()
}

thread_local! {
    /// The device of the guard in force.
    static CURRENT: Cell<Option<DeviceId>> = const { Cell::new(None) };
    /// How many guards are in force.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Where operations run that nothing else places: on the first GPU, if there is one that can be used.
///
/// The environment variable `EAGERFLOW_DEVICE` names another. The question is settled once per process.
pub(crate) fn default_id() -> DeviceId {
    static DEFAULT: OnceLock<DeviceId> = OnceLock::new();
    *DEFAULT.get_or_init(|| {
        let first = || if cuda::is_default() { DeviceId::gpu(0) } else { DeviceId::CPU };
        match std::env::var("EAGERFLOW_DEVICE") {
            // A name that is wrong or a device that is not there must not pass in silence.
            Ok(name) if !name.is_empty() => Device::parse(&name)
                .and_then(Device::id)
                .map_err(|e| e.help("correct or unset the environment variable EAGERFLOW_DEVICE"))
                .or_fail(),
            _ => first(),
        }
    })
}

/// The device that a guard of this thread asks for.
pub(crate) fn asked() -> Option<DeviceId> {
    CURRENT.get()
}

/// How many guards of this thread are in force.
pub(crate) fn depth() -> u32 {
    DEPTH.get()
}

/// The device that a guard asks for, if it was made when more than `depth` were in force.
pub(crate) fn asked_since(depth: u32) -> Option<DeviceId> {
    if DEPTH.get() > depth { asked() } else { None }
}

/// The device of operations that nothing but the thread places.
pub(crate) fn placed_on() -> DeviceId {
    match LOCAL.with(|local| local.has(mode::DEVICE)) {
        true => asked().unwrap_or_else(default_id),
        false => DeviceId::CPU,
    }
}

/// Looks at the default device for a thread that starts: from then on its mode word says whether operations are placed.
#[cold]
pub(crate) fn settle() {
    LOCAL.with(|local| {
        if local.has(mode::FRESH) {
            local.set_mode(mode::FRESH, false);
            local.set_mode(mode::DEVICE, default_id() != DeviceId::CPU);
        }
    });
}

/// Places the operations of this thread on a device until it is dropped; made by [`device`] and [`try_device`].
#[must_use = "operations are placed only while the guard lives"]
pub struct DeviceGuard {
    before: Option<DeviceId>,
    had_mode: bool,
    /// The guard belongs to its thread.
    _here: PhantomData<*const ()>,
}

impl Drop for DeviceGuard {
    fn drop(&mut self) {
        CURRENT.set(self.before);
        DEPTH.set(DEPTH.get() - 1);
        LOCAL.with(|local| local.set_mode(mode::DEVICE, self.had_mode));
    }
}

/// Places the operations of this thread on the named device while the guard lives, as `with tf.device(...)`: keep it under a
/// name, as `let _ = ..` would drop it at once.
///
/// A guard in a traced function places the operations that are recorded while it lives, in every call; a guard around a call
/// places the others.
///
/// ```
/// use eagerflow as tf;
/// let _on_cpu = tf::device("/cpu:0");
/// assert_eq!(tf::ones([2]).device().kind(), tf::DeviceKind::Cpu);
/// ```
///
/// # Panics
/// As [`try_device`] fails.
#[track_caller]
pub fn device(name: &str) -> DeviceGuard {
    try_device(name).or_fail()
}

/// As [`device`], for a name that comes from data, or a device that may not be there.
///
/// ```
/// use eagerflow as tf;
/// let there = tf::try_device("/gpu:0").is_ok();
/// assert_eq!(there, !tf::list_physical_devices(Some(tf::DeviceKind::Gpu)).is_empty());
/// ```
///
/// # Errors
/// InvalidArgument for a text that names no device, NotFound for a device that is not there, unless
/// [`set_soft_device_placement`](crate::config::set_soft_device_placement) lets the CPU stand for it.
#[track_caller]
pub fn try_device(name: &str) -> Result<DeviceGuard> {
    let here = Location::caller();
    let device = Device::parse(name).map_err(|e| e.at(here))?;
    let id = match device.id() {
        // A GPU that is there may still have nothing that compiles kernels for it.
        Ok(id) if id == DeviceId::CPU || !SOFT.load(Ordering::Relaxed) || cuda::is_default() => id,
        Err(error) if !SOFT.load(Ordering::Relaxed) => return Err(error.at(here)),
        _ => DeviceId::CPU,
    };
    Ok(place_on(id))
}

/// Whether the CPU stands for devices that cannot be used.
pub(crate) static SOFT: AtomicBool = AtomicBool::new(false);

/// Places the operations of this thread on the CPU while the guard lives, for work that is the library's own.
pub(crate) fn on_cpu() -> DeviceGuard {
    place_on(DeviceId::CPU)
}

/// As [`device`], for a device that is there.
pub(crate) fn place_on(id: DeviceId) -> DeviceGuard {
    settle();
    let before = CURRENT.replace(Some(id));
    DEPTH.set(DEPTH.get() + 1);
    let had_mode = LOCAL.with(|local| {
        let had = local.has(mode::DEVICE);
        local.set_mode(mode::DEVICE, true);
        had
    });
    DeviceGuard { before, had_mode, _here: PhantomData }
}

#[cfg(test)]
mod tests;
