//! A lock on a directory, so that processes that save into it take turns.
//! Those who write several files that belong together hold it, and only they may remove what a crash has left.

use super::error;
use kernels::error::{Error, Result};
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// The name of the file that carries the lock. It is never removed: another process may be waiting on it.
const NAME: &str = ".eagerflow.lock";

/// The right to write into a directory, until it is dropped or the process ends.
///
/// It binds only those who ask for it: other programs, such as TensorFlow, do not. It is not the thread's: two locks of one process
/// exclude each other too, so that a thread that asks twice waits for itself.
#[derive(Debug)]
pub struct DirectoryLock {
    /// Closing it gives the lock back.
    _file: File,
}

impl DirectoryLock {
    /// Waits until nobody else has the lock.
    ///
    /// # Errors
    /// If the directory is not there or cannot be written; `Unimplemented` on file systems without locks.
    pub fn lock(directory: &Path) -> Result<Self> {
        let (path, file) = open(directory)?;
        file.lock().map_err(|e| error(&path, "cannot be locked", e))?;
        Ok(Self { _file: file })
    }

    /// Takes the lock if nobody else has it.
    ///
    /// # Errors
    /// See [`DirectoryLock::lock`].
    pub fn try_lock(directory: &Path) -> Result<Option<Self>> {
        let (path, file) = open(directory)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(error(&path, "cannot be locked", e)),
        }
    }
}

/// The right to make one file, until it is dropped or the process ends. It lies in a hidden file beside it, `.<name>.lock`, which stays.
#[derive(Debug)]
pub struct FileLock {
    /// Closing it gives the lock back.
    _file: File,
}

impl FileLock {
    /// Takes the lock if nobody else has it, in this process or another.
    ///
    /// # Errors
    /// If the file's folder is not there or cannot be written; `Unimplemented` on file systems without locks.
    pub fn try_lock(target: &Path) -> Result<Option<Self>> {
        let Some(name) = target.file_name() else {
            return Err(Error::invalid_argument(target.display().to_string(), "is no name of a file"));
        };
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(".lock");
        let (path, file) = open_at(target.with_file_name(hidden))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(error(&path, "cannot be locked", e)),
        }
    }
}

fn open(directory: &Path) -> Result<(PathBuf, File)> {
    open_at(directory.join(NAME))
}

fn open_at(path: PathBuf) -> Result<(PathBuf, File)> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|e| error(&path, "cannot be opened", e))?;
    Ok((path, file))
}
