//! Where a checkpoint goes: numbered names, the directory's lock, and the file that tells its newest checkpoint.
//! `Checkpoint` and its manager save through it, on the thread that calls or another.

use super::Checkpoint;
use super::latest::{CheckpointState, STATE_FILE, state_of};
use super::snapshot::Snapshot;
use engine::{Tensor, Variable};
use formats::bundle;
use formats::files::{self, DirectoryLock, Options};
use kernels::error::{Error, Result};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// A numbered name in a directory whose lock is held.
pub(super) struct Destination {
    directory: PathBuf,
    path: PathBuf,
    counter: Variable,
    /// What the counter was before the save.
    before: i64,
    ours: Ours,
    _lock: DirectoryLock,
}

/// A checkpoint as the order of this process knows it: what others have saved since it was made is not overwritten.
#[derive(Clone)]
pub(super) struct Ours {
    number: u64,
    since: SystemTime,
}

/// A save of this process: whose it was, which of all, and the time that its index had then.
struct Saved {
    by: u64,
    number: u64,
    at: Option<SystemTime>,
}

/// What this process has saved, by path.
static SAVED: LazyLock<Mutex<HashMap<PathBuf, Saved>>> = LazyLock::new(Mutex::default);

/// Checkpoints and saves of this process are counted together.
fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Clocks of file systems stand still for some milliseconds: a file may be a little younger than it says.
const TICK: Duration = Duration::from_millis(20);

impl Ours {
    pub fn new() -> Self {
        Self { number: next_number(), since: SystemTime::now() }
    }

    fn saved() -> MutexGuard<'static, HashMap<PathBuf, Saved>> {
        SAVED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, path: PathBuf) {
        let mut saved = Self::saved();
        if saved.len() >= 1024 && saved.len().is_power_of_two() {
            saved.retain(|path, _| bundle::exists(path));
        }
        let at = time_of(&path);
        saved.insert(path, Saved { by: self.number, number: next_number(), at });
    }

    /// Whether somebody else has saved under this path since the checkpoint was made. Of this process that is known exactly, of
    /// others by the times of the files: one that is younger than the directory's state was left by a process that was killed before
    /// it could note it, as all who save have the directory's lock until then.
    fn is_taken(&self, path: &Path) -> bool {
        let Some(at) = time_of(path) else { return false };
        match Self::saved().get(path).filter(|saved| saved.at == Some(at)) {
            Some(saved) => saved.by != self.number && saved.number > self.number,
            None => {
                at + TICK > self.since && modified(&path.with_file_name(STATE_FILE)).is_none_or(|noted| at <= noted)
            }
        }
    }
}

/// When the index of a checkpoint was written.
fn time_of(path: &Path) -> Option<SystemTime> {
    let mut index = OsString::from(path);
    index.push(".index");
    modified(Path::new(&index))
}

fn modified(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
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
        let (counter, ours) = (checkpoint.save_counter().clone(), checkpoint.ours().clone());
        let before = count(&counter)?;
        let mut number = before.saturating_add(1);
        while ours.is_taken(&resolved(&directory, &numbered(prefix, number))) {
            number = number.saturating_add(1);
        }
        counter.try_assign(Tensor::from(number))?;
        Ok(Self { path: numbered(prefix, number), directory, counter, before, ours, _lock: lock })
    }

    /// Writes the files, and then has `record` note them in the directory. Where one of both fails, all is as it was before.
    pub fn write(
        self,
        snapshot: &Snapshot,
        options: &Options<'_>,
        record: impl FnOnce(&Path, &Path) -> Result<()>,
    ) -> Result<PathBuf> {
        let there = bundle::exists(&self.path);
        let write = || {
            bundle::tidy(&self.directory, options.storage)?;
            snapshot.write(&self.path, options)?;
            self.ours.note(resolved(&self.directory, &self.path));
            record(&self.directory, &self.path)
        };
        match write() {
            Ok(()) => Ok(self.path),
            Err(error) => {
                self.tidy_up(there, options);
                Err(self.give_up(error))
            }
        }
    }

    /// Sets the counter back, since nothing was saved.
    pub fn give_up(&self, error: Error) -> Error {
        match self.counter.try_assign(Tensor::from(self.before)) {
            Ok(()) => error,
            Err(other) => other,
        }
    }

    /// Removes the files of a save that failed, if there were none before, unless the directory tells of them: then the new state file
    /// has its name, and something failed behind. Those that stay are overwritten by the next save.
    fn tidy_up(&self, there: bool, options: &Options<'_>) {
        if !bundle::exists(&self.path) {
            return;
        }
        self.ours.note(resolved(&self.directory, &self.path));
        let names_it = |state: CheckpointState| state.model_checkpoint_path == name_of(&self.path);
        if !there && state_of(&self.directory).is_ok_and(|state| !state.is_some_and(names_it)) {
            // The caller is told what failed first.
            let _ = bundle::remove(&self.path, options.storage);
        }
    }
}

/// A path in a directory, by which it is known wherever the process stands.
fn resolved(directory: &Path, path: &Path) -> PathBuf {
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    directory.join(path.file_name().unwrap_or_default())
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
