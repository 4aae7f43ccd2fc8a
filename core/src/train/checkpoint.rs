//! [`Checkpoint`]: a named set of models, optimizers, variables and counters that is saved and restored together.
//! Training loops make one, and hand it to a [`CheckpointManager`](super::CheckpointManager) or save it themselves.

use super::background::{Background, PendingSave};
use super::restoration::Restoration;
use super::save::{self, Destination, Ours, record_newest};
use super::snapshot::Snapshot;
use super::status::CheckpointLoadStatus;
use engine::{Fields, Module, Tensor, Variable};
use formats::files::{Disk, Options, Storage};
use kernels::error::{Error, OrFail, Result};
use std::fmt;
use std::panic::Location;
use std::path::{Path, PathBuf};

/// The name of the counter that `save` numbers its files by.
const SAVE_COUNTER: &str = "save_counter";

/// What is saved and restored together, TensorFlow's `tf.train.Checkpoint`.
///
/// Parts are lent (`&model`) or given (an `Arc`, a clone of a variable); anything that implements [`Module`] can be one. A part is found
/// again by its name and the names of the fields below it, not by its position: a model that has more fields than the checkpoint,
/// or fewer, restores what both have. What is shared, such as one layer in two models, is stored once.
///
/// TensorFlow opens the files, and its own are restored here, also those of Keras's models and optimizers. A list of layers is restored
/// from a `Sequential` and by one; elsewhere fields have the names of the attributes, or say by `#[module(renamed_from = "..")]` where
/// Keras has them, such as `_functional/_operations/1`. A [`Generator`](crate::random::Generator) goes on in either; the states of data
/// sets and their iterators are of this library alone, and TensorFlow passes them over.
///
/// Variables that do not exist yet, because a layer was not called or an optimizer took no step, are restored when they are made, before
/// anybody reads them, in traced functions as well.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Dense;
/// use tf::optim::{Adam, Optimizer};
/// use tf::train::Checkpoint;
/// # let directory = std::env::temp_dir().join(format!("eagerflow-doc-checkpoint-{}", std::process::id()));
/// let (model, optimizer) = (Dense::new(2), Adam::new(0.1));
/// let y = model.call(tf::ones([1, 3]));
/// let checkpoint = Checkpoint::new().with("model", &model).with("optimizer", &optimizer);
/// let path = checkpoint.save(directory.join("ckpt"))?;
/// assert!(path.ends_with("ckpt-1"));
///
/// let (model, optimizer) = (Dense::new(2), Adam::new(0.5));
/// let checkpoint = Checkpoint::new().with("model", &model).with("optimizer", &optimizer);
/// let status = checkpoint.restore(&path)?;
/// assert_eq!(model.call(tf::ones([1, 3])).to_vec::<f32>(), y.to_vec::<f32>());
/// status.assert_consumed();
/// # std::fs::remove_dir_all(directory).unwrap();
/// # Ok::<(), tf::Error>(())
/// ```
pub struct Checkpoint<'m> {
    /// What is stored at the root, beside the named parts.
    root: Option<Box<dyn Module + 'm>>,
    parts: Vec<(String, Box<dyn Module + 'm>)>,
    save_counter: Variable,
    durable: bool,
    storage: &'static dyn Storage,
    ours: Ours,
    background: Background,
}

impl<'m> Checkpoint<'m> {
    /// A checkpoint without parts.
    #[track_caller]
    pub fn new() -> Self {
        Self {
            root: None,
            parts: Vec::new(),
            save_counter: Variable::with(Tensor::from(0i64), SAVE_COUNTER, false),
            durable: true,
            storage: &Disk,
            ours: Ours::new(),
            background: Background::default(),
        }
    }

    /// A checkpoint of one module, whose fields are stored at the root: TensorFlow's `Checkpoint(root=module)`.
    #[track_caller]
    pub fn of(root: impl Module + 'm) -> Self {
        Self { root: Some(Box::new(root)), ..Self::new() }
    }

    /// One more part, by its name in the checkpoint.
    ///
    /// # Panics
    /// As [`try_with`](Self::try_with) fails.
    #[track_caller]
    pub fn with(self, name: impl Into<String>, part: impl Module + 'm) -> Self {
        self.try_with(name, part).or_fail()
    }

    /// One more part, by its name in the checkpoint.
    ///
    /// # Errors
    /// InvalidArgument for an empty name, one that is taken, and `save_counter`, which every checkpoint has itself.
    #[track_caller]
    pub fn try_with(mut self, name: impl Into<String>, part: impl Module + 'm) -> Result<Self> {
        let (name, here) = (name.into(), Location::caller());
        let wrong = match name.as_str() {
            "" => Some("a part has no name"),
            SAVE_COUNTER => Some("every checkpoint has a `save_counter` of its own"),
            name if self.parts.iter().any(|(other, _)| other == name) => Some("two parts have the same name"),
            _ => None,
        };
        if let Some(wrong) = wrong {
            let names: Vec<&str> = self.parts.iter().map(|(name, _)| name.as_str()).collect();
            return Err(Error::invalid_argument("checkpoint", wrong)
                .got(format!("`{name}` beside `{}`", names.join("`, `")))
                .expected("a name of its own for each part")
                .at(here));
        }
        self.parts.push((name, Box::new(part)));
        Ok(self)
    }

    /// Whether files are on the disk itself when a save ends, which is so unless this says otherwise. Without it a save is faster, and
    /// the newest checkpoints may be lost or damaged if the machine, not just the program, stops.
    pub fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// Where files are written, for tests of crashes and of what fails.
    #[cfg(feature = "testing")]
    #[doc(hidden)]
    pub fn __storage(mut self, storage: &'static dyn Storage) -> Self {
        self.storage = storage;
        self
    }

    /// How many times this was saved, an `int64` scalar that is saved with it: the number of the newest file.
    pub fn save_counter(&self) -> &Variable {
        &self.save_counter
    }

    pub(super) fn options(&self) -> Options<'static> {
        Options { sync: self.durable, storage: self.storage, ..Options::default() }
    }

    pub(super) fn ours(&self) -> &Ours {
        &self.ours
    }

    pub(super) fn background(&self) -> &Background {
        &self.background
    }

    /// Waits until nobody saves, and refuses what a traced function would do but once.
    pub(super) fn quiet(&self, op: &str) -> Result<()> {
        if !engine::executing_eagerly() {
            return Err(Error::failed_precondition(op, "a checkpoint is used while a function is traced")
                .expected(
                    "a call outside of traced functions: in one, it would happen once, while the function is traced",
                )
                .help("save and restore before the traced function is called, or after it has returned"));
        }
        self.background.wait()
    }

    /// What is there now, ready to be written.
    fn snapshot(&self) -> Result<Snapshot> {
        Snapshot::of(&Whole(self))
    }

    /// Saves all parts as `<prefix>-<number>`, counted by [`save_counter`](Self::save_counter), and makes it the newest of the directory,
    /// which is created if it is not there. Answers the path without the endings of the files.
    ///
    /// The files are whole before they get their names, so that a program that is killed leaves the checkpoint before. Numbers
    /// that another process has saved under since this checkpoint was made are passed over.
    ///
    /// # Errors
    /// NotFound, PermissionDenied, ResourceExhausted and FailedPrecondition as the system reports them, with the path: the newest
    /// checkpoint is then the one before. FailedPrecondition in a traced function; InvalidArgument where two parts have one name.
    #[track_caller]
    pub fn save(&self, prefix: impl AsRef<Path>) -> Result<PathBuf> {
        let here = Location::caller();
        self.save_now(prefix.as_ref()).map_err(|e| e.at(here))
    }

    fn save_now(&self, prefix: &Path) -> Result<PathBuf> {
        self.quiet("save")?;
        self.begin(prefix)?()
    }

    /// Takes the values of this moment under the next number; what is answered writes them.
    fn begin(&self, prefix: &Path) -> Result<impl FnOnce() -> Result<PathBuf> + Send + use<>> {
        let options = self.options();
        self.begin_with(prefix, move |directory, path| record_newest(directory, path, &options))
    }

    /// As `begin`, with what notes the files in their directory.
    pub(super) fn begin_with<R>(
        &self,
        prefix: &Path,
        record: R,
    ) -> Result<impl FnOnce() -> Result<PathBuf> + Send + use<R>>
    where
        R: FnOnce(&Path, &Path) -> Result<()> + Send,
    {
        let destination = Destination::next(self, prefix)?;
        let options = self.options();
        match self.snapshot() {
            Ok(snapshot) => Ok(move || destination.write(&snapshot, &options, record)),
            Err(error) => Err(destination.give_up(error)),
        }
    }

    /// As [`save`](Self::save), while the program goes on: the values are those of this moment, and the files are written by another
    /// thread. Of variables that change before they are written, a copy is kept. A second save waits for the first.
    ///
    /// ```
    /// use eagerflow as tf;
    /// # let directory = std::env::temp_dir().join(format!("eagerflow-doc-async-{}", std::process::id()));
    /// let v = tf::Variable::new(1.0);
    /// let checkpoint = tf::train::Checkpoint::new().with("v", &v);
    /// let saving = checkpoint.save_async(directory.join("ckpt"))?;
    /// v.assign(2.0);
    /// let path = saving.wait()?;
    /// checkpoint.restore(&path)?.assert_consumed();
    /// assert_eq!(v.value().item::<f32>(), 1.0);
    /// # std::fs::remove_dir_all(directory).unwrap();
    /// # Ok::<(), tf::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`save`](Self::save), those of the files by [`PendingSave::wait`]. An error of a save that nobody waited for is that of the
    /// next one.
    #[track_caller]
    pub fn save_async(&self, prefix: impl AsRef<Path>) -> Result<PendingSave> {
        let here = Location::caller();
        let start = || {
            self.quiet("save")?;
            Ok(self.background.start(self.begin(prefix.as_ref())?))
        };
        start().map_err(|e: Error| e.at(here))
    }

    /// Writes all parts as `path`, without a number and without making it the newest of its directory. Answers the path.
    ///
    /// A checkpoint has two files, so that writing over one cannot be a single step. Both are whole and on the disk under other names before
    /// the first gets its own. Where a program is killed between the two, the new index is left under such a name: restoring finds it there
    /// and reads the new checkpoint, and the next save gives it its name. TensorFlow would find the old index beside the new values, and
    /// refuse them as damaged. Where others read the files, write under a new path each time, as [`save`](Self::save) does.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    #[track_caller]
    pub fn write(&self, path: impl AsRef<Path>) -> Result<PathBuf> {
        let here = Location::caller();
        let write = || {
            self.quiet("write")?;
            save::write(path.as_ref(), &self.snapshot()?, &self.options())
        };
        write().map_err(|e: Error| e.at(here))
    }

    /// Restores all parts from a checkpoint that [`save`](Self::save) or [`write`](Self::write) made, or TensorFlow, whole or not at all.
    ///
    /// Every byte that is needed is read and checked before anything changes. Variables that are not there yet take their values
    /// when they are made. Restoring once more counts for those as well.
    ///
    /// What the checkpoint has and the program does not use is told by a warning, unless the answer is asked for
    /// [`expect_partial`](CheckpointLoadStatus::expect_partial).
    ///
    /// # Errors
    /// NotFound where there is no such checkpoint, DataLoss where a file is damaged, with its name and the value's. InvalidArgument
    /// where a value has another dtype or shape than its variable. FailedPrecondition for a checkpoint by names (TensorFlow 1), where
    /// one part of the program is two of the checkpoint, and for iterators of another data set.
    #[track_caller]
    pub fn restore(&self, path: impl AsRef<Path>) -> Result<CheckpointLoadStatus<'_>> {
        let here = Location::caller();
        let restore = || {
            self.quiet("restore")?;
            Restoration::run(path.as_ref(), &Whole(self))
        };
        let restoration = restore().map_err(|e: Error| e.at(here))?;
        Ok(CheckpointLoadStatus::new(Box::new(Whole(self)), restoration))
    }

    /// As [`restore`](Self::restore): TensorFlow's name for what [`write`](Self::write) made.
    ///
    /// # Errors
    /// As [`restore`](Self::restore).
    #[track_caller]
    pub fn read(&self, path: impl AsRef<Path>) -> Result<CheckpointLoadStatus<'_>> {
        self.restore(path)
    }
}

impl Default for Checkpoint<'_> {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

/// A checkpoint inside of another is its parts.
impl Module for Checkpoint<'_> {
    fn visit(&self, fields: &mut Fields<'_>) {
        if let Some(root) = &self.root {
            root.visit(fields);
        }
        for (name, part) in &self.parts {
            fields.field(name, part);
        }
    }
}

/// A checkpoint with its counter, as it is saved.
struct Whole<'c, 'm>(&'c Checkpoint<'m>);

impl Module for Whole<'_, '_> {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.0.visit(fields);
        fields.field(SAVE_COUNTER, &self.0.save_counter);
    }
}

impl fmt::Debug for Checkpoint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.parts.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Checkpoint").field("root", &self.root.is_some()).field("parts", &names).finish_non_exhaustive()
    }
}
