//! One opened device: context, stream, memory, loaded kernels and the word of faults.
//! `device.rs` finds devices here; `execute`, kernels and reads of elements work through it.

use super::capture_session;
use super::driver::{self, Address, Failure, Grid, Opened};
use super::kernel_warm_up;
use super::library::Products;
use super::memory::Blocks;
use super::program::Programs;
use super::staging::{Reads, Uploads};
use crate::device::DeviceId;
use crate::error::{Error, Result};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// A device in use; it lives until the process ends.
pub struct Gpu {
    pub id: DeviceId,
    pub(super) opened: Opened,
    pub(super) memory: Mutex<Blocks>,
    pub(super) uploads: Mutex<Uploads>,
    pub(super) reads: Mutex<Reads>,
    faults: Address,
    /// How many assertions were queued, and how many of these somebody has waited for since.
    pub(super) asserted: [AtomicU64; 2],
    pub(super) programs: Programs,
    /// What products by the library need.
    pub(super) products: Products,
}

/// How many devices there are, and why there are none.
pub fn count() -> &'static Result<usize, String> {
    static COUNT: OnceLock<Result<usize, String>> = OnceLock::new();
    COUNT.get_or_init(|| {
        driver::present()?;
        match driver::device_count() {
            Ok(0) => Err("the driver is there, but it knows no device".into()),
            Ok(n) => Ok(n.min(MOST)),
            Err(failure) => Err(format!("the driver is there, but {failure}")),
        }
    })
}

/// Whether a device was opened, so that tensors may lie there.
#[inline]
pub fn in_use() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

static IN_USE: AtomicBool = AtomicBool::new(false);

/// The most devices that are known.
const MOST: usize = 64;

/// Devices in use.
static OPEN: [OnceLock<Gpu>; MOST] = [const { OnceLock::new() }; MOST];
/// Held while one is opened.
static OPENING: Mutex<()> = Mutex::new(());

/// Waits for the assertions that were queued on any device: before the host does what comes behind them.
///
/// # Errors
/// That of the first assertion that does not hold.
pub fn await_assertions() -> Result<()> {
    if capture_session::pretending() {
        return Ok(());
    }
    let unproven = |gpu: &&Gpu| {
        let [queued, proven] = gpu.asserted.each_ref().map(|count| count.load(Ordering::Acquire));
        proven < queued
    };
    OPEN.iter().filter_map(OnceLock::get).filter(unproven).try_for_each(Gpu::synchronize)
}

/// Device `index`, opened at its first use.
pub fn gpu(index: usize) -> Result<&'static Gpu> {
    let there = count().as_ref().map_err(|why| Error::not_found("device", format!("there is no GPU: {why}")))?;
    if index >= *there {
        return Err(Error::not_found("device", format!("there is no GPU {index}"))
            .got(format!("/gpu:{index}"))
            .expected(format!("a number below {there}")));
    }
    if let Some(gpu) = OPEN[index].get() {
        return Ok(gpu);
    }
    // Asked anew each time it fails: the memory that it lacked may be there by then.
    let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    if OPEN[index].get().is_none() {
        let _ = OPEN[index].set(Gpu::open(index)?);
        IN_USE.store(true, Ordering::Relaxed);
    }
    OPEN[index].get().ok_or_else(|| Error::internal("device", "a device that was opened is not there"))
}

/// Whether operations belong on the first GPU unless somebody places them. A driver without the compiler of kernels, as any desktop may
/// have it, can run nothing: then they stay on the CPU, and a line says so once.
pub fn is_default() -> bool {
    static DEFAULT: OnceLock<bool> = OnceLock::new();
    *DEFAULT.get_or_init(|| match (count(), usable()) {
        (Ok(1..), Ok(())) => true,
        (Ok(1..), Err(why)) => {
            eprintln!("eagerflow: there is a GPU, but operations run on the CPU: {why}");
            false
        }
        _ => false,
    })
}

/// Why no device of this machine can be used, if so.
fn usable() -> Result<(), String> {
    driver::compiler_present()?;
    let (major, minor) = driver::driver_version().map_err(|e| e.to_string())?;
    match (major, minor) < OLDEST {
        false => Ok(()),
        true => Err(format!("the driver knows CUDA {major}.{minor}, and {}.{} is needed", OLDEST.0, OLDEST.1)),
    }
}

thread_local! {
    /// The context that is current on this thread.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

impl Gpu {
    fn open(index: usize) -> Result<Self> {
        usable().map_err(|why| Error::failed_precondition("device", why))?;
        let refused = |e: Failure| Error::internal("device", format!("GPU {index} cannot be used: {e}"));
        let opened = driver::open(index).map_err(refused)?;
        CURRENT.set(opened.context);
        let (uploads, reads) = (Uploads::new().map_err(refused)?, Reads::new().map_err(refused)?);
        let faults = driver::allocate(GRAIN_OF_FAULTS).map_err(refused)?;
        // SAFETY: fresh memory of this size.
        unsafe { driver::set_bytes(faults, 0, GRAIN_OF_FAULTS, opened.stream) }.map_err(refused)?;
        Ok(Self {
            id: DeviceId::gpu(index),
            programs: Programs::new(&opened),
            opened,
            memory: Mutex::default(),
            uploads: Mutex::new(uploads),
            reads: Mutex::new(reads),
            faults,
            asserted: Default::default(),
            products: Products::default(),
        })
    }

    /// Multiprocessors of the device.
    pub fn multiprocessors(&self) -> u32 {
        self.opened.multiprocessors
    }

    pub fn name(&self) -> &str {
        &self.opened.name
    }

    pub(super) fn faults(&self) -> Address {
        self.faults
    }

    /// Makes the device's context current on this thread, once.
    #[inline]
    pub(super) fn bind(&self) -> Result<()> {
        if CURRENT.get() == self.opened.context {
            return Ok(());
        }
        driver::set_current(self.opened.context).map_err(|e| self.failed("device", &e))?;
        CURRENT.set(self.opened.context);
        Ok(())
    }

    /// The error of a call that should not fail.
    pub(super) fn failed(&self, op: &str, failure: &Failure) -> Error {
        Error::internal(op, format!("{} ({}): {failure}", self.opened.name, self.id.device()))
    }

    /// The stream that takes what this thread queues.
    #[inline]
    pub(super) fn stream(&self) -> driver::Stream {
        match capture_session::capturing() {
            false => self.opened.stream,
            true => capture_session::under_way(self).map_or(self.opened.stream, |(stream, _)| stream),
        }
    }

    /// The compute capability.
    pub fn capability(&self) -> (u32, u32) {
        self.opened.capability
    }

    /// Bytes that are free, and bytes in all, as the driver counts them.
    pub fn memory_info(&self) -> Result<(usize, usize)> {
        self.bind()?;
        driver::memory_info().map_err(|e| self.failed("memory_info", &e))
    }

    /// Queues a kernel with the arguments that lie at the given addresses.
    ///
    /// # Safety
    /// The arguments are those of the kernel, and what it touches is valid in the order of the stream.
    pub(super) unsafe fn launch(
        &self,
        op: &str,
        function: driver::Function,
        grid: Grid,
        arguments: &mut [*mut std::ffi::c_void],
    ) -> Result<()> {
        if kernel_warm_up::collecting() {
            return Ok(());
        }
        self.bind()?;
        // SAFETY: by the caller's promise.
        self.with_room(|| unsafe { driver::launch(function, grid, self.stream(), arguments) })
            .map_err(|e| self.failed(op, &e))?;
        self.queued()
    }

    /// What follows a launch: a wait, where every error is to come from the work that made it.
    pub(super) fn queued(&self) -> Result<()> {
        match wants_every_error() && !capture_session::capturing() {
            true => self.synchronize(),
            false => Ok(()),
        }
    }
}

/// The oldest version of CUDA whose driver has every function that is called without asking.
const OLDEST: (i32, i32) = (12, 0);

/// Bytes of the memory that holds the word of faults.
const GRAIN_OF_FAULTS: usize = 512;

/// Whether `EAGERFLOW_CUDA_SYNC` asks to wait after every kernel, so that an error comes from the one that made it.
fn wants_every_error() -> bool {
    static WANTS: OnceLock<bool> = OnceLock::new();
    *WANTS.get_or_init(|| std::env::var_os("EAGERFLOW_CUDA_SYNC").is_some_and(|v| v != "0"))
}
