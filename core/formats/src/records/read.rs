//! [`RecordReader`]: TensorFlow's record files, each record of which stands between checksums.
//! A record is its length in eight bytes, the masked CRC-32C of these, the bytes, and the masked CRC-32C of those; all little-endian.

use super::{Compression, Input, Position, Records};
use crate::checksum;
use kernels::error::{Error, Result};
use std::path::Path;

/// Bytes in front of a record, and behind it.
pub(super) const HEAD: usize = 12;
pub(super) const TAIL: usize = 4;

/// Reads the records of a file in order.
pub struct RecordReader {
    input: Input,
    record: u64,
    /// Bytes of the record that was given last, which are passed over with the next call.
    given: usize,
}

impl RecordReader {
    /// Opens a file at a place between two records.
    ///
    /// # Errors
    /// Those of [`Input::open`].
    pub fn open(path: &Path, compression: Compression, buffer: usize, from: Position) -> Result<Self> {
        Ok(Self { input: Input::open(path, compression, buffer, from.offset)?, record: from.record, given: 0 })
    }

    #[cold]
    fn damaged(&self, what: &str) -> Error {
        let (name, record) = (self.input.name(), self.record);
        Error::data_loss(name, format!("record {record} at byte {}: {what}", self.input.offset()))
    }

    #[cold]
    fn cut_off(&self, part: &str, got: usize, expected: u64) -> Error {
        self.damaged(&format!("the file ends in the middle of {part}"))
            .got(format!("{got} bytes"))
            .expected(format!("{expected}"))
            .help("the file was cut off, or its writer was not closed; `ignore_errors` passes over the rest of it")
    }
}

/// Four bytes as a number.
fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

impl Records for RecordReader {
    fn next(&mut self) -> Result<Option<&[u8]>> {
        self.input.used(std::mem::take(&mut self.given));
        let there = self.input.ahead(HEAD)?;
        if there == 0 {
            return Ok(None);
        }
        if there < HEAD {
            return Err(self.cut_off("a record's head", there, HEAD as u64));
        }
        let head = self.input.waiting();
        let (mut length, mut crc) = ([0; 8], [0; 4]);
        length.copy_from_slice(&head[..8]);
        crc.copy_from_slice(&head[8..HEAD]);
        let sum = checksum::mask(checksum::of(&length));
        if sum != u32::from_le_bytes(crc) {
            let (got, expected) = (format!("{sum:#010x}"), format!("{:#010x}", u32::from_le_bytes(crc)));
            return Err(self
                .damaged("the checksum of its length does not match")
                .got(got)
                .expected(expected)
                .help("is it a record file, and is its compression the one that was told?"));
        }
        let length = u64::from_le_bytes(length);
        let whole = usize::try_from(length).ok().and_then(|length| length.checked_add(HEAD + TAIL));
        let there = self.input.ahead(whole.unwrap_or(usize::MAX))?;
        let Some(whole) = whole.filter(|&whole| there >= whole) else {
            return Err(self.cut_off("a record", there - HEAD, length.saturating_add(TAIL as u64)));
        };
        let (record, crc) = self.input.waiting()[HEAD..whole].split_at(whole - HEAD - TAIL);
        let (sum, crc) = (checksum::mask(checksum::of(record)), word(crc));
        if sum != crc {
            return Err(self
                .damaged("the checksum of its bytes does not match")
                .got(format!("{sum:#010x}"))
                .expected(format!("{crc:#010x}")));
        }
        self.given = whole;
        self.record += 1;
        Ok(Some(&self.input.waiting()[HEAD..whole - TAIL]))
    }

    fn position(&self) -> Position {
        Position { offset: self.input.offset() + self.given as u64, record: self.record, line: 0 }
    }
}
