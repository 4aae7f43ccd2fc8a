//! Event files as they are read: record by record, checked, up to the end or to what is damaged.
//! Tests read with it what summaries wrote; programs may look at their runs.

use super::frame::FRAME;
use super::summary::Event;
use crate::checksum::{mask, of};
use crate::files;
use kernels::error::{Error, Result};
use prost::Message;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// How much is read at a time: a length that lies does not make a buffer of its size.
const PIECE: usize = 1 << 20;

/// The events of a file, in order. Where a record is cut off or damaged, the error names the file and the record, and is the last item.
pub struct Events<R = BufReader<File>> {
    name: PathBuf,
    from: R,
    record: u64,
    ended: bool,
}

/// Opens an event file.
///
/// # Errors
/// What the file system refuses, with the path.
pub fn read_events(path: &Path) -> Result<Events> {
    let file = File::open(path).map_err(|e| files::error(path, "the file cannot be opened", e))?;
    Ok(Events::new(path, BufReader::new(file)))
}

impl<R: Read> Events<R> {
    /// Reads from anything; errors call it by `name`.
    pub fn new(name: impl Into<PathBuf>, from: R) -> Self {
        Self { name: name.into(), from, record: 0, ended: false }
    }

    fn damaged(&self, what: &str) -> Error {
        Error::data_loss(self.name.display().to_string(), format!("record {}: {what}", self.record))
            .help("the records before it are whole; a process that was killed may leave the last one cut off")
    }

    /// Fills a buffer; `None` at the end of the file, where nothing was there.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<usize>> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.from.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(files::error(&self.name, "the file cannot be read", e)),
            }
        }
        Ok((filled > 0).then_some(filled))
    }

    fn record(&mut self) -> Result<Option<Event>> {
        let mut header = [0; FRAME];
        match self.fill(&mut header)? {
            None => return Ok(None),
            Some(FRAME) => {}
            Some(_) => return Err(self.damaged("the file ends within the record's length")),
        }
        let (length, sum) = header.split_at(8);
        if mask(of(length)).to_le_bytes() != sum {
            return Err(self.damaged("the checksum of the record's length is wrong"));
        }
        let length = length.iter().rev().fold(0, |all: u64, &byte| all << 8 | u64::from(byte));
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < length {
            let piece = (length - bytes.len() as u64).min(PIECE as u64) as usize;
            let from = bytes.len();
            bytes.resize(from + piece, 0);
            if self.fill(&mut bytes[from..])? != Some(piece) {
                return Err(self.damaged("the file ends within the record"));
            }
        }
        let mut sum = [0; 4];
        if self.fill(&mut sum)? != Some(4) {
            return Err(self.damaged("the file ends within the record's checksum"));
        }
        if mask(of(&bytes)).to_le_bytes() != sum {
            return Err(self.damaged("the checksum of the record is wrong"));
        }
        let event = Event::decode(&*bytes).map_err(|e| self.damaged(&format!("the record is no event: {e}")))?;
        self.record += 1;
        Ok(Some(event))
    }
}

impl<R: Read> Iterator for Events<R> {
    type Item = Result<Event>;

    fn next(&mut self) -> Option<Result<Event>> {
        if self.ended {
            return None;
        }
        let record = self.record().transpose();
        self.ended = !matches!(record, Some(Ok(_)));
        record
    }
}
