//! Reader of IDX files, the format of the MNIST digits: a magic number, the dimensions, and big-endian elements.
//! The digit data sets call [`IdxFile::read`] on their downloads, plain or compressed with gzip.

use crate::tensor::Tensor;
use flate2::read::MultiGzDecoder;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::fs;
use std::io::{ErrorKind, Read};
use std::panic::Location;
use std::path::Path;

/// The greatest number of dimensions a file may have; the format would allow 255.
const MAX_RANK: usize = 8;

/// Bytes by which a buffer may grow ahead of the data: a false size in a header must not take the memory away.
const STEP: usize = 1 << 20;

/// The contents of an IDX file.
///
/// ```
/// use eagerflow as tf;
/// let error = tf::data::IdxFile::parse(b"<html>", "digits.gz").unwrap_err();
/// assert!(error.to_string().contains("no IDX file"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdxFile {
    /// The element type: `uint8`, `int8`, `int16`, `int32`, `float32` or `float64`.
    pub dtype: DType,
    /// The dimensions, outermost first; at least one.
    pub shape: Vec<usize>,
    /// The elements in row-major order, in the byte order of this machine.
    pub data: Vec<u8>,
}

impl IdxFile {
    /// Reads the file at `path`, decompressing it if it begins as gzip does.
    ///
    /// # Errors
    /// `NotFound` and `PermissionDenied` as the system reports them, and those of [`IdxFile::parse`].
    #[track_caller]
    pub fn read(path: &Path) -> Result<Self> {
        let here = Location::caller();
        let name = path.display().to_string();
        let bytes = fs::read(path).map_err(|e| io_error(&e, &name).at(here))?;
        Self::parse(&bytes, &name)
    }

    /// Reads a file's bytes, plain or gzip; `name` is what error messages call it.
    ///
    /// # Errors
    /// `DataLoss` where the bytes are cut off, damaged or too many, `InvalidArgument` where they are no IDX file at
    /// all, and `Unimplemented` where the rank is over 8.
    #[track_caller]
    pub fn parse(bytes: &[u8], name: &str) -> Result<Self> {
        let here = Location::caller();
        let parsed = match bytes.starts_with(&[0x1F, 0x8B]) {
            true => Self::decode(MultiGzDecoder::new(bytes), name),
            false => Self::decode(bytes, name),
        };
        parsed.map_err(|e| e.at(here))
    }

    /// The contents as a tensor; bytes are not copied.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let file = [0, 0, 0x08, 2, 0, 0, 0, 1, 0, 0, 0, 3, 7, 8, 9];
    /// let tensor = tf::data::IdxFile::parse(&file, "three.idx")?.into_tensor()?;
    /// assert_eq!((tensor.shape().to_string(), tensor.to_vec::<u8>()), ("[1, 3]".into(), vec![7, 8, 9]));
    /// # Ok::<(), tf::Error>(())
    /// ```
    ///
    /// # Errors
    /// InvalidArgument where `data` was changed and no longer fits `shape` and `dtype`.
    #[track_caller]
    pub fn into_tensor(self) -> Result<Tensor> {
        macro_rules! numbers {
            ($t:ty) => {{
                let (words, rest) = self.data.as_chunks::<{ size_of::<$t>() }>();
                if !rest.is_empty() {
                    return Err(Error::invalid_argument("into_tensor", "the data end within an element").got(format!(
                        "{} bytes of {}",
                        self.data.len(),
                        self.dtype
                    )));
                }
                Tensor::try_from_vec(words.iter().map(|&w| <$t>::from_ne_bytes(w)).collect(), self.shape)
            }};
        }
        match self.dtype {
            DType::U8 => Tensor::try_from_vec(self.data, self.shape),
            DType::I8 => numbers!(i8),
            DType::I16 => numbers!(i16),
            DType::I32 => numbers!(i32),
            DType::F32 => numbers!(f32),
            DType::F64 => numbers!(f64),
            other => Err(Error::invalid_argument("into_tensor", "no IDX file holds this element type").got(other)),
        }
    }

    fn decode(mut source: impl Read, name: &str) -> Result<Self> {
        let magic = take(&mut source, 4, "the magic number", name)?;
        let (dtype, rank) = parse_magic([magic[0], magic[1], magic[2], magic[3]], name)?;
        let dims = take(&mut source, 4 * rank, "the dimensions", name)?;
        let shape: Vec<usize> =
            dims.chunks_exact(4).map(|d| u32::from_be_bytes([d[0], d[1], d[2], d[3]]) as usize).collect();
        let size = shape.iter().try_fold(dtype.size(), |size, &dim| size.checked_mul(dim)).ok_or_else(|| {
            Error::data_loss(name, "the dimensions of the IDX file give more bytes than this machine can address")
                .got(format!("shape {shape:?} of {dtype}"))
                .help("the header is damaged: fetch the file again")
        })?;
        let mut data = take(&mut source, size, &format!("the elements of shape {shape:?} and type {dtype}"), name)?;
        let mut more = [0; 1];
        // At the end of a gzip stream this read is also what checks its sum.
        if read_some(&mut source, &mut more, name)? != 0 {
            return Err(Error::data_loss(name, "there are bytes after the last element of the IDX file")
                .got("more bytes than that")
                .expected(format!("{size} bytes of elements for shape {shape:?} of {dtype}, and the end of the file"))
                .help("the header does not belong to the data: fetch the file again"));
        }
        if cfg!(target_endian = "little") {
            data.chunks_exact_mut(dtype.size()).for_each(<[u8]>::reverse);
        }
        Ok(Self { dtype, shape, data })
    }
}

/// The element type and the rank of a magic number.
fn parse_magic(magic: [u8; 4], name: &str) -> Result<(DType, usize)> {
    let [zero0, zero1, code, rank] = magic;
    let got = format!("bytes {zero0:#04x} {zero1:#04x} {code:#04x} {rank:#04x}");
    let refuse = |what: &str| Error::invalid_argument(name, what).got(&got);
    if (zero0, zero1) != (0, 0) {
        return Err(refuse("this is no IDX file")
            .expected("two zero bytes, a type code and the rank at the beginning (or a gzip file of that)")
            .help("a web page saved in place of the file begins like this too: look at its first lines"));
    }
    let dtype = match code {
        0x08 => DType::U8,
        0x09 => DType::I8,
        0x0B => DType::I16,
        0x0C => DType::I32,
        0x0D => DType::F32,
        0x0E => DType::F64,
        _ => {
            return Err(refuse("the IDX file has an unknown element type").expected(
                "0x08 (uint8), 0x09 (int8), 0x0b (int16), 0x0c (int32), 0x0d (float32) or 0x0e (float64) as third byte",
            ));
        }
    };
    match usize::from(rank) {
        0 => Err(refuse("the IDX file has no dimensions").expected(format!("1 to {MAX_RANK} as fourth byte"))),
        rank @ 1..=MAX_RANK => Ok((dtype, rank)),
        rank => Err(Error::unimplemented(name, "the IDX file has too many dimensions")
            .got(format!("rank {rank}"))
            .expected(format!("rank 1 to {MAX_RANK}"))),
    }
}

/// Exactly `count` bytes; `part` says what they are.
fn take(source: &mut impl Read, count: usize, part: &str, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while bytes.len() < count {
        let begin = bytes.len();
        // The buffer follows the data that is there, in steps that double: never the size that the header claims.
        let step = (count - begin).min(begin.max(STEP));
        if bytes.try_reserve(step).is_err() {
            return Err(Error::resource_exhausted(name, "there is no memory for the contents of the IDX file")
                .got(format!("{count} bytes of {part}")));
        }
        bytes.resize(begin + step, 0);
        let got = read_some(source, &mut bytes[begin..], name)?;
        bytes.truncate(begin + got);
        if got < step {
            return Err(Error::data_loss(name, format!("the IDX file ends within {part}"))
                .got(format!("{} bytes", bytes.len()))
                .expected(format!("{count} bytes"))
                .help("the file is cut off, as by a broken download: fetch it again"));
        }
    }
    Ok(bytes)
}

/// Fills `buffer` as far as the source goes.
fn read_some(source: &mut impl Read, buffer: &mut [u8], name: &str) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => {
                return Err(Error::data_loss(name, "the gzip data of the IDX file is damaged or cut off")
                    .got(e)
                    .help("fetch the file again, or decompress it with gzip to see where it breaks"));
            }
        }
    }
    Ok(filled)
}

/// The error of a file that could not be opened or read.
fn io_error(e: &std::io::Error, name: &str) -> Error {
    match e.kind() {
        ErrorKind::NotFound => {
            Error::not_found(name, "there is no such file").help("check the path, or fetch the data set first")
        }
        ErrorKind::PermissionDenied => Error::permission_denied(name, "the file may not be read"),
        _ => Error::failed_precondition(name, "the file could not be read").got(e),
    }
}

#[cfg(test)]
#[path = "idx_tests.rs"]
mod tests;
