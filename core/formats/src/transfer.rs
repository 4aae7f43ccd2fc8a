//! Moves values between memory and files in pieces of a mebibyte, on a few threads, and sums the checksum of each on the way.
//! The writers and readers of bundles and safetensors hand their values to it.
//!
//! A value is summed and written piece by piece while the piece is in the processor's cache, so that nothing is copied a second time
//! and memory is read once. Pieces are as long as they are whatever the number of threads: checksums do not depend on it.

mod read;
mod write;

pub(crate) use read::{Stretch, read, sum};
pub(crate) use write::{Bytes, Value, write};

use crate::checksum;
use kernels::error::{Error, Result};
use std::num::NonZero;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;

/// Bytes that one thread moves at a time.
pub(crate) const PIECE: usize = 1 << 20;
/// Below so many bytes a second thread costs more than it gains.
const WORTH_A_THREAD: u64 = 4 << 20;
/// More threads than these wait for memory and the file system only.
const MOST_THREADS: usize = 4;

/// A part of one of several values.
struct Piece {
    value: usize,
    range: Range<u64>,
}

/// Cuts values of these lengths.
fn pieces(lengths: impl Iterator<Item = u64>) -> Vec<Piece> {
    let cut = |(value, length): (usize, u64)| {
        let starts = (0..length).step_by(PIECE);
        starts.map(move |start| Piece { value, range: start..length.min(start + PIECE as u64) })
    };
    lengths.enumerate().flat_map(cut).collect()
}

/// The CRC of each value, from those of its pieces.
fn whole(values: usize, pieces: &[Piece], sums: Vec<AtomicU32>) -> Vec<u32> {
    let mut whole = vec![0; values];
    for (Piece { value, range }, sum) in pieces.iter().zip(sums) {
        // To combine takes longer than to sum a small value, and most have one piece.
        whole[*value] = match range.start {
            0 => sum.into_inner(),
            _ => checksum::combine(whole[*value], sum.into_inner(), (range.end - range.start) as usize),
        };
    }
    whole
}

/// The threads to use for so many bytes.
fn threads_for(bytes: u64, wanted: usize) -> usize {
    let cores = || thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
    match wanted {
        _ if bytes < WORTH_A_THREAD => 1,
        0 => cores(),
        wanted => wanted.min(64),
    }
}

/// Calls `work` once for each number below `count`, on several threads of which this is one, each with a buffer of its own.
/// After an error no more are begun, and the error of the lowest number is given.
fn each(count: usize, threads: usize, work: &(dyn Fn(usize, &mut Vec<u8>) -> Result<()> + Sync)) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let run = || {
        let mut buffer = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return;
            }
            if let Err(error) = work(at, &mut buffer) {
                next.store(count, Ordering::Relaxed);
                let mut first = failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                if first.as_ref().is_none_or(|(before, _)| at < *before) {
                    *first = Some((at, error));
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            // Where the system gives no more threads, those that there are do the work.
            if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        run();
    });
    match failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}
