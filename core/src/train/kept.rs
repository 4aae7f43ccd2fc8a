//! Which checkpoints of a directory are kept: the newest, and one of every so many hours; the others are deleted.
//! A `CheckpointManager` has one, and the saves that it starts note their files in it.

use super::latest::{CheckpointState, STATE_FILE, inside, newest, state_of};
use super::save::name_of;
use formats::bundle;
use formats::files::Options;
use kernels::error::{Error, Result};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Which checkpoints there are, shared with a save under way.
pub(super) struct Kept {
    most: Option<usize>,
    /// Seconds between checkpoints that are kept for good.
    keep_every: Option<f64>,
    list: Mutex<List>,
}

#[derive(Default, Clone)]
struct List {
    /// Names in the directory with the times at which they were saved, oldest first.
    all: Vec<(String, f64)>,
    /// Those that are to be deleted.
    gone: Vec<(String, f64)>,
    latest: Option<String>,
    last_preserved: Option<f64>,
}

impl Kept {
    /// Of what managers before have left in a directory.
    pub fn found(directory: &Path, most: Option<usize>) -> Result<Self> {
        Ok(Self { most, keep_every: None, list: Mutex::new(found(directory)?) })
    }

    /// The same, with one of every so many seconds that stays.
    pub fn keeping_one_every(&self, seconds: f64) -> Self {
        Self { most: self.most, keep_every: Some(seconds), list: Mutex::new(self.list().clone()) }
    }

    /// The name of the newest.
    pub fn latest(&self) -> Option<String> {
        self.list().latest.clone()
    }

    /// The names of all that are kept, oldest first.
    pub fn names(&self) -> Vec<String> {
        self.list().all.iter().map(|(name, _)| name.clone()).collect()
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Names a checkpoint as the newest, then deletes what is no longer kept, and then strikes it off. Whenever this is cut short, the
    /// file `checkpoint` names a newest one that is whole, and tells all that are to be deleted still.
    ///
    /// Once the checkpoint is named it is saved: what cannot be deleted is told by a warning, and tried again with the next.
    pub fn record(&self, directory: &Path, path: &Path, options: &Options<'_>) -> Result<()> {
        let mut list = self.list().clone();
        let name = name_of(path);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64());
        list.all.retain(|(other, _)| *other != name);
        list.gone.retain(|(other, _)| *other != name);
        list.all.push((name.clone(), now));
        list.latest = Some(name);
        list.last_preserved.get_or_insert(now);
        list.record(directory, options)?;
        list.sweep(self.most, self.keep_every);
        let before = list.gone.len();
        list.gone.retain(|(name, _)| match bundle::remove(&directory.join(name), options.storage) {
            Ok(()) | Err(Error::NotFound(_)) => false,
            Err(error) => {
                eprintln!("warning: an old checkpoint was not deleted: {error}");
                true
            }
        });
        if list.gone.len() < before
            && let Err(error) = list.record(directory, options)
        {
            eprintln!("warning: checkpoints that were deleted are still listed: {error}");
        }
        *self.list() = list;
        Ok(())
    }
}

impl List {
    fn record(&self, directory: &Path, options: &Options<'_>) -> Result<()> {
        let (paths, times) = self.gone.iter().chain(&self.all).cloned().unzip();
        let state = CheckpointState {
            model_checkpoint_path: self.latest.clone().unwrap_or_default(),
            all_model_checkpoint_paths: paths,
            all_model_checkpoint_timestamps: times,
            last_preserved_timestamp: self.last_preserved,
        };
        state.write(&directory.join(STATE_FILE), options)
    }

    /// Takes the oldest out of the list until there are no more than `most`, and leaves those that are to be deleted in `gone`.
    fn sweep(&mut self, most: Option<usize>, keep_every: Option<f64>) {
        let over = most.map_or(0, |most| self.all.len().saturating_sub(most));
        for (name, time) in self.all.drain(..over) {
            let preserved = self.last_preserved.unwrap_or(f64::NEG_INFINITY);
            match keep_every {
                Some(every) if time - every >= preserved => self.last_preserved = Some(time),
                _ => self.gone.push((name, time)),
            }
        }
    }
}

/// What managers before have left in a directory: of those whose times are told, since only these were made by one.
fn found(directory: &Path) -> Result<List> {
    let Some(state) = state_of(directory)? else { return Ok(List::default()) };
    let newest = newest(directory, &state)?;
    // What lies deeper was made by somebody else.
    let name = |path: &Path| (path.parent() == Some(directory)).then(|| name_of(path));
    let (mut all, mut gone) = (Vec::new(), Vec::new());
    for (path, time) in state.all_model_checkpoint_paths.iter().zip(&state.all_model_checkpoint_timestamps) {
        let path = inside(directory, path)?;
        // A process that was killed may have deleted a part of one.
        let list = if bundle::exists(&path) { &mut all } else { &mut gone };
        list.extend(name(&path).map(|name| (name, *time)));
    }
    Ok(List { all, gone, latest: name(&newest), last_preserved: state.last_preserved_timestamp })
}
