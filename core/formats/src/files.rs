//! Files that are replaced whole or not at all, and what happened to them in an error that names them.
//! All formats write through a [`Storage`], so that a test can record what they ask of it and play a crash after every step.
//!
//! A file grows under a temporary name in its own directory, is synced, and is renamed. Whoever reads sees the old file or the new
//! one, also after a crash; see [`Options::sync`].
//!
//! A process whose file size is limited (`ulimit -f`) is killed by `SIGXFSZ` when it writes on, unless it ignores that signal; then
//! the write fails with [`Error::ResourceExhausted`](kernels::error::Error::ResourceExhausted) as it does on a full disk. The library
//! does not change a program's signals.

mod errors;
mod lock;
mod matching;
mod positional;
#[cfg(any(test, feature = "testing"))]
pub mod recording;
mod temporary;

pub use errors::error;
pub use lock::{DirectoryLock, FileLock};
pub use matching::matching;
pub(crate) use positional::whole_file;
pub use positional::{read_exact_at, write_all_at};
pub use temporary::{Temporary, TemporaryNames, is_temporary, remove_leftovers};

use kernels::error::Result;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// All that the formats ask of a file system in order to write.
pub trait Storage: Sync {
    /// Makes a file that is not there yet.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>>;
    /// Gives a file another name, in place of the file that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Waits until the names in a directory would survive a loss of power.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;
}

/// A file that is being written.
pub trait Output: Send + Sync {
    /// Writes all of the bytes, the first at an offset. Several threads may do so at once.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// Waits until the bytes would survive a loss of power.
    fn sync(&self) -> io::Result<()>;
    /// Asks for room for so many bytes that will be written. The file does not grow by it.
    fn reserve(&self, _bytes: u64) -> io::Result<()> {
        Ok(())
    }
}

/// The file system of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Storage for Disk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>> {
        Ok(Box::new(File::create_new(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    /// Windows gives no handle of a directory, its renames are in the journal; some file systems of networks sync no directories.
    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        if !cfg!(unix) {
            return Ok(());
        }
        match File::open(path)?.sync_all() {
            Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
            synced => synced,
        }
    }
}

impl Output for File {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        write_all_at(self, bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_all()
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        positional::reserve(self, bytes)
    }
}

/// How files are written.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Whether to wait for the disk, so that what is there after a loss of power is whole too. Without it, a file is still
    /// replaced at once for all processes, but a crash of the machine may leave it empty.
    pub sync: bool,
    /// Threads that write; 0 for as many as help.
    pub threads: usize,
    /// Where files are.
    pub storage: &'a dyn Storage,
}

impl Default for Options<'static> {
    fn default() -> Self {
        Self { sync: true, threads: 0, storage: &Disk }
    }
}

/// The directory in which a file lies, also for a bare name.
pub(crate) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Puts a file with these bytes where another may be.
///
/// # Errors
/// What the file system refuses; the old file is untouched then.
pub fn replace(path: &Path, bytes: &[u8], options: &Options<'_>) -> Result<()> {
    let mut file = Temporary::create(path, options)?;
    file.write_all_at(bytes, 0)?;
    file.finish()?;
    file.rename()?;
    sync_directory_of(path, options)
}

/// Syncs the directory of a file, if files are synced.
pub(crate) fn sync_directory_of(path: &Path, options: &Options<'_>) -> Result<()> {
    if !options.sync {
        return Ok(());
    }
    let directory = directory_of(path);
    options.storage.sync_directory(directory).map_err(|e| error(directory, "the directory cannot be synced", e))
}

#[cfg(test)]
mod tests;
