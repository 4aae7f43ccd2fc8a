//! Files that are read record by record: TensorFlow's record files, lines of text, records of one length; plain or compressed.
//! The sources of data sets read them, and [`RecordWriter`] writes record files.
//!
//! Nothing that a file says of a length is trusted: memory grows with the bytes that were really there. Errors name the file, the number
//! of the record, counted from 0, and its byte offset, which is that of the unpacked bytes where the file is compressed.

mod csv;
mod fixed;
mod input;
mod lines;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use csv::{CsvReader, Dialect, Fields};
pub use fixed::{FixedReader, Layout};
pub use input::{Compression, Input};
pub use lines::LineReader;
pub use read::RecordReader;
pub use write::RecordWriter;

use kernels::error::Result;

/// How many bytes are read at a time unless somebody says otherwise: what a core's second cache holds with room to spare.
pub const BUFFER: usize = 256 << 10;

/// A place between two records of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// In bytes; of the unpacked ones where the file is compressed.
    pub offset: u64,
    /// The number of the record that comes next.
    pub record: u64,
    /// The number of the line that comes next, where records have lines; else 0.
    pub line: u64,
}

/// A file that is read record by record.
pub trait Records: Send {
    /// The next record; `None` behind the last. After an error nothing more can be read.
    ///
    /// # Errors
    /// DataLoss for bytes that are cut off or damaged; what the file system refuses.
    fn next(&mut self) -> Result<Option<&[u8]>>;

    /// Where the next record begins.
    fn position(&self) -> Position;
}
