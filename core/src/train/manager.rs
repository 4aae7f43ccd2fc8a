//! [`CheckpointManager`]: keeps the newest checkpoints of a directory, deletes older ones, and finds where to resume.
//! Training loops call `restore_or_initialize` at the start, and `save` as they go.

use super::Checkpoint;
use super::background::PendingSave;
use super::kept::Kept;
use super::save::count;
use engine::Variable;
use kernels::error::{Error, OrFail, Result};
use std::fmt;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Keeps the newest checkpoints of a directory, TensorFlow's `tf.train.CheckpointManager`.
///
/// ```
/// use eagerflow as tf;
/// use tf::train::{Checkpoint, CheckpointManager};
/// # let directory = std::env::temp_dir().join(format!("eagerflow-doc-manager-{}", std::process::id()));
/// let step = tf::Variable::new(0.0);
/// let checkpoint = Checkpoint::new().with("step", &step);
/// let manager = CheckpointManager::new(&checkpoint, &directory, 3)?;
/// assert!(manager.restore_or_initialize()?.is_none());
/// for _ in 0..5 {
///     step.assign_add(1.0);
///     manager.save()?;
/// }
/// let kept: Vec<_> = manager.checkpoints().iter().map(|path| path.file_name().unwrap().to_owned()).collect();
/// assert_eq!(kept, ["ckpt-3", "ckpt-4", "ckpt-5"]);
/// # std::fs::remove_dir_all(directory).unwrap();
/// # Ok::<(), tf::Error>(())
/// ```
pub struct CheckpointManager<'c> {
    checkpoint: &'c Checkpoint<'c>,
    directory: PathBuf,
    name: String,
    step_counter: Option<Variable>,
    interval: Option<i64>,
    init_fn: Option<Box<dyn Fn() + 'c>>,
    last_step: Arc<Mutex<Option<i64>>>,
    kept: Arc<Kept>,
}

impl<'c> CheckpointManager<'c> {
    /// A manager of a directory, which is made with the first save. `max_to_keep` checkpoints are kept, all of them if it is `None`. Those
    /// that a manager before has left there are taken over.
    ///
    /// # Errors
    /// InvalidArgument for `max_to_keep` of 0; DataLoss where the directory's file `checkpoint` is damaged.
    #[track_caller]
    pub fn new(
        checkpoint: &'c Checkpoint<'c>,
        directory: impl AsRef<Path>,
        max_to_keep: impl Into<Option<usize>>,
    ) -> Result<Self> {
        let (here, directory, most) = (Location::caller(), directory.as_ref().to_owned(), max_to_keep.into());
        if most == Some(0) {
            return Err(Error::invalid_argument(
                "checkpoint_manager",
                "`max_to_keep` is 0, so that nothing would be kept",
            )
            .expected("at least 1, or `None` to keep all")
            .at(here));
        }
        let kept = Arc::new(Kept::found(&directory, most).map_err(|e| e.at(here))?);
        let (name, last_step) = ("ckpt".into(), Arc::default());
        Ok(Self { checkpoint, directory, name, step_counter: None, interval: None, init_fn: None, last_step, kept })
    }

    /// The beginning of the files' names, `ckpt` unless set.
    ///
    /// # Panics
    /// For a name that is empty or has a slash, at the caller's line.
    #[track_caller]
    pub fn checkpoint_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        if self.name.is_empty() || self.name.contains(['/', '\\']) {
            let error = Error::invalid_argument("checkpoint_manager", "the checkpoint's name is no name of a file");
            Err(error.got(format!("`{}`", self.name)).expected("the beginning of a file's name, such as `ckpt`"))
                .or_fail()
        }
        self
    }

    /// Keeps one checkpoint of every `hours` for good, beside the newest ones.
    ///
    /// # Panics
    /// For hours that are not above 0, at the caller's line.
    #[track_caller]
    pub fn keep_checkpoint_every_n_hours(mut self, hours: f64) -> Self {
        if hours.is_nan() || hours <= 0.0 {
            let error = Error::invalid_argument("checkpoint_manager", "`keep_checkpoint_every_n_hours` is not above 0");
            Err(error.got(hours)).or_fail()
        }
        self.kept = Arc::new(self.kept.keeping_one_every(hours * 3600.0));
        self
    }

    /// The counter of the training's steps, a scalar of integers: [`save_at_interval`](Self::save_at_interval) saves where it has moved on
    /// by `interval` since the last save.
    ///
    /// # Panics
    /// For a counter that is no scalar of `int64` or an interval below 1, at the caller's line.
    #[track_caller]
    pub fn checkpoint_interval(mut self, step_counter: &Variable, interval: i64) -> Self {
        let scalar = step_counter.shape().rank() == 0 && step_counter.dtype() == kernels::dtype::DType::I64;
        if !scalar || interval < 1 {
            let error = Error::invalid_argument("checkpoint_manager", "the interval of saving cannot be counted");
            let got = format!("{}{} and an interval of {interval}", step_counter.dtype(), step_counter.shape());
            Err(error.got(got).expected("a scalar of int64, such as an optimizer's `iterations()`, and at least 1"))
                .or_fail()
        }
        (self.step_counter, self.interval) = (Some(step_counter.clone()), Some(interval));
        self
    }

    /// What [`restore_or_initialize`](Self::restore_or_initialize) calls where there is nothing to restore.
    pub fn init_fn(mut self, init: impl Fn() + 'c) -> Self {
        self.init_fn = Some(Box::new(init));
        self
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The path of the newest checkpoint that this manager knows.
    pub fn latest_checkpoint(&self) -> Option<PathBuf> {
        self.kept.latest().map(|name| self.directory.join(name))
    }

    /// The paths of all checkpoints that are kept, oldest first; those that are kept for good are no longer among them.
    pub fn checkpoints(&self) -> Vec<PathBuf> {
        self.kept.names().iter().map(|name| self.directory.join(name)).collect()
    }

    /// Restores the newest checkpoint, or calls `init_fn` where there is none. Answers what was restored from.
    ///
    /// # Errors
    /// As [`Checkpoint::restore`].
    #[track_caller]
    pub fn restore_or_initialize(&self) -> Result<Option<PathBuf>> {
        let here = Location::caller();
        let restored = self.latest_checkpoint();
        match &restored {
            Some(path) => drop(self.checkpoint.restore(path).map_err(|e| e.at(here))?),
            None => self.init_fn.iter().for_each(|init| init()),
        }
        *self.last_step() = self.step().map_err(|e| e.at(here))?;
        Ok(restored)
    }

    fn last_step(&self) -> MutexGuard<'_, Option<i64>> {
        self.last_step.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step(&self) -> Result<Option<i64>> {
        self.step_counter.as_ref().map(count).transpose()
    }

    /// Saves a checkpoint, and deletes those that are no longer kept. Answers its path.
    ///
    /// # Errors
    /// As [`Checkpoint::save`].
    #[track_caller]
    pub fn save(&self) -> Result<PathBuf> {
        let here = Location::caller();
        let save = || {
            self.checkpoint.quiet("save")?;
            self.begin()?()
        };
        save().map_err(|e: Error| e.at(here))
    }

    /// As [`save`](Self::save), where the step counter has moved on by the interval since the last save; else it does nothing.
    ///
    /// # Errors
    /// As [`Checkpoint::save`]; FailedPrecondition without [`checkpoint_interval`](Self::checkpoint_interval).
    #[track_caller]
    pub fn save_at_interval(&self) -> Result<Option<PathBuf>> {
        let here = Location::caller();
        let Some(interval) = self.interval else {
            return Err(Error::failed_precondition("save_at_interval", "the manager has no interval")
                .help("give it one with `checkpoint_interval(&step_counter, interval)`, or call `save`")
                .at(here));
        };
        let (step, last) = (self.step().map_err(|e| e.at(here))?, *self.last_step());
        match step.zip(last) {
            Some((step, last)) if step.saturating_sub(last) < interval => Ok(None),
            _ => self.save().map(Some).map_err(|e| e.at(here)),
        }
    }

    /// As [`save`](Self::save), while the program goes on; see [`Checkpoint::save_async`].
    ///
    /// # Errors
    /// As [`Checkpoint::save_async`].
    #[track_caller]
    pub fn save_async(&self) -> Result<PendingSave> {
        let here = Location::caller();
        let start = || {
            self.checkpoint.quiet("save")?;
            Ok(self.checkpoint.background().start(self.begin()?))
        };
        start().map_err(|e: Error| e.at(here))
    }

    /// Takes the values of this moment under the next number; what is answered writes them.
    fn begin(&self) -> Result<impl FnOnce() -> Result<PathBuf> + Send + use<>> {
        let (step, before) = (self.step()?, *self.last_step());
        let (kept, options, last_step) = (self.kept.clone(), self.checkpoint.options(), self.last_step.clone());
        let record = move |directory: &Path, path: &Path| kept.record(directory, path, &options);
        let write = self.checkpoint.begin_with(&self.directory.join(&self.name), record)?;
        *self.last_step() = step;
        // What was not saved is due still.
        Ok(move || write().inspect_err(|_| *last_step.lock().unwrap_or_else(PoisonError::into_inner) = before))
    }
}

impl fmt::Debug for CheckpointManager<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.checkpoints();
        f.debug_struct("CheckpointManager")
            .field("directory", &self.directory)
            .field("kept", &kept)
            .finish_non_exhaustive()
    }
}
