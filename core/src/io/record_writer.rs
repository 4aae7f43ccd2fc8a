//! [`TFRecordWriter`]: writes TensorFlow's record files, plain or compressed.
//! Users write their records with it; `tf::data::TFRecordDataset` and TensorFlow read them.

use engine::library::OrFail;
use engine::library::options::options;
use engine::{Error, Result};
use formats::records::{Compression, RecordWriter};
use std::fmt;
use std::panic::Location;
use std::path::{Path, PathBuf};

/// How record files are written; a [`Compression`] stands for the options with it.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::Compression;
/// let options = tf::io::TFRecordOptions::new().compression(Compression::Gzip).compression_level(9);
/// # assert_ne!(options, tf::io::TFRecordOptions::new());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TFRecordOptions {
    compression: Compression,
    level: u32,
}

impl TFRecordOptions {
    /// No compression.
    pub fn new() -> Self {
        Self { compression: Compression::None, level: 6 }
    }

    /// How the file is packed.
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }
}

options! { TFRecordOptions:
    /// From 0, fast, to 9, small; 6 unless this says otherwise.
    pub fn compression_level, try_compression_level(options, level: u32) {
        if level > 9 {
            return Err(Error::invalid_argument("TFRecordOptions", "`compression_level` is out of range")
                .got(level)
                .expected("a number from 0 to 9"));
        }
        options.level = level;
        Ok(options)
    }
}

impl Default for TFRecordOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Compression> for TFRecordOptions {
    fn from(compression: Compression) -> Self {
        Self::new().compression(compression)
    }
}

/// Writes the records of a file in order: TensorFlow's `tf.io.TFRecordWriter`.
///
/// The file grows under a temporary name in its folder and has its own from [`close`](Self::close) on, in place of the one that may have
/// been there: nobody reads a part of it, where TensorFlow writes into the file itself. Dropping the writer closes the file too, unless
/// the thread panics: then the temporary file is removed, and what was there stays. A drop cannot answer an error; `close` does.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{Compression, TFRecordDataset};
/// let path = std::env::temp_dir().join(format!("eagerflow-writer-{}.gz", std::process::id()));
/// let mut writer = tf::io::TFRecordWriter::with(&path, Compression::Gzip);
/// writer.write([0xff, 0]);
/// writer.write("text");
/// writer.close();
/// let records = TFRecordDataset::with(&path, Compression::Gzip);
/// assert_eq!(records.iter().map(|r| r.to_byte_strings().concat()).collect::<Vec<_>>(), [&[0xff, 0][..], b"text"]);
/// # std::fs::remove_file(path).unwrap();
/// ```
pub struct TFRecordWriter {
    path: PathBuf,
    /// Nothing once it was closed.
    writer: Option<RecordWriter>,
}

impl TFRecordWriter {
    /// Begins a file without compression.
    ///
    /// # Panics
    /// As [`try_with`](Self::try_with) fails.
    #[track_caller]
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self::try_with(path, TFRecordOptions::new()).or_fail()
    }

    /// Begins a file without compression.
    ///
    /// # Errors
    /// See [`try_with`](Self::try_with).
    #[track_caller]
    pub fn try_new(path: impl AsRef<Path>) -> Result<Self> {
        Self::try_with(path, TFRecordOptions::new())
    }

    /// Begins a file with options.
    ///
    /// # Panics
    /// As [`try_with`](Self::try_with) fails.
    #[track_caller]
    pub fn with(path: impl AsRef<Path>, options: impl Into<TFRecordOptions>) -> Self {
        Self::try_with(path, options).or_fail()
    }

    /// Begins a file with options.
    ///
    /// # Errors
    /// What the file system refuses, such as a folder that is not there.
    #[track_caller]
    pub fn try_with(path: impl AsRef<Path>, options: impl Into<TFRecordOptions>) -> Result<Self> {
        let here = Location::caller();
        let TFRecordOptions { compression, level } = options.into();
        let path = path.as_ref();
        let writer = RecordWriter::create(path, compression, level, true).map_err(|e| e.at(here))?;
        Ok(Self { path: path.to_owned(), writer: Some(writer) })
    }

    /// Writes a record: bytes or text.
    ///
    /// # Panics
    /// As [`try_write`](Self::try_write) fails.
    #[track_caller]
    pub fn write(&mut self, record: impl AsRef<[u8]>) {
        self.try_write(record).or_fail();
    }

    /// Writes a record.
    ///
    /// # Errors
    /// What the file system refuses, such as a full disk, after which nothing more can be written; FailedPrecondition after
    /// [`close`](Self::close).
    #[track_caller]
    pub fn try_write(&mut self, record: impl AsRef<[u8]>) -> Result<()> {
        let here = Location::caller();
        self.writer().and_then(|writer| writer.write(record.as_ref())).map_err(|e| e.at(here))
    }

    /// Hands the records that were written to the system, under the temporary name.
    ///
    /// # Panics
    /// As [`try_flush`](Self::try_flush) fails.
    #[track_caller]
    pub fn flush(&mut self) {
        self.try_flush().or_fail();
    }

    /// Hands the records that were written to the system.
    ///
    /// # Errors
    /// See [`try_write`](Self::try_write).
    #[track_caller]
    pub fn try_flush(&mut self) -> Result<()> {
        let here = Location::caller();
        self.writer().and_then(RecordWriter::flush).map_err(|e| e.at(here))
    }

    /// Ends the file and gives it its name. Closing it again does nothing.
    ///
    /// # Panics
    /// As [`try_close`](Self::try_close) fails.
    #[track_caller]
    pub fn close(&mut self) {
        self.try_close().or_fail();
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// What the file system refuses; the temporary file is removed then.
    #[track_caller]
    pub fn try_close(&mut self) -> Result<()> {
        let here = Location::caller();
        self.writer.take().map_or(Ok(()), RecordWriter::finish).map_err(|e| e.at(here))
    }

    fn writer(&mut self) -> Result<&mut RecordWriter> {
        let closed = || Error::failed_precondition(self.path.display().to_string(), "the writer was closed");
        self.writer.as_mut().ok_or_else(closed)
    }
}

impl Drop for TFRecordWriter {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // There is nobody to tell.
            let _ = self.try_close();
        }
    }
}

impl fmt::Debug for TFRecordWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let records = self.writer.as_ref().map(RecordWriter::records);
        f.debug_struct("TFRecordWriter").field("path", &self.path).field("records", &records).finish()
    }
}
