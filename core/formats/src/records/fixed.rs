//! [`FixedReader`]: records of one length, between a header and a footer that are passed over.
//! The footer of a compressed file is found by reading it ahead, since only the end of the stream tells where it is.

use super::{Compression, Input, Position, Records};
use crate::files;
use kernels::error::{Error, Result};
use std::path::Path;

/// How many bytes are what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// In front of the first record.
    pub header: usize,
    /// Of each record, at least 1.
    pub record: usize,
    /// Behind the last record.
    pub footer: usize,
}

/// Reads the records of a file in order.
pub struct FixedReader {
    input: Input,
    layout: Layout,
    record: u64,
    /// Bytes of the record that was given last.
    given: usize,
}

impl FixedReader {
    /// Opens a file at its beginning or at a place between two records.
    ///
    /// # Errors
    /// Those of [`Input::open`]; InvalidArgument for records of no bytes, and for a plain file that no whole number of records fills.
    pub fn open(
        path: &Path,
        compression: Compression,
        buffer: usize,
        layout: Layout,
        from: Option<Position>,
    ) -> Result<Self> {
        if layout.record == 0 {
            return Err(Error::invalid_argument(path.display().to_string(), "records have no bytes"));
        }
        if compression == Compression::None {
            check_size(path, layout)?;
        }
        let Position { offset, record, .. } = from.unwrap_or_default();
        let mut input = Input::open(path, compression, buffer, offset)?;
        if from.is_none() {
            let there = input.ahead(layout.header)?;
            if there < layout.header {
                return Err(wrong_size(path, layout, there as u64, Error::data_loss));
            }
            input.used(layout.header);
        }
        Ok(Self { input, layout, record, given: 0 })
    }
}

/// The size of a plain file is known before it is read.
fn check_size(path: &Path, layout: Layout) -> Result<()> {
    let metadata = std::fs::metadata(path).map_err(|e| files::error(path, "cannot be opened", e))?;
    let body = metadata.len().checked_sub(layout.header as u64 + layout.footer as u64);
    match body.is_some_and(|body| body % layout.record as u64 == 0) || !metadata.is_file() {
        true => Ok(()),
        false => Err(wrong_size(path, layout, metadata.len(), Error::invalid_argument)),
    }
}

#[cold]
fn wrong_size(path: &Path, layout: Layout, got: u64, kind: fn(String, &'static str) -> Error) -> Error {
    let Layout { header, record, footer } = layout;
    kind(path.display().to_string(), "the file is not filled by a whole number of records")
        .got(format!("{got} bytes"))
        .expected(format!("{header} bytes of a header, records of {record}, {footer} of a footer"))
}

impl Records for FixedReader {
    fn next(&mut self) -> Result<Option<&[u8]>> {
        self.input.used(std::mem::take(&mut self.given));
        let Layout { record, footer, .. } = self.layout;
        let there = self.input.ahead(record.saturating_add(footer))?;
        if there < record.saturating_add(footer) {
            if there == footer {
                return Ok(None);
            }
            let size = self.input.offset() + there as u64;
            return Err(wrong_size(self.input.path(), self.layout, size, Error::data_loss).help(format!(
                "record {} at byte {} is not whole",
                self.record,
                self.input.offset()
            )));
        }
        self.given = record;
        self.record += 1;
        Ok(Some(&self.input.waiting()[..record]))
    }

    fn position(&self) -> Position {
        Position { offset: self.input.offset() + self.given as u64, record: self.record, line: 0 }
    }
}
