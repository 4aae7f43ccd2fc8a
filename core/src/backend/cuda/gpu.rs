//! One opened device: context, stream, memory, loaded kernels and the word of faults, with the copies to and from it.
//! `device.rs` finds devices here; the door, kernels and reads of elements work through it.

use super::capture::{self, Arena};
use super::driver::{self, Address, Failure, Grid, Opened};
use super::faults::Word;
use super::library::Products;
use super::memory::{Blocks, Held, rounded, segment_for};
use super::program::Programs;
use crate::device::DeviceId;
use crate::error::{Error, Result};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Bytes of the pinned memory through which small copies go.
const STAGING: usize = 1 << 20;
/// Copies of this size and more go straight from and to the caller's memory.
const DIRECT: usize = 128 << 10;

/// A device in use; it lives until the process ends.
pub(crate) struct Gpu {
    pub id: DeviceId,
    pub(super) opened: Opened,
    memory: Mutex<Blocks>,
    staging: Mutex<Staging>,
    faults: Address,
    pub(super) programs: Programs,
    /// What products by the library need.
    pub(super) products: Products,
}

/// Pinned memory: first a word for faults, then a ring of copies under way.
struct Staging {
    base: *mut u8,
    next: usize,
}

// SAFETY: the memory is only touched by who holds the lock around it.
unsafe impl Send for Staging {}

/// Bytes at the start of the staging memory that the word of faults is read into.
const WORD: usize = 64;

/// How many devices there are, and why there are none.
pub(crate) fn count() -> &'static Result<usize, String> {
    static COUNT: OnceLock<Result<usize, String>> = OnceLock::new();
    COUNT.get_or_init(|| {
        driver::present()?;
        match driver::device_count() {
            Ok(0) => Err("the driver is there, but it knows no device".into()),
            Ok(n) => Ok(n),
            Err(failure) => Err(format!("the driver is there, but {failure}")),
        }
    })
}

/// Whether a device was opened, so that tensors may lie there.
#[inline]
pub(crate) fn in_use() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

static IN_USE: AtomicBool = AtomicBool::new(false);

/// Device `index`, opened at its first use.
pub(crate) fn gpu(index: usize) -> Result<&'static Gpu> {
    static OPEN: Mutex<Vec<Option<&'static Gpu>>> = Mutex::new(Vec::new());
    let there = count().as_ref().map_err(|why| Error::not_found("device", format!("there is no GPU: {why}")))?;
    if index >= *there {
        return Err(Error::not_found("device", format!("there is no GPU {index}"))
            .got(format!("/gpu:{index}"))
            .expected(format!("a number below {there}")));
    }
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.resize(*there, None);
    if let Some(gpu) = open[index] {
        return Ok(gpu);
    }
    let gpu: &'static Gpu = Box::leak(Box::new(Gpu::open(index)?));
    open[index] = Some(gpu);
    IN_USE.store(true, Ordering::Relaxed);
    Ok(gpu)
}

thread_local! {
    /// The context that is current on this thread.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

impl Gpu {
    fn open(index: usize) -> Result<Self> {
        driver::compiler_present().map_err(|why| Error::failed_precondition("device", why))?;
        let refused = |e: Failure| Error::internal("device", format!("GPU {index} cannot be used: {e}"));
        let opened = driver::open(index).map_err(refused)?;
        CURRENT.set(opened.context);
        let base = driver::allocate_pinned(STAGING).map_err(refused)?;
        let faults = driver::allocate(GRAIN_OF_FAULTS).map_err(refused)?;
        // SAFETY: fresh memory of this size.
        unsafe { driver::set_bytes(faults, 0, GRAIN_OF_FAULTS, opened.stream) }.map_err(refused)?;
        Ok(Self {
            id: DeviceId::gpu(index),
            programs: Programs::new(&opened),
            opened,
            memory: Mutex::default(),
            staging: Mutex::new(Staging { base, next: WORD }),
            faults,
            products: Products::default(),
        })
    }

    /// Multiprocessors of the device.
    pub fn multiprocessors(&self) -> u32 {
        self.opened.multiprocessors
    }

    pub(crate) fn name(&self) -> &str {
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
        Error::internal(op, format!("{} ({}): {failure}", self.opened.name, crate::device::Device::of_id(self.id)))
    }

    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stream that takes what this thread queues.
    #[inline]
    pub(super) fn stream(&self) -> driver::Stream {
        match capture::capturing() {
            false => self.opened.stream,
            true => capture::under_way(self).map_or(self.opened.stream, |(stream, _)| stream),
        }
    }

    /// Memory for at least `bytes` bytes, aligned to 512.
    pub fn allocate(&'static self, bytes: usize) -> Result<Buffer> {
        if capture::capturing()
            && let Some((_, arena)) = capture::under_way(self)
        {
            let size = bytes.checked_add(1 << 20).map(|_| rounded(bytes)).ok_or_else(|| self.full(bytes, None))?;
            let address = arena.take(self, size)?;
            return Ok(Buffer { gpu: self, address, arena: Some(arena) });
        }
        self.allocate_outside(bytes)
    }

    /// As [`Gpu::allocate`], whether or not this thread captures.
    pub(super) fn allocate_outside(&'static self, bytes: usize) -> Result<Buffer> {
        self.bind()?;
        let size = bytes.checked_add(1 << 20).map(|_| rounded(bytes)).ok_or_else(|| self.full(bytes, None))?;
        if wants_own_allocations() {
            return self.allocate_own(bytes.max(1));
        }
        let mut blocks = self.blocks();
        if let Some(address) = blocks.take(size) {
            return Ok(Buffer { gpu: self, address, arena: None });
        }
        let segment = segment_for(size);
        let mut got = driver::allocate(segment);
        if got.is_err() {
            // What nobody uses goes back first; work that is still queued may use it.
            driver::synchronize(self.opened.stream).map_err(|e| self.failed("device", &e))?;
            for address in blocks.unused_segments() {
                // SAFETY: no buffer lies in the segment, and the stream has come to its end.
                unsafe { driver::free(address) }.map_err(|e| self.failed("device", &e))?;
            }
            got = driver::allocate(segment);
        }
        match got {
            Ok(address) => {
                blocks.add_segment(address, segment, segment == segment_for(0));
                match blocks.take(size) {
                    Some(address) => Ok(Buffer { gpu: self, address, arena: None }),
                    None => Err(Error::internal("device", "a fresh segment does not hold what it was made for")),
                }
            }
            Err(failure) if failure.is_out_of_memory() => Err(self.full(bytes, Some(blocks.held))),
            Err(failure) => Err(self.failed("device", &failure)),
        }
    }

    /// Memory of exactly this size, which goes back to the driver when its buffer is dropped.
    fn allocate_own(&'static self, bytes: usize) -> Result<Buffer> {
        match driver::allocate_in_order(bytes, self.opened.stream) {
            Ok(address) => {
                self.blocks().note_own(address, bytes);
                Ok(Buffer { gpu: self, address, arena: None })
            }
            Err(failure) if failure.is_out_of_memory() => Err(self.full(bytes, None)),
            Err(failure) => Err(self.failed("device", &failure)),
        }
    }

    /// Takes a buffer's memory back. Whether it was known.
    fn take_back(&self, address: Address) -> bool {
        if !wants_own_allocations() {
            return self.blocks().give(address);
        }
        // SAFETY: the buffer is gone, and what used it was queued in the device's stream, or in a capture that holds it.
        // A context that is lost has nothing to free.
        let _ = self.bind().map(|()| unsafe { driver::free_in_order(address, self.opened.stream) });
        self.blocks().forget_own(address)
    }

    fn full(&self, bytes: usize, held: Option<Held>) -> Error {
        let held = held.unwrap_or_else(|| self.held());
        Error::resource_exhausted(
            "",
            format!("no memory on {} for {bytes} bytes", crate::device::Device::of_id(self.id)),
        )
        .got(format!("{} bytes in {} tensors, of {} on the device", held.used, held.buffers, self.opened.memory))
        .help("free tensors that are no longer needed, or use smaller batches")
    }

    /// What the allocator holds.
    pub fn held(&self) -> Held {
        self.blocks().held
    }

    /// Takes what is held now for the most that ever was.
    pub fn reset_peak(&self) {
        let mut blocks = self.blocks();
        blocks.held.peak = blocks.held.used;
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

    /// Gives memory that nobody uses back to the driver; the number of bytes.
    pub fn trim(&self) -> Result<usize> {
        self.synchronize()?;
        let mut blocks = self.blocks();
        let before = blocks.held.reserved;
        for address in blocks.unused_segments() {
            // SAFETY: no buffer lies in the segment, and the stream has come to its end.
            unsafe { driver::free(address) }.map_err(|e| self.failed("trim", &e))?;
        }
        Ok(before - blocks.held.reserved)
    }

    /// Copies host bytes to the device. The host memory may be used again when this returns.
    ///
    /// # Safety
    /// Both sides are valid for `bytes` bytes.
    pub unsafe fn upload(&self, to: Address, from: *const u8, bytes: usize) -> Result<()> {
        self.may_wait("copy")?;
        self.bind()?;
        let stream = self.opened.stream;
        if bytes >= DIRECT {
            // SAFETY: by the caller's promise; the driver is done with pageable memory when the call returns.
            return unsafe { driver::copy_to_device(to, from, bytes, stream) }.map_err(|e| self.failed("copy", &e));
        }
        let mut staging = self.staging();
        if staging.next + bytes > STAGING {
            // The copies that are under way must be done before their memory serves others.
            driver::synchronize(stream).map_err(|e| self.failed("copy", &e))?;
            staging.next = WORD;
        }
        // SAFETY: the ring has room for the bytes behind `next`, and nobody uses them until the stream is waited for.
        unsafe {
            let held = staging.base.add(staging.next);
            std::ptr::copy_nonoverlapping(from, held, bytes);
            staging.next += bytes.next_multiple_of(64);
            driver::copy_to_device(to, held, bytes, stream).map_err(|e| self.failed("copy", &e))
        }
    }

    /// Copies device bytes to the host and waits for them; faults of kernels come out here.
    ///
    /// # Safety
    /// As [`Gpu::upload`].
    pub unsafe fn download(&self, to: *mut u8, from: Address, bytes: usize) -> Result<()> {
        self.may_wait("read")?;
        self.bind()?;
        let stream = self.opened.stream;
        let mut staging = self.staging();
        // SAFETY: by the caller's promise; small results go through the ring, which is empty once it was waited for.
        unsafe {
            const { assert!(DIRECT <= STAGING - WORD) };
            let small = bytes < DIRECT;
            if small && staging.next + bytes > STAGING {
                driver::synchronize(stream).map_err(|e| self.failed("copy", &e))?;
                staging.next = WORD;
            }
            let target = if small { staging.base.add(staging.next) } else { to };
            driver::copy_to_host(target, from, bytes, stream).map_err(|e| self.failed("copy", &e))?;
            self.wait(&mut staging)?;
            if small {
                std::ptr::copy_nonoverlapping(target, to, bytes);
            }
        }
        Ok(())
    }

    /// An error while this thread captures: what is captured runs later, and the host has nothing to wait for.
    fn may_wait(&self, what: &str) -> Result<()> {
        match capture::capturing() {
            false => Ok(()),
            true => Err(Error::failed_precondition(what, "the host cannot take part in captured work")),
        }
    }

    /// Waits for all queued work, and leaves faults for the next read.
    pub(super) fn synchronize_quietly(&self) -> Result<()> {
        driver::synchronize(self.opened.stream).map_err(|e| self.failed("wait", &e))
    }

    /// Waits for all queued work; faults of kernels come out here.
    pub fn synchronize(&self) -> Result<()> {
        self.may_wait("wait")?;
        self.bind()?;
        self.wait(&mut self.staging())
    }

    fn staging(&self) -> MutexGuard<'_, Staging> {
        self.staging.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, staging: &mut Staging) -> Result<()> {
        let (stream, size) = (self.opened.stream, size_of::<Word>());
        // SAFETY: the word lies at the start of both memories, which are larger; it is read when the stream is done.
        let word = unsafe {
            driver::copy_to_host(staging.base, self.faults, size, stream)
                .and_then(|()| driver::synchronize(stream))
                .map_err(|e| self.failed("wait", &e))?;
            staging.base.cast::<Word>().read()
        };
        staging.next = WORD;
        match word.error() {
            None => Ok(()),
            Some(error) => {
                // SAFETY: as above. The next fault is reported anew.
                unsafe { driver::set_bytes(self.faults, 0, size, stream) }.map_err(|e| self.failed("wait", &e))?;
                Err(error)
            }
        }
    }

    /// Copies within the device, in the order of the stream.
    ///
    /// # Safety
    /// Both sides are valid for `bytes` bytes and do not overlap.
    pub unsafe fn copy(&self, to: Address, from: Address, bytes: usize) -> Result<()> {
        self.bind()?;
        // SAFETY: by the caller's promise.
        unsafe { driver::copy_within(to, from, bytes, self.stream()) }.map_err(|e| self.failed("copy", &e))
    }

    /// Sets every byte.
    ///
    /// # Safety
    /// The memory is valid for `bytes` bytes.
    pub unsafe fn set_bytes(&self, to: Address, byte: u8, bytes: usize) -> Result<()> {
        self.bind()?;
        // SAFETY: by the caller's promise.
        unsafe { driver::set_bytes(to, byte, bytes, self.stream()) }.map_err(|e| self.failed("fill", &e))
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
        self.bind()?;
        // SAFETY: by the caller's promise.
        unsafe { driver::launch(function, grid, self.stream(), arguments) }.map_err(|e| self.failed(op, &e))?;
        self.queued()
    }

    /// What follows a launch: a wait, where every error is to come from the work that made it.
    pub(super) fn queued(&self) -> Result<()> {
        match wants_every_error() && !capture::capturing() {
            true => self.synchronize(),
            false => Ok(()),
        }
    }
}

/// Bytes of the memory that holds the word of faults.
const GRAIN_OF_FAULTS: usize = 512;

/// Whether `EAGERFLOW_CUDA_SYNC` asks to wait after every kernel, so that an error comes from the one that made it.
fn wants_every_error() -> bool {
    static WANTS: OnceLock<bool> = OnceLock::new();
    *WANTS.get_or_init(|| std::env::var_os("EAGERFLOW_CUDA_SYNC").is_some_and(|v| v != "0"))
}

/// Whether `EAGERFLOW_CUDA_ALLOCATOR=exact` asks for an allocation of its own for each buffer: slow, but tools that watch
/// allocations, as the emulation and compute-sanitizer do, then see each read and write beside one.
fn wants_own_allocations() -> bool {
    static WANTS: OnceLock<bool> = OnceLock::new();
    *WANTS.get_or_init(|| std::env::var("EAGERFLOW_CUDA_ALLOCATOR").is_ok_and(|v| v == "exact"))
}

/// Memory of a device, which goes back to the device's allocator when it is dropped.
pub(crate) struct Buffer {
    gpu: &'static Gpu,
    address: Address,
    /// The capture that it belongs to.
    arena: Option<Arc<Arena>>,
}

impl Buffer {
    pub fn address(&self) -> Address {
        self.address
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let known = match &self.arena {
            None => self.gpu.take_back(self.address),
            Some(arena) => arena.blocks.lock().unwrap_or_else(PoisonError::into_inner).give(self.address),
        };
        debug_assert!(known, "a buffer that the allocator does not know");
    }
}
