//! Reads stretches of files, and gives the checksum of each; either into memory that waits for them, or only to sum them.
//! Called by the readers of bundles and safetensors.

use super::{PIECE, each, pieces, threads_for, whole};
use crate::checksum;
use crate::files::{error, read_exact_at};
use kernels::error::Result;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes that lie together in a file.
#[derive(Clone, Copy)]
pub(crate) struct Stretch<'a> {
    /// The file, open.
    pub file: &'a File,
    /// Its name, for errors.
    pub path: &'a Path,
    /// The first byte.
    pub offset: u64,
    /// How many.
    pub size: u64,
}

impl Stretch<'_> {
    fn read(&self, from: u64, into: &mut [u8]) -> Result<()> {
        read_exact_at(self.file, into, self.offset + from).map_err(|e| error(self.path, "cannot be read", e))
    }
}

/// Bytes that are read at a time, and summed while they are in the processor's cache: the second level of all that we know has room.
const CACHED: usize = 128 << 10;

/// The CRC-32C of each stretch, not masked. They are read through a buffer for each thread.
pub(crate) fn sum(stretches: &[Stretch<'_>], threads: usize) -> Result<Vec<u32>> {
    summed(stretches, threads, &|at, range, buffer| {
        buffer.resize(CACHED.min((range.end - range.start) as usize).max(buffer.len()), 0);
        range.clone().step_by(CACHED).try_fold(0, |crc, start| {
            let part = &mut buffer[..CACHED.min((range.end - start) as usize)];
            stretches[at].read(start, part)?;
            Ok(checksum::extend(crc, part))
        })
    })
}

/// Reads each stretch into the bytes beside it, which are as many; gives the CRC-32C of each, not masked.
pub(crate) fn read(stretches: &[Stretch<'_>], targets: Vec<&mut [u8]>, threads: usize) -> Result<Vec<u32>> {
    // Each piece is taken once; the lock only tells the compiler.
    let targets: Vec<Vec<Mutex<&mut [u8]>>> =
        targets.into_iter().map(|target| target.chunks_mut(PIECE).map(Mutex::new).collect()).collect();
    summed(stretches, threads, &|at, range, _| {
        let piece = &targets[at][(range.start / PIECE as u64) as usize];
        let mut target = piece.lock().unwrap_or_else(PoisonError::into_inner);
        let mut parts = range.step_by(CACHED).zip(target.chunks_mut(CACHED));
        parts.try_fold(0, |crc, (start, part)| {
            stretches[at].read(start, part)?;
            Ok(checksum::extend(crc, part))
        })
    })
}

/// Reads a range of a stretch, by a buffer if it wants one, and sums it.
type SumOf<'a> = dyn Fn(usize, Range<u64>, &mut Vec<u8>) -> Result<u32> + Sync + 'a;

/// The CRC-32C of each stretch, from those that `sum` gives of their pieces.
fn summed(stretches: &[Stretch<'_>], threads: usize, sum: &SumOf<'_>) -> Result<Vec<u32>> {
    let pieces = pieces(stretches.iter().map(|stretch| stretch.size));
    let sums: Vec<AtomicU32> = pieces.iter().map(|_| AtomicU32::new(0)).collect();
    let bytes = stretches.iter().map(|stretch| stretch.size).sum();
    each(pieces.len(), threads_for(bytes, threads), &|at, buffer| {
        let crc = sum(pieces[at].value, pieces[at].range.clone(), buffer)?;
        sums[at].store(crc, Ordering::Relaxed);
        Ok(())
    })?;
    Ok(whole(stretches.len(), &pieces, sums))
}
