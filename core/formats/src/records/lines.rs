//! [`LineReader`]: the lines of a text file, without what ends them.
//! As in TensorFlow carriage returns belong to no line, wherever they are, and the last line needs no end.

use super::{Compression, Input, Position, Records};
use kernels::error::Result;
use memchr::{memchr, memchr_iter};
use std::path::Path;

/// Reads the lines of a file in order.
pub struct LineReader {
    input: Input,
    line: u64,
    /// Bytes of the line that was given last, with its end.
    given: usize,
    /// A line without its carriage returns.
    cleaned: Vec<u8>,
}

impl LineReader {
    /// Opens a file at the beginning of a line.
    ///
    /// # Errors
    /// Those of [`Input::open`].
    pub fn open(path: &Path, compression: Compression, buffer: usize, from: Position) -> Result<Self> {
        let input = Input::open(path, compression, buffer, from.offset)?;
        Ok(Self { input, line: from.record, given: 0, cleaned: Vec::new() })
    }

    /// The bytes of the next line, and how many of them are its end.
    fn line(&mut self) -> Result<(usize, usize)> {
        let mut searched = 0;
        loop {
            let there = self.input.ahead(searched + 1)?;
            if there == searched {
                return Ok((searched, 0));
            }
            match memchr(b'\n', &self.input.waiting()[searched..]) {
                Some(at) => return Ok((searched + at + 1, 1)),
                None => searched = there,
            }
        }
    }
}

impl Records for LineReader {
    fn next(&mut self) -> Result<Option<&[u8]>> {
        self.input.used(std::mem::take(&mut self.given));
        let (whole, end) = self.line()?;
        let line = &self.input.waiting()[..whole - end];
        let clean = memchr(b'\r', line).is_none();
        if !clean {
            self.cleaned.clear();
            let mut from = 0;
            for at in memchr_iter(b'\r', line).chain([line.len()]) {
                self.cleaned.extend_from_slice(&line[from..at]);
                from = at + 1;
            }
        }
        if end == 0 && (line.is_empty() || !clean && self.cleaned.is_empty()) {
            self.input.used(whole);
            return Ok(None);
        }
        self.given = whole;
        self.line += 1;
        Ok(Some(if clean { &self.input.waiting()[..whole - end] } else { &self.cleaned }))
    }

    fn position(&self) -> Position {
        Position { offset: self.input.offset() + self.given as u64, record: self.line, line: 0 }
    }
}
