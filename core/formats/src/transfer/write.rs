//! Writes values whose places in a file are known, and gives the checksum of each.
//! Called by the writers of bundles and safetensors.

use super::{each, pieces, threads_for, whole};
use crate::checksum;
use crate::files::Temporary;
use crate::pieces::{Pieces, Source};
use kernels::error::{Error, Result};
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

/// Writes all values; gives the CRC-32C of each, not masked.
pub(crate) fn write(file: &Temporary<'_>, values: &[Value<'_>], threads: usize) -> Result<Vec<u32>> {
    let pieces = pieces(values.iter().map(|value| value.size));
    let sums: Vec<AtomicU32> = pieces.iter().map(|_| AtomicU32::new(0)).collect();
    let bytes = values.iter().map(|value| value.size).sum();
    each(pieces.len(), threads_for(bytes, threads), &|at, _| {
        let value = &values[pieces[at].value];
        let range = pieces[at].range.clone();
        let (mut offset, end) = (value.offset + range.start, value.offset + range.end);
        let mut crc = 0;
        let mut take = |bytes: &[u8]| {
            if bytes.len() as u64 > end - offset {
                return Err(wrong_length(file, value));
            }
            crc = checksum::extend(crc, bytes);
            file.write_all_at(bytes, offset)?;
            offset += bytes.len() as u64;
            Ok(())
        };
        match value.source {
            Bytes::Here(bytes) => take(&bytes[range.start as usize..range.end as usize])?,
            Bytes::Fetched(pieces) => pieces.piece(range, &mut take)?,
        }
        if offset != end {
            return Err(wrong_length(file, value));
        }
        sums[at].store(crc, Ordering::Relaxed);
        Ok(())
    })?;
    Ok(whole(values.len(), &pieces, sums))
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
