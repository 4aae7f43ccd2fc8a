//! Copies to and from a device, and within it; waits; and the faults of kernels, which come out where the host waits.
//! The door brings and fetches tensors here; the staging memory is pinned, so that small copies need not wait.

use super::ahead;
use super::capture;
use super::driver::{self, Address};
use super::faults::Word;
use super::gpu::Gpu;
use crate::error::{Error, Result};
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

/// Bytes of the pinned memory through which copies go.
const STAGING: usize = 16 << 20;
/// Bytes of a copy to the device that go at a time, so that bringing the next ones there overlaps with it.
const PIECE: usize = 4 << 20;
/// Copies of this size and more come straight to the caller's memory.
const DIRECT: usize = 128 << 10;

/// Pinned memory: first a word for faults, then a ring of copies under way.
pub(super) struct Staging {
    base: *mut u8,
    next: usize,
}

impl Staging {
    pub fn new() -> driver::Answer<Self> {
        Ok(Self { base: driver::allocate_pinned(STAGING)?, next: WORD })
    }
}

// SAFETY: the memory is only touched by who holds the lock around it.
unsafe impl Send for Staging {}

/// Bytes at the start of the staging memory that the word of faults is read into.
const WORD: usize = 512;
const _: () = assert!(size_of::<Word>() <= WORD);
const _: () = assert!(DIRECT <= STAGING - WORD && PIECE <= STAGING - WORD);

impl Gpu {
    /// Copies host bytes to the device. The host memory may be used again when this returns.
    ///
    /// # Safety
    /// Both sides are valid for `bytes` bytes.
    pub unsafe fn upload(&self, to: Address, from: *const u8, bytes: usize) -> Result<()> {
        if ahead::collecting() {
            return Ok(());
        }
        self.may_wait("copy")?;
        self.bind()?;
        let stream = self.opened.stream;
        let mut staging = self.staging();
        // Never straight from memory of the caller's: nobody promises that the driver has read it when the call returns.
        for first in (0..bytes).step_by(PIECE) {
            let piece = PIECE.min(bytes - first);
            if staging.next + piece > STAGING {
                // The copies that are under way must be done before their memory serves others.
                driver::synchronize(stream).map_err(|e| self.failed("copy", &e))?;
                staging.next = WORD;
            }
            // SAFETY: by the caller's promise; the ring has room for the bytes behind `next`, and nobody uses them until the
            // stream is waited for.
            unsafe {
                let held = staging.base.add(staging.next);
                std::ptr::copy_nonoverlapping(from.add(first), held, piece);
                staging.next += piece.next_multiple_of(64);
                driver::copy_to_device(to + first as Address, held, piece, stream)
                    .map_err(|e| self.failed("copy", &e))?;
            }
        }
        Ok(())
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

    /// An error while this thread captures or collects: what is captured runs later, and the host has nothing to wait for.
    fn may_wait(&self, what: &str) -> Result<()> {
        match capture::capturing() || ahead::collecting() {
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
            driver::copy_to_host(staging.base, self.faults(), size, stream)
                .and_then(|()| driver::synchronize(stream))
                .map_err(|e| self.failed("wait", &e))?;
            staging.base.cast::<Word>().read()
        };
        staging.next = WORD;
        self.asserted.store(false, Ordering::Relaxed);
        match word.error() {
            None => Ok(()),
            Some(error) => {
                // SAFETY: as above. The next fault is reported anew.
                unsafe { driver::set_bytes(self.faults(), 0, size, stream) }.map_err(|e| self.failed("wait", &e))?;
                Err(error)
            }
        }
    }

    /// Copies within the device, in the order of the stream.
    ///
    /// # Safety
    /// Both sides are valid for `bytes` bytes and do not overlap.
    pub unsafe fn copy(&self, to: Address, from: Address, bytes: usize) -> Result<()> {
        if ahead::collecting() {
            return Ok(());
        }
        self.bind()?;
        // SAFETY: by the caller's promise.
        unsafe { driver::copy_within(to, from, bytes, self.stream()) }.map_err(|e| self.failed("copy", &e))
    }

    /// Sets every byte.
    ///
    /// # Safety
    /// The memory is valid for `bytes` bytes.
    pub unsafe fn set_bytes(&self, to: Address, byte: u8, bytes: usize) -> Result<()> {
        if ahead::collecting() {
            return Ok(());
        }
        self.bind()?;
        // SAFETY: by the caller's promise.
        unsafe { driver::set_bytes(to, byte, bytes, self.stream()) }.map_err(|e| self.failed("fill", &e))
    }
}
