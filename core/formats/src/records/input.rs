//! [`Input`]: the bytes of a file, unpacked where it is compressed, through one buffer that grows only with bytes that came.
//! Readers of records ask it for so many bytes ahead, and move on by what they have used.

use crate::files;
use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use kernels::error::{Error, Result};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A buffer that has become larger than this for one long record is given back after it.
const LARGE: usize = 16 << 20;

/// How the bytes of a file are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// A gzip file of one member or several.
    Gzip,
    /// A zlib stream.
    Zlib,
}

/// Where packed bytes come from.
enum Source {
    Plain(File),
    Gzip(MultiGzDecoder<BufReader<File>>),
    Zlib(ZlibDecoder<BufReader<File>>),
    /// A compressed file without a byte, which holds nothing.
    Empty,
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(buffer),
            Self::Gzip(decoder) => decoder.read(buffer),
            Self::Zlib(decoder) => match decoder.read(buffer)? {
                0 if !buffer.is_empty() && !decoder.get_mut().fill_buf()?.is_empty() => {
                    Err(io::Error::new(ErrorKind::InvalidData, "bytes follow the end of the zlib stream"))
                }
                count => Ok(count),
            },
            Self::Empty => Ok(0),
        }
    }
}

/// The bytes of a file in order.
pub struct Input {
    path: PathBuf,
    source: Source,
    /// Its bytes from `start` to `end` wait to be used.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Of the first byte that waits.
    offset: u64,
    ended: bool,
    /// How many bytes the buffer has without long records.
    size: usize,
}

impl Input {
    /// Opens a file at an offset of its unpacked bytes: a plain file is read from there, a compressed one is read over.
    ///
    /// # Errors
    /// What the file system refuses; FailedPrecondition for what is no file; DataLoss if the file ends before the offset.
    pub fn open(path: &Path, compression: Compression, buffer: usize, offset: u64) -> Result<Self> {
        let failed = |e| files::error(path, "cannot be opened", e);
        let mut file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(Error::failed_precondition(path.display().to_string(), "is a folder, and no file"));
        }
        let mut passed = 0;
        let source = match compression {
            Compression::None => {
                if metadata.is_file() && metadata.len() < offset {
                    return Err(shorter(path, metadata.len(), offset));
                }
                if offset > 0 {
                    passed = file.seek(SeekFrom::Start(offset)).map_err(|e| files::error(path, "cannot be read", e))?;
                }
                Source::Plain(file)
            }
            packed => {
                let mut file = BufReader::with_capacity(buffer.clamp(1 << 10, BUFFER_OF_PACKED), file);
                match file.fill_buf().map_err(|e| files::error(path, "cannot be read", e))?.is_empty() {
                    true => Source::Empty,
                    false if packed == Compression::Gzip => Source::Gzip(MultiGzDecoder::new(file)),
                    false => Source::Zlib(ZlibDecoder::new(file)),
                }
            }
        };
        let size = buffer.max(64);
        let (path, buffer) = (path.to_owned(), Vec::new());
        let mut input = Self { path, source, buffer, start: 0, end: 0, offset: passed, ended: false, size };
        while input.offset < offset {
            let left = usize::try_from(offset - input.offset).unwrap_or(usize::MAX);
            match input.ahead(1)?.min(left) {
                0 => return Err(shorter(&input.path, input.offset, offset)),
                count => input.used(count),
            }
        }
        Ok(input)
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file's name for messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The offset of the first byte that waits.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes that wait.
    pub fn waiting(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Moves on by bytes that wait.
    pub fn used(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// Reads until so many bytes wait, if there are so many: answers how many there are, less only at the end of the file.
    ///
    /// # Errors
    /// DataLoss for damaged compressed bytes; what the file system refuses; ResourceExhausted if memory does.
    #[inline]
    pub fn ahead(&mut self, count: usize) -> Result<usize> {
        if self.end - self.start < count && !self.ended {
            self.fill(count)?;
        }
        Ok(self.end - self.start)
    }

    #[cold]
    fn fill(&mut self, count: usize) -> Result<()> {
        while self.end - self.start < count && !self.ended {
            self.make_room()?;
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(self.failed(e)),
            }
        }
        Ok(())
    }

    /// Room for at least a byte behind those that wait. The buffer becomes larger only when it is full of them.
    fn make_room(&mut self) -> Result<()> {
        let waiting = self.start..self.end;
        if self.start > 0 {
            (self.start, self.end) = (0, waiting.len());
            self.buffer.copy_within(waiting, 0);
        }
        if self.buffer.len() > self.size.max(LARGE) && self.end < self.size {
            self.buffer.truncate(self.size);
            self.buffer.shrink_to_fit();
        }
        if self.end == self.buffer.len() {
            let more = self.buffer.len().max(self.size);
            self.buffer.try_reserve_exact(more).map_err(|_| {
                Error::resource_exhausted(self.name(), "a record does not fit in memory")
                    .got(format!("more than {} bytes from byte {} on", self.end, self.offset))
            })?;
            self.buffer.resize(self.buffer.len() + more, 0);
        }
        Ok(())
    }

    /// What a decoder or the file system answered. Only errors of the latter have a number.
    fn failed(&self, e: io::Error) -> Error {
        let form = match self.source {
            Source::Gzip(_) if e.raw_os_error().is_none() => "gzip",
            Source::Zlib(_) if e.raw_os_error().is_none() => "zlib",
            _ => return files::error(&self.path, "cannot be read", e),
        };
        let what = match e.kind() {
            ErrorKind::UnexpectedEof => format!("the {form} stream is cut off"),
            _ => format!("the {form} stream is damaged: {e}"),
        };
        let read = self.offset + (self.end - self.start) as u64;
        Error::data_loss(self.name(), what)
            .got(format!("{read} good bytes once unpacked"))
            .expected(format!("a whole {form} stream"))
    }
}

/// Packed bytes that are read at a time, at most.
const BUFFER_OF_PACKED: usize = 64 << 10;

fn shorter(path: &Path, got: u64, expected: u64) -> Error {
    Error::data_loss(path.display().to_string(), "the file is shorter than it was")
        .got(format!("{got} bytes"))
        .expected(format!("at least the {expected} that were read of it before"))
}
