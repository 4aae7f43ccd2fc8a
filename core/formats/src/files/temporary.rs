//! A file under a temporary name, which becomes another by a rename, or is removed when it is dropped before.
//! Its name tells what it is: after a crash, whoever has the directory's lock finds it by [`is_temporary`].

use super::{Options, Output, Storage, directory_of, error};
use kernels::error::{Error, Result};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// What stands between a file's name and the number of a temporary one.
const MARK: &str = ".tmp-";

/// Numbers for temporary names that no other thread of this process takes; another process with the same id, as in another
/// container, may, so that a name that is there already is passed over.
#[derive(Clone, Debug)]
pub struct TemporaryNames {
    suffix: String,
}

impl TemporaryNames {
    /// The next number of this process.
    pub fn next() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self { suffix: format!("{MARK}{}-{count}", process::id()) }
    }

    /// The temporary name of a file.
    pub fn of(&self, target: &Path) -> PathBuf {
        let mut name = target.as_os_str().to_owned();
        name.push(&self.suffix);
        name.into()
    }

    /// The file of a temporary name, and the number; `None` for other names.
    pub fn parse(path: &Path) -> Option<(PathBuf, Self)> {
        let name = path.file_name()?.to_str()?;
        let at = name.rfind(MARK).filter(|&at| at > 0)?;
        let (pid, count) = name[at + MARK.len()..].split_once('-')?;
        let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        (number(pid) && number(count))
            .then(|| (path.with_file_name(&name[..at]), Self { suffix: name[at..].to_owned() }))
    }
}

/// Whether a file's name is one of those that are used while a file is written: `<name>.tmp-<process>-<count>`.
///
/// ```
/// use eagerflow_formats::files::is_temporary;
/// assert!(is_temporary("a/ck-1.index.tmp-4711-3".as_ref()));
/// assert!(!is_temporary("a/ck-1.index".as_ref()));
/// ```
pub fn is_temporary(path: &Path) -> bool {
    TemporaryNames::parse(path).is_some()
}

/// Removes what was left of a file that a process was killed over. Only who has the right to write the file may do so.
///
/// # Errors
/// What the file system refuses.
pub fn remove_leftovers(target: &Path) -> Result<()> {
    let directory = directory_of(target);
    let failed = |e| error(directory, "the folder cannot be read", e);
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if TemporaryNames::parse(&path).is_some_and(|(of, _)| of.file_name() == target.file_name()) {
            std::fs::remove_file(&path).map_err(|e| error(&path, "cannot be removed", e))?;
        }
    }
    Ok(())
}

/// A file that is being written under a temporary name.
pub struct Temporary<'a> {
    path: PathBuf,
    target: PathBuf,
    output: Option<Box<dyn Output>>,
    sync: bool,
    storage: &'a dyn Storage,
    /// Whether it is removed when it is dropped.
    pending: bool,
}

impl<'a> Temporary<'a> {
    /// Makes the file that will become `target`.
    ///
    /// # Errors
    /// What the file system refuses, such as a directory that is not there.
    pub fn create(target: &Path, options: &Options<'a>) -> Result<Self> {
        loop {
            if let Some(file) = Self::create_named(target, &TemporaryNames::next(), options)? {
                return Ok(file);
            }
        }
    }

    /// Makes the file with a given number; `None` if there is one of that name, left by a crash or by another machine.
    ///
    /// # Errors
    /// See [`Temporary::create`].
    pub fn create_named(target: &Path, names: &TemporaryNames, options: &Options<'a>) -> Result<Option<Self>> {
        if target.file_name().is_none() {
            return Err(Error::invalid_argument(target.display().to_string(), "is no name of a file"));
        }
        let path = names.of(target);
        let output = match options.storage.create(&path) {
            Ok(output) => output,
            Err(e) if e.kind() == ErrorKind::AlreadyExists => return Ok(None),
            Err(e) => return Err(error(target, "cannot be written", e)),
        };
        let Options { sync, storage, .. } = *options;
        Ok(Some(Self { path, target: target.to_owned(), output: Some(output), sync, storage, pending: true }))
    }

    /// Asks for room for so many bytes, all that will be written.
    ///
    /// # Errors
    /// A full disk.
    pub fn reserve(&self, bytes: u64) -> Result<()> {
        let reserved = self.output.as_ref().map_or(Ok(()), |output| output.reserve(bytes));
        reserved.map_err(|e| error(&self.target, "cannot be written", e))
    }

    /// Writes all of the bytes, the first at an offset.
    ///
    /// # Errors
    /// What the file system refuses, such as a full disk.
    pub fn write_all_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let Some(output) = &self.output else {
            return Err(Error::internal(self.name(), "is written after it was finished"));
        };
        output.write_all_at(bytes, offset).map_err(|e| error(&self.target, "cannot be written", e))
    }

    /// Syncs the file, if files are synced, and closes it.
    ///
    /// # Errors
    /// What the file system refuses: some disks are found to be full only here.
    pub fn finish(&mut self) -> Result<()> {
        match self.output.take() {
            Some(output) if self.sync => output.sync().map_err(|e| error(&self.target, "cannot be synced", e)),
            _ => Ok(()),
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// What the file system refuses; the file is removed then.
    pub fn rename(mut self) -> Result<()> {
        self.output = None;
        self.storage
            .rename(&self.path, &self.target)
            .map_err(|e| error(&self.target, "cannot take the place of the file before", e))?;
        self.pending = false;
        Ok(())
    }

    /// Leaves the file where it is: from now on it is no longer removed when it is dropped.
    pub fn keep(&mut self) {
        self.pending = false;
    }

    /// The name of what it will be, for errors.
    pub fn name(&self) -> String {
        self.target.display().to_string()
    }

    /// The temporary name, for messages.
    pub fn temporary_name(&self) -> OsString {
        self.path.as_os_str().to_owned()
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        self.output = None;
        if self.pending {
            // There is nobody to tell; the name says what the file is to whoever tidies the directory.
            let _ = self.storage.remove(&self.path);
        }
    }
}
