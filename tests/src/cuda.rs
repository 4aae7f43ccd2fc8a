//! The way of tests to a GPU: the emulation of CUDA, or a real device where there is one and the emulation was not asked for.
//! Every test that needs a device calls [`gpu`] first, which says visibly when there is none.

use eagerflow_cuda_emulation::{Availability, Emulation, install, skipped};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// A device for the length of a test. Tests take turns: counters and switches belong to the process.
pub struct Gpu {
    /// Counters and switches, if the device is emulated.
    pub emulation: Option<&'static Emulation>,
    _turn: MutexGuard<'static, ()>,
}

/// Whether buffers of an emulated device share segments, as they do unless each is asked to be an allocation of its own.
pub fn shares_segments() -> bool {
    std::env::var_os("EAGERFLOW_CUDA_ALLOCATOR").is_none()
}

/// As [`gpu`], where each buffer is an allocation of its own if the device is emulated: what reads or writes beside one, or reads what
/// nobody wrote, fails. For programs whose tests all ask so, and before any of them uses a device.
pub fn watched_gpu() -> Option<Gpu> {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        if let Availability::Ready(_) = install() {
            // SAFETY: tests of such a program come through here before they do anything, and nobody reads the environment meanwhile.
            unsafe { std::env::set_var("EAGERFLOW_CUDA_ALLOCATOR", "exact") };
        }
    });
    gpu()
}

/// The device, or `None` with a line that says why the test is skipped.
pub fn gpu() -> Option<Gpu> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let emulation = match install() {
        Availability::Ready(emulation) => Some(emulation),
        Availability::RealDriver => None,
        Availability::Missing(why) => {
            skipped(why);
            return None;
        }
    };
    // What an earlier test queued and never read must not be counted, or reported, as this one's.
    let _ = eagerflow::config::synchronize("/gpu:0");
    // Tests compare with the CPU; one that lets products round says so, and the next one starts here again.
    eagerflow::config::enable_tensor_float_32_execution(false);
    Some(Gpu { emulation, _turn: turn })
}
