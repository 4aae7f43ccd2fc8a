//! Placement: the guard that says on which device operations of a thread run, and the device of those that none places.
//! Users make guards with [`device`]; `execute` asks here for the device of an operation.

use crate::tensor::local::{LOCAL, mode};
use kernels::backend::cuda;
use kernels::device::{Device, DeviceId};
use kernels::devices::{default_id, id_of};
use kernels::error::{OrFail, Result};
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// The device of the guard in force.
    static CURRENT: Cell<Option<DeviceId>> = const { Cell::new(None) };
    /// How many guards are in force.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
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
    let id = match id_of(device) {
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
