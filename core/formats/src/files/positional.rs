//! Reads and writes at an offset that go on until all bytes have moved, without a cursor that threads would share.
//! Readers and writers of all formats use them on one open file.

use super::error;
use kernels::error::{Error, Result};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Fills a buffer from an offset on.
///
/// # Errors
/// Of the kind `UnexpectedEof` if the file ends before.
pub fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match read_at(file, buffer, offset) {
            Ok(0) => return Err(io::Error::new(ErrorKind::UnexpectedEof, "the file ends too early")),
            Ok(n) => {
                buffer = &mut buffer[n..];
                offset += n as u64;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Writes all bytes from an offset on.
///
/// # Errors
/// What the operating system refuses; a part of the bytes may be written then.
pub fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match write_at(file, bytes, offset) {
            Ok(0) => return Err(io::Error::new(ErrorKind::WriteZero, "the file takes no more bytes")),
            Ok(n) => {
                bytes = &bytes[n..];
                offset += n as u64;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Gives a file its blocks at once, which is faster than block by block with each write, and finds out before the first byte that a
/// disk is full. Its length stays. Other systems than Linux, and file systems that cannot, give blocks when they are written.
///
/// # Errors
/// Of the kinds `StorageFull` and `QuotaExceeded`.
#[cfg(target_os = "linux")]
pub(super) fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    let reserved = rustix::fs::fallocate(file, rustix::fs::FallocateFlags::KEEP_SIZE, 0, bytes);
    match reserved.map_err(io::Error::from) {
        Err(e) if matches!(e.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => Err(e),
        _ => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn reserve(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}

/// The bytes of a file that is read at once.
pub(crate) fn whole_file(path: &Path) -> Result<Vec<u8>> {
    let failed = |e| error(path, "cannot be opened", e);
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(Error::failed_precondition(path.display().to_string(), "is no file"));
    }
    let mut bytes = Vec::new();
    let length = usize::try_from(metadata.len()).ok().filter(|&n| bytes.try_reserve_exact(n).is_ok());
    let length = length.ok_or_else(|| {
        Error::resource_exhausted(path.display().to_string(), "does not fit in memory").got(metadata.len())
    })?;
    bytes.resize(length, 0);
    read_exact_at(&file, &mut bytes, 0).map_err(|e| error(path, "cannot be read", e))?;
    Ok(bytes)
}

#[cfg(unix)]
use std::os::unix::fs::FileExt;
#[cfg(windows)]
use std::os::windows::fs::FileExt;

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    file.write_at(bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

#[cfg(windows)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    file.seek_write(bytes, offset)
}
