//! Writes values whose places in a file are known, and gives the checksum of each.
//! Called by the writers of bundles and safetensors.

use super::{PIECE, Piece, each, pieces, threads_for, whole};
use crate::checksum;
use crate::files::Temporary;
use crate::pieces::{Pieces, Source};
use kernels::error::{Error, Result};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// A value and its place.
pub(crate) struct Value<'a> {
    /// Its name, for errors.
    pub name: &'a str,
    /// Bytes of it in the file.
    pub size: u64,
    /// The first of them.
    pub offset: u64,
    /// What they are; strings are encoded before.
    pub source: Bytes<'a>,
}

/// The bytes of a value.
#[derive(Clone, Copy)]
pub(crate) enum Bytes<'a> {
    Here(&'a [u8]),
    Fetched(&'a dyn Pieces),
}

/// Pieces that are shorter are written together with those beside them: a call of the system takes longer than to copy them.
const SMALL: u64 = 64 << 10;

/// Of fewer bytes, the call for their blocks takes as long as it saves.
const WORTH_RESERVING: u64 = 4 << 20;

/// Writes all values; gives the CRC-32C of each, not masked.
pub(crate) fn write(file: &Temporary<'_>, values: &[Value<'_>], threads: usize) -> Result<Vec<u32>> {
    let pieces = pieces(values.iter().map(|value| value.size));
    let jobs = jobs(values, &pieces);
    let sums: Vec<AtomicU32> = pieces.iter().map(|_| AtomicU32::new(0)).collect();
    let bytes = values.iter().map(|value| value.size).sum();
    if bytes >= WORTH_RESERVING {
        let end = values.iter().map(|value| value.offset.saturating_add(value.size)).max().unwrap_or(0);
        file.reserve(end)?;
    }
    each(jobs.len(), threads_for(bytes, threads), &|at, buffer| {
        let job = jobs[at].clone();
        if job.len() == 1 {
            let crc = fetch(file, values, &pieces[job.start], &mut |bytes, offset| file.write_all_at(bytes, offset))?;
            sums[job.start].store(crc, Ordering::Relaxed);
            return Ok(());
        }
        buffer.clear();
        let first = &pieces[job.start];
        for at in job {
            let crc = fetch(file, values, &pieces[at], &mut |bytes, _| {
                buffer.extend_from_slice(bytes);
                Ok(())
            })?;
            sums[at].store(crc, Ordering::Relaxed);
        }
        file.write_all_at(buffer, values[first.value].offset + first.range.start)
    })?;
    Ok(whole(values.len(), &pieces, sums))
}

/// Pieces that are written at once: one, or several small ones that lie behind each other.
fn jobs(values: &[Value<'_>], pieces: &[Piece]) -> Vec<Range<usize>> {
    let mut jobs: Vec<Range<usize>> = Vec::new();
    let mut end = 0;
    let mut room = 0;
    for (at, piece) in pieces.iter().enumerate() {
        let length = piece.range.end - piece.range.start;
        let begin = values[piece.value].offset + piece.range.start;
        match jobs.last_mut() {
            Some(job) if length < SMALL && length <= room && begin == end => job.end = at + 1,
            _ => {
                jobs.push(at..at + 1);
                room = PIECE as u64;
            }
        }
        // Nothing is joined to a large piece.
        room = if length < SMALL { room - length } else { 0 };
        end = begin + length;
    }
    jobs
}

/// Hands the bytes of a piece on with their places in the file; gives the CRC of all.
fn fetch(
    file: &Temporary<'_>,
    values: &[Value<'_>],
    piece: &Piece,
    put: &mut dyn FnMut(&[u8], u64) -> Result<()>,
) -> Result<u32> {
    let value = &values[piece.value];
    let range = piece.range.clone();
    let (mut offset, end) = (value.offset + range.start, value.offset + range.end);
    let mut crc = 0;
    let mut take = |bytes: &[u8]| {
        if bytes.len() as u64 > end - offset {
            return Err(wrong_length(file, value));
        }
        crc = checksum::extend(crc, bytes);
        put(bytes, offset)?;
        offset += bytes.len() as u64;
        Ok(())
    };
    match value.source {
        Bytes::Here(bytes) => take(&bytes[range.start as usize..range.end as usize])?,
        Bytes::Fetched(pieces) => pieces.piece(range, &mut take)?,
    }
    if offset == end { Ok(crc) } else { Err(wrong_length(file, value)) }
}

#[cold]
fn wrong_length(file: &Temporary<'_>, value: &Value<'_>) -> Error {
    Error::internal(file.name(), format!("the pieces of \"{}\" have other lengths than were asked for", value.name))
}

impl<'a> Bytes<'a> {
    /// The bytes of what is not made of strings.
    pub(crate) fn of(source: Source<'a>) -> Option<Self> {
        match source {
            Source::Bytes(bytes) => Some(Self::Here(bytes)),
            Source::Pieces(pieces) => Some(Self::Fetched(pieces)),
            Source::Strings(_) => None,
        }
    }

    /// How many.
    pub(crate) fn len(self) -> u64 {
        match self {
            Self::Here(bytes) => bytes.len() as u64,
            Self::Fetched(pieces) => pieces.size(),
        }
    }
}
