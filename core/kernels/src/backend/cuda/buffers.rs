//! A device's memory as buffers: from its allocator, from a capture's arena, or each an allocation of its own.
//! Tensors and scratch memory hold a [`Buffer`]; `tf::config` asks what is held.

use super::arena::Arena;
use super::capture_session;
use super::driver::{self, Address};
use super::gpu::Gpu;
use super::kernel_warm_up;
use super::memory::{Blocks, Held, rounded, segment_for};
use crate::error::{Error, Result};
use std::sync::{Arc, MutexGuard, OnceLock, PoisonError};

/// Memory of a device, which goes back to the device's allocator when it is dropped.
pub struct Buffer {
    gpu: &'static Gpu,
    address: Address,
    from: From,
}

/// Whose memory it is.
enum From {
    Device,
    /// Of a capture.
    Arena(Arc<Arena>),
    /// Nobody's: it stands for memory while kernels are collected.
    Nowhere,
}

impl Gpu {
    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory for at least `bytes` bytes, aligned to 512.
    pub fn allocate(&'static self, bytes: usize) -> Result<Buffer> {
        if kernel_warm_up::collecting() {
            return Ok(Buffer { gpu: self, address: kernel_warm_up::stand_in(bytes), from: From::Nowhere });
        }
        if capture_session::capturing()
            && let Some((_, arena)) = capture_session::under_way(self)
        {
            let size = bytes.checked_add(1 << 20).map(|_| rounded(bytes)).ok_or_else(|| self.full(bytes, None))?;
            let address = arena.take(size)?;
            capture_session::note_taken(address, bytes);
            return Ok(Buffer { gpu: self, address, from: From::Arena(arena) });
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
        if let Some(address) = blocks.take(size, true) {
            return Ok(Buffer { gpu: self, address, from: From::Device });
        }
        let segment = segment_for(size);
        let mut got = driver::allocate(segment);
        if got.is_err() {
            // What nobody uses goes back first.
            self.give_unused(&mut blocks)?;
            got = driver::allocate(segment);
        }
        if got.is_err()
            && let Some(address) = blocks.take(size, false)
        {
            return Ok(Buffer { gpu: self, address, from: From::Device });
        }
        match got {
            Ok(address) => {
                blocks.add_segment(address, segment, segment == segment_for(0));
                match blocks.take(size, true) {
                    Some(address) => Ok(Buffer { gpu: self, address, from: From::Device }),
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
                Ok(Buffer { gpu: self, address, from: From::Device })
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
        Error::resource_exhausted("", format!("no memory on {} for {bytes} bytes", self.id.device()))
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

    /// Gives memory that nobody uses back to the driver; the number of bytes.
    pub fn trim(&self) -> Result<usize> {
        self.synchronize()?;
        let mut blocks = self.blocks();
        let before = blocks.held.reserved;
        self.give_unused(&mut blocks)?;
        Ok(before - blocks.held.reserved)
    }

    /// Gives all segments of which nothing is in use back to the driver. Work that is still queued may use them: so this waits,
    /// while nobody else is given memory.
    fn give_unused(&self, blocks: &mut Blocks) -> Result<()> {
        self.synchronize_quietly()?;
        // All of them, whatever becomes of one: they are out of the books.
        let freed = blocks.unused_segments().into_iter().map(|address| {
            // SAFETY: no buffer lies in the segment, and the stream has come to its end.
            unsafe { driver::free(address) }.map_err(|e| self.failed("device", &e))
        });
        freed.fold(Ok(()), Result::and)
    }

    /// What the driver does with memory of its own, for kernels, graphs or the library: once more with what nobody uses here given
    /// back, if it has none left.
    pub(super) fn with_room<T>(&self, mut work: impl FnMut() -> driver::Answer<T>) -> driver::Answer<T> {
        let answer = work();
        let full = answer.as_ref().is_err_and(driver::Failure::is_out_of_memory);
        if !full || capture_session::capturing() || self.give_unused(&mut self.blocks()).is_err() {
            return answer;
        }
        work()
    }
}

/// Whether `EAGERFLOW_CUDA_ALLOCATOR=exact` asks for an allocation of its own for each buffer: slow, but tools that watch
/// allocations, as the emulation and compute-sanitizer do, then see each read and write beside one.
fn wants_own_allocations() -> bool {
    static WANTS: OnceLock<bool> = OnceLock::new();
    *WANTS.get_or_init(|| std::env::var("EAGERFLOW_CUDA_ALLOCATOR").is_ok_and(|v| v == "exact"))
}

impl Buffer {
    pub fn address(&self) -> Address {
        self.address
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let known = match &self.from {
            From::Nowhere => true,
            From::Device => self.gpu.take_back(self.address),
            From::Arena(arena) => arena.give(self.address),
        };
        debug_assert!(known, "a buffer that the allocator does not know");
    }
}
