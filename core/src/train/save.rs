//! Where a checkpoint goes: numbered names, the directory's lock, and the file that tells its newest checkpoint.
//! `Checkpoint` and its manager save through it, on the thread that calls or another.

use super::Checkpoint;
use super::latest::{CheckpointState, STATE_FILE};
use super::snapshot::Snapshot;
use engine::{Tensor, Variable};
use formats::bundle;
use formats::files::{self, DirectoryLock, Options};
use kernels::error::{Error, Result};
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// A numbered name in a directory whose lock is held.
pub(super) struct Destination {
    directory: PathBuf,
    path: PathBuf,
    counter: Counter,
    ours: Ours,
    _lock: DirectoryLock,
}

/// The counter of a checkpoint, and its value before the save.
#[derive(Clone)]
pub(super) struct Counter(Variable, i64);

impl Counter {
    /// Sets it back, where nothing was saved.
    pub fn give_back(&self) -> Result<()> {
        self.0.try_assign(Tensor::from(self.1))
    }
}

/// What a checkpoint has written, and since when: newer files that are not among them are another process's.
#[derive(Clone)]
pub(super) struct Ours {
    since: SystemTime,
    paths: Arc<Mutex<HashSet<PathBuf>>>,
}

impl Ours {
    pub fn new() -> Self {
        Self { since: SystemTime::now(), paths: Arc::default() }
    }

    fn paths(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether another process has saved under this path meanwhile.
    fn is_taken(&self, path: &Path) -> bool {
        let mut index = OsString::from(path);
        index.push(".index");
        let newer = std::fs::metadata(PathBuf::from(index)).and_then(|m| m.modified()).is_ok_and(|at| at > self.since);
        newer && !self.paths().contains(path)
    }
}

/// `<prefix>-<number>`.
pub(super) fn numbered(prefix: &Path, number: i64) -> PathBuf {
    let mut path = OsString::from(prefix);
    path.push(format!("-{number}"));
    PathBuf::from(path)
}

/// The directory of a prefix, which is made if it is not there.
pub(super) fn directory_of(prefix: &Path) -> Result<PathBuf> {
    let named = prefix.file_name().filter(|name| !name.is_empty());
    if named.is_none() || prefix.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(Error::invalid_argument("save", "the prefix is a directory, and has no name for the files")
            .got(format!("`{}`", prefix.display()))
            .expected("a directory and the beginning of a name, such as `checkpoints/ckpt`"));
    }
    let directory = match prefix.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    std::fs::create_dir_all(&directory).map_err(|e| files::error(&directory, "the directory cannot be made", e))?;
    Ok(directory)
}

/// Writes the files of a path, with the directory's lock held.
pub(super) fn write(path: &Path, snapshot: &Snapshot, options: &Options<'_>) -> Result<PathBuf> {
    let directory = directory_of(path)?;
    let _lock = DirectoryLock::lock(&directory)?;
    bundle::tidy(&directory, options.storage)?;
    snapshot.write(path, options)?;
    Ok(path.to_owned())
}

impl Destination {
    /// The next number of a checkpoint under a prefix, which its counter is set to, as that is saved with the rest. Numbers that another
    /// process has saved under since the checkpoint was made are passed over.
    pub fn next(checkpoint: &Checkpoint<'_>, prefix: &Path) -> Result<Self> {
        let directory = directory_of(prefix)?;
        let lock = DirectoryLock::lock(&directory)?;
        let (counter, ours) = (checkpoint.save_counter(), checkpoint.ours().clone());
        let before = count(counter)?;
        let mut number = before.saturating_add(1);
        while ours.is_taken(&numbered(prefix, number)) {
            number = number.saturating_add(1);
        }
        counter.try_assign(Tensor::from(number))?;
        let (path, counter) = (numbered(prefix, number), Counter(counter.clone(), before));
        Ok(Self { directory, path, counter, ours, _lock: lock })
    }

    /// The checkpoint's counter.
    pub fn counter(&self) -> Counter {
        self.counter.clone()
    }

    /// Writes the files, and then has `record` note them in the directory.
    pub fn write(
        self,
        snapshot: &Snapshot,
        options: &Options<'_>,
        record: impl FnOnce(&Path, &Path) -> Result<()>,
    ) -> Result<PathBuf> {
        bundle::tidy(&self.directory, options.storage)?;
        snapshot.write(&self.path, options)?;
        self.ours.paths().insert(self.path.clone());
        record(&self.directory, &self.path)?;
        Ok(self.path)
    }
}

/// Notes a checkpoint as the newest of its directory, and as the only one that is known.
pub(super) fn record_newest(directory: &Path, path: &Path, options: &Options<'_>) -> Result<()> {
    let state = CheckpointState {
        model_checkpoint_path: name_of(path),
        all_model_checkpoint_paths: vec![name_of(path)],
        ..CheckpointState::default()
    };
    state.write(&directory.join(STATE_FILE), options)
}

/// The last part of a path, as the file `checkpoint` names it.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The number in a counter.
pub(super) fn count(counter: &Variable) -> Result<i64> {
    counter.value().try_item::<i64>()
}
