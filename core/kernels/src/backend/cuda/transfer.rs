//! Copies to and from a device, and within it; waits; and the faults of kernels, which come out where the host waits.
//! `execute` brings and fetches tensors here; copies go through pinned memory, so that the host need not wait for those it makes.

use super::capture_session;
use super::driver::{self, Address};
use super::faults::Word;
use super::gpu::Gpu;
use super::kernel_warm_up;
use super::staging::{DIRECT, PIECE, Reads};
use crate::error::{Error, Result};
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

impl Gpu {
    /// Copies host bytes to the device. The host memory may be used again when this returns.
    ///
    /// # Safety
    /// Both sides are valid for `bytes` bytes.
    pub unsafe fn upload(&self, to: Address, from: *const u8, bytes: usize) -> Result<()> {
        if kernel_warm_up::collecting() {
            return Ok(());
        }
        self.may_wait("copy")?;
        self.bind()?;
        let stream = self.opened.stream;
        let failed = |e| self.failed("copy", &e);
        let mut uploads = self.uploads.lock().unwrap_or_else(PoisonError::into_inner);
        // Never straight from memory of the caller's: nobody promises that the driver has read it when the call returns.
        for first in (0..bytes).step_by(PIECE) {
            let piece = PIECE.min(bytes - first);
            let held = uploads.room(piece, stream).map_err(failed)?;
            // SAFETY: by the caller's promise; the room is of this size, and serves nobody else until the copy is done.
            unsafe {
                std::ptr::copy_nonoverlapping(from.add(first), held, piece);
                driver::copy_to_device(to + first as Address, held, piece, stream).map_err(failed)?;
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
        let reads = self.reads();
        let small = bytes < DIRECT;
        let target = if small { reads.small() } else { to };
        // SAFETY: by the caller's promise; small results have a place of their own, which is read when they are there.
        let word = unsafe {
            driver::copy_to_host(target, from, bytes, stream).map_err(|e| self.failed("copy", &e))?;
            let word = self.wait(&reads)?;
            if small {
                std::ptr::copy_nonoverlapping(target, to, bytes);
            }
            word
        };
        drop(reads);
        word.error().map_or(Ok(()), Err)
    }

    /// An error while this thread captures or collects: what is captured runs later, and the host has nothing to wait for.
    fn may_wait(&self, what: &str) -> Result<()> {
        match capture_session::pretending() {
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
        // Making an error of the word asks tensors, who may ask for reads.
        let word = self.wait(&self.reads())?;
        word.error().map_or(Ok(()), Err)
    }

    fn reads(&self) -> MutexGuard<'_, Reads> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all queued work; what the word of faults said then, which can say something else from now on.
    fn wait(&self, reads: &Reads) -> Result<Word> {
        let (stream, size) = (self.opened.stream, size_of::<Word>());
        // Assertions are counted when they were queued: those that are counted here are done when this has waited.
        let asserted = self.asserted[0].load(Ordering::Acquire);
        let failed = |e| self.failed("wait", &e);
        // SAFETY: the word lies at the start of both memories, which are larger; it is read when the stream is done.
        let word = unsafe {
            driver::copy_to_host(reads.word(), self.faults(), size, stream)
                .and_then(|()| driver::synchronize(stream))
                .map_err(failed)?;
            reads.word().cast::<Word>().read()
        };
        self.asserted[1].fetch_max(asserted, Ordering::AcqRel);
        if word.code != 0 {
            // SAFETY: as above. The next fault is reported anew.
            unsafe { driver::set_bytes(self.faults(), 0, size, stream) }.map_err(failed)?;
        }
        Ok(word)
    }

    /// Copies within the device, in the order of the stream.
    ///
    /// # Safety
    /// Both sides are valid for `bytes` bytes and do not overlap.
    pub unsafe fn copy(&self, to: Address, from: Address, bytes: usize) -> Result<()> {
        if kernel_warm_up::collecting() {
            return Ok(());
        }
        self.bind()?;
        crate::moved::note(|| bytes);
        capture_session::note_fixed(&[to, from]);
        // SAFETY: by the caller's promise.
        unsafe { driver::copy_within(to, from, bytes, self.stream()) }.map_err(|e| self.failed("copy", &e))
    }

    /// Sets every byte.
    ///
    /// # Safety
    /// The memory is valid for `bytes` bytes.
    pub unsafe fn set_bytes(&self, to: Address, byte: u8, bytes: usize) -> Result<()> {
        if kernel_warm_up::collecting() {
            return Ok(());
        }
        self.bind()?;
        crate::moved::note(|| bytes);
        capture_session::note_fixed(&[to]);
        // SAFETY: by the caller's promise.
        unsafe { driver::set_bytes(to, byte, bytes, self.stream()) }.map_err(|e| self.failed("fill", &e))
    }
}
