//! [`RecordWriter`]: writes TensorFlow's record files, which it and TensorFlow read.
//! The file grows under a temporary name and has its own once it is finished, so that nobody reads a part of it.

use super::Compression;
use crate::checksum;
use crate::files::{Options, Temporary};
use flate2::write::{GzEncoder, ZlibEncoder};
use kernels::error::{Error, Result};
use std::io::{self, Write};
use std::path::Path;

/// Bytes that are collected before they are written.
const BUFFER: usize = 256 << 10;

/// A file whose bytes are packed on the way.
enum Packed {
    Plain(Sink),
    Gzip(GzEncoder<Sink>),
    Zlib(ZlibEncoder<Sink>),
}

/// The file behind a buffer.
struct Sink {
    file: Temporary<'static>,
    buffer: Vec<u8>,
    offset: u64,
    /// What the file answered, which says more than the error that an encoder passes on.
    failed: Option<Error>,
}

impl Sink {
    fn hand_over(&mut self) -> Result<()> {
        self.file.write_all_at(&self.buffer, self.offset)?;
        self.offset += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hand_over().map_err(|error| {
            let told = io::Error::other(error.to_string());
            self.failed.get_or_insert(error);
            told
        })
    }
}

impl Packed {
    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(sink) => sink,
            Self::Gzip(encoder) => encoder,
            Self::Zlib(encoder) => encoder,
        }
    }

    fn sink(&mut self) -> &mut Sink {
        match self {
            Self::Plain(sink) => sink,
            Self::Gzip(encoder) => encoder.get_mut(),
            Self::Zlib(encoder) => encoder.get_mut(),
        }
    }

    /// Writes what the encoder still holds.
    fn try_finish(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Gzip(encoder) => encoder.try_finish(),
            Self::Zlib(encoder) => encoder.try_finish(),
        }
    }

    /// The file, once the encoder has finished.
    fn into_sink(self) -> io::Result<Sink> {
        match self {
            Self::Plain(sink) => Ok(sink),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zlib(encoder) => encoder.finish(),
        }
    }
}

/// Writes the records of a file in order.
pub struct RecordWriter {
    /// Nothing once writing has failed.
    file: Option<Packed>,
    name: String,
    records: u64,
}

impl RecordWriter {
    /// Begins a file in place of the one that may be there, which stays until [`finish`](Self::finish). `level` is from 0 to 9, from fast
    /// to small.
    ///
    /// # Errors
    /// What the file system refuses, such as a folder that is not there.
    pub fn create(path: &Path, compression: Compression, level: u32, sync: bool) -> Result<Self> {
        let file = Temporary::create(path, &Options { sync, ..Options::default() })?;
        let sink = Sink { file, buffer: Vec::with_capacity(BUFFER), offset: 0, failed: None };
        let level = flate2::Compression::new(level.min(9));
        let file = match compression {
            Compression::None => Packed::Plain(sink),
            Compression::Gzip => Packed::Gzip(GzEncoder::new(sink, level)),
            Compression::Zlib => Packed::Zlib(ZlibEncoder::new(sink, level)),
        };
        Ok(Self { file: Some(file), name: path.display().to_string(), records: 0 })
    }

    /// How many records were written.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// One more record.
    ///
    /// # Errors
    /// What the file system refuses, such as a full disk; then the file is removed, and nothing more can be written.
    pub fn write(&mut self, record: &[u8]) -> Result<()> {
        let length = (record.len() as u64).to_le_bytes();
        let [head, tail] = [&length[..], record].map(|bytes| checksum::mask(checksum::of(bytes)).to_le_bytes());
        self.all([&length, &head, record, &tail])?;
        self.records += 1;
        Ok(())
    }

    fn all(&mut self, parts: [&[u8]; 4]) -> Result<()> {
        self.with(|file| parts.iter().try_for_each(|part| file.writer().write_all(part)))
    }

    /// Hands all records that were written to the system, also those that an encoder holds.
    ///
    /// # Errors
    /// See [`write`](Self::write).
    pub fn flush(&mut self) -> Result<()> {
        self.with(|file| file.writer().flush())
    }

    fn with(&mut self, act: impl FnOnce(&mut Packed) -> io::Result<()>) -> Result<()> {
        let Some(file) = &mut self.file else {
            return Err(Error::failed_precondition(self.name.clone(), "nothing can be written after a failure"));
        };
        match act(file) {
            Ok(()) => Ok(()),
            Err(e) => {
                let told = file.sink().failed.take();
                self.file = None;
                Err(told.unwrap_or_else(|| Error::internal(self.name.clone(), format!("cannot be packed: {e}"))))
            }
        }
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// See [`write`](Self::write).
    pub fn finish(mut self) -> Result<()> {
        self.with(|file| {
            file.try_finish()?;
            file.sink().flush()
        })?;
        let Some(file) = self.file.take() else {
            return Err(Error::internal(self.name.clone(), "a file is finished twice"));
        };
        let sink = file.into_sink().map_err(|e| Error::internal(self.name.clone(), e.to_string()))?;
        let mut file = sink.file;
        file.finish()?;
        file.rename()
    }
}
