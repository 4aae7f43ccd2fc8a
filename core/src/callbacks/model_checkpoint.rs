//! `ModelCheckpoint`, `BackupAndRestore` and `SwapEMAWeights`: what is saved, and what the model has, at the ends of epochs.
//! Users give them to `Fit::callback`; all are Keras's.

use super::early_stopping::Mode;
use super::watched::Watched;
use crate::train::Checkpoint;
use crate::training::{Callback, Logs, Progress};
use engine::library::options::{self, options};
use engine::{Tensor, Variable};
use kernels::error::{Error, Result};
use std::path::{Path, PathBuf};

/// Saves the model after each epoch, or after those that were the best so far.
///
/// The path is the prefix of a checkpoint, as [`train::Checkpoint::write`](Checkpoint::write) takes it. `{epoch}` in it becomes the epoch,
/// counted from 1, and a name in braces, as `{val_loss}`, that number; `{epoch:03}` and `{val_loss:.2}` say digits as Rust does.
///
/// ```
/// use eagerflow as tf;
/// use tf::{callbacks::ModelCheckpoint, layers::Dense, optim::SGD, training::{Compile, Fit}};
/// # let folder = std::env::temp_dir().join(format!("eagerflow-model-checkpoint-page-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let trainer = tf::Sequential::new((Dense::new(1),)).compile(SGD::new(0.1), "mse");
/// let save = ModelCheckpoint::new(folder.join("epoch-{epoch:02}")).save_weights_only(true);
/// trainer.fit((&tf::ones([4, 2]), &tf::ones([4, 1])), Fit::new().epochs(2).callback(save).verbose(0));
/// tf::train::Checkpoint::new().with("model", trainer.model()).read(folder.join("epoch-02"))?.assert_consumed();
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), tf::Error>(())
/// ```
#[derive(Debug)]
pub struct ModelCheckpoint {
    path: PathBuf,
    watched: Watched,
    save_best_only: bool,
    save_weights_only: bool,
    every: Every,
    seen: usize,
}

/// When a model is saved.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Every {
    Epoch,
    Batches(usize),
}

impl ModelCheckpoint {
    /// Under a path, in which names in braces stand for numbers.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            watched: Watched::new("ModelCheckpoint", "val_loss"),
            save_best_only: false,
            save_weights_only: false,
            every: Every::Epoch,
            seen: 0,
        }
    }

    /// The number by which epochs are compared, `"val_loss"` unless set.
    #[must_use]
    pub fn monitor(mut self, monitor: impl Into<String>) -> Self {
        self.watched.set_name(monitor);
        self
    }

    /// Whether smaller or larger is better.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.watched.mode = mode;
        self
    }

    /// Whether only epochs are saved whose number is better than all before.
    #[must_use]
    pub fn save_best_only(mut self, best_only: bool) -> Self {
        self.save_best_only = best_only;
        self
    }

    /// Whether the model alone is saved, under `model`, and not the optimizer beside it.
    #[must_use]
    pub fn save_weights_only(mut self, weights_only: bool) -> Self {
        self.save_weights_only = weights_only;
        self
    }

    /// A number that the first saved epoch must pass.
    #[must_use]
    pub fn initial_value_threshold(mut self, value: f64) -> Self {
        self.watched.best = Some(value);
        self.watched.baseline = Some(value);
        self
    }

    fn save(&self, epoch: usize, logs: &Logs, progress: &Progress<'_>) -> Result<PathBuf> {
        let path = filled(&self.path, epoch, logs)?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|e| {
                Error::failed_precondition("ModelCheckpoint", "the folder cannot be made")
                    .got(format!("{}: {e}", folder.display()))
            })?;
        }
        let model = Checkpoint::new().with("model", progress.model);
        match (self.save_weights_only, progress.optimizer()) {
            (false, Ok(optimizer)) => model.with("optimizer", optimizer).write(&path),
            _ => model.write(&path),
        }
    }
}

options! { ModelCheckpoint:
    /// After how many batches the model is saved, instead of after each epoch: at least 1.
    pub fn save_freq, try_save_freq(this, batches: usize) {
        this.every = Every::Batches(options::count("ModelCheckpoint", "save_freq", batches)?);
        Ok(this)
    }
}

impl Callback for ModelCheckpoint {
    fn on_train_begin(&mut self, _: &Progress<'_>) -> Result<()> {
        self.seen = 0;
        Ok(())
    }

    fn on_train_batch_end(&mut self, _: usize, progress: &Progress<'_>) -> Result<()> {
        self.seen += 1;
        match self.every {
            Every::Batches(batches) if self.seen.is_multiple_of(batches) => {
                let logs = progress.running()?;
                self.save(progress.history().epochs().last().map_or(0, |last| last + 1), &logs, progress).map(drop)
            }
            _ => Ok(()),
        }
    }

    fn on_epoch_end(&mut self, epoch: usize, logs: &mut Logs, progress: &Progress<'_>) -> Result<()> {
        if self.every != Every::Epoch {
            return Ok(());
        }
        if self.save_best_only {
            let Some(value) = self.watched.value(epoch, logs, progress)? else { return Ok(()) };
            if !self.watched.is_better(value) {
                return Ok(());
            }
            self.watched.best = Some(value);
        }
        let path = self.save(epoch, logs, progress)?;
        if progress.verbose > 1 {
            println!("Epoch {}: saved {} to {}", epoch + 1, self.watched.name(), path.display());
        }
        Ok(())
    }
}

/// A path with numbers in place of names in braces.
fn filled(path: &Path, epoch: usize, logs: &Logs) -> Result<PathBuf> {
    let text = path.to_string_lossy();
    let mut out = String::new();
    let mut rest: &str = &text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, behind)) = after.split_once('}') else {
            return Err(Error::invalid_argument("ModelCheckpoint", "a brace of the path is not closed").got(&text));
        };
        let (name, form) = name.split_once(':').unwrap_or((name, ""));
        out.push_str(before);
        let digits = form.trim_start_matches(['.', '0']).trim_end_matches(['d', 'f']).parse::<usize>().unwrap_or(0);
        match (name, logs.get(name)) {
            ("epoch", _) => out.push_str(&format!("{:0digits$}", epoch + 1)),
            (_, Some(value)) if form.is_empty() => out.push_str(&value.to_string()),
            (_, Some(value)) => out.push_str(&format!("{value:.digits$}")),
            (_, None) => {
                return Err(Error::not_found("ModelCheckpoint", "the logs do not have a number that the path names")
                    .got(format!("{{{name}}}"))
                    .expected(format!("`epoch`, or one of {:?}", logs.names())));
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(out.into())
}

/// Saves model, optimizer, epoch and the global random numbers after each epoch, and goes on from there when a training that was
/// interrupted is begun again.
///
/// ```
/// use eagerflow as tf;
/// use tf::{callbacks::BackupAndRestore, layers::Dense, optim::SGD, training::{Compile, Fit}};
/// # let folder = std::env::temp_dir().join(format!("eagerflow-backup-page-{}", std::process::id()));
/// let train = |epochs: usize, backup: BackupAndRestore| {
///     let trainer = tf::Sequential::new((Dense::new(1),)).compile(SGD::new(0.1), "mse");
///     let fit = Fit::new().epochs(epochs).callback(backup).verbose(0);
///     trainer.fit((&tf::ones([4, 2]), &tf::ones([4, 1])), fit).epochs().to_vec()
/// };
/// // As if it had been interrupted after two epochs.
/// assert_eq!(train(2, BackupAndRestore::new(&folder).delete_checkpoint(false)), [0, 1]);
/// assert_eq!(train(5, BackupAndRestore::new(&folder)), [2, 3, 4]);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// ```
#[derive(Debug)]
pub struct BackupAndRestore {
    folder: PathBuf,
    delete_checkpoint: bool,
    /// How many epochs were over when it was saved.
    epochs: Variable,
}

impl BackupAndRestore {
    /// In a folder of its own, which is made.
    #[track_caller]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let epochs = Variable::with(Tensor::from(0i64), "epochs", false);
        Self { folder: folder.into(), delete_checkpoint: true, epochs }
    }

    /// Whether the backup is deleted when the training ends well; it is unless set.
    #[must_use]
    pub fn delete_checkpoint(mut self, delete: bool) -> Self {
        self.delete_checkpoint = delete;
        self
    }

    fn prefix(&self) -> PathBuf {
        self.folder.join("backup")
    }

    fn files(&self) -> [PathBuf; 2] {
        [".index", ".data-00000-of-00001"].map(|end| self.folder.join(format!("backup{end}")))
    }

    fn checkpoint<'p>(&'p self, progress: &'p Progress<'_>) -> Result<Checkpoint<'p>> {
        let all = Checkpoint::new().with("model", progress.model).with("epochs", &self.epochs);
        let all = all.with("random", engine::random::global());
        match progress.optimizer() {
            Ok(optimizer) => Ok(all.with("optimizer", optimizer)),
            Err(_) => Ok(all),
        }
    }
}

impl Callback for BackupAndRestore {
    fn on_train_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
        std::fs::create_dir_all(&self.folder).map_err(|e| {
            Error::failed_precondition("BackupAndRestore", "the folder cannot be made")
                .got(format!("{}: {e}", self.folder.display()))
        })?;
        if self.files()[0].exists() {
            self.checkpoint(progress)?.read(self.prefix())?;
            let done = self.epochs.value().try_item::<i64>()?;
            progress.begin_at(usize::try_from(done).unwrap_or(0));
        }
        Ok(())
    }

    fn on_epoch_end(&mut self, epoch: usize, _: &mut Logs, progress: &Progress<'_>) -> Result<()> {
        self.epochs.try_assign(Tensor::from(epoch as i64 + 1))?;
        self.checkpoint(progress)?.write(self.prefix()).map(drop)
    }

    fn on_train_end(&mut self, _: &Logs, _: &Progress<'_>) -> Result<()> {
        if self.delete_checkpoint {
            for file in self.files() {
                // A training of no epochs has saved nothing.
                let _ = std::fs::remove_file(file);
            }
        }
        Ok(())
    }
}

/// Gives the model the averages that its optimizer keeps (`use_ema`) for each validation, evaluation or prediction, and its own weights
/// back after it: Keras's `SwapEMAWeights`. At the end of the training the model has the averages.
#[derive(Clone, Copy, Debug, Default)]
pub struct SwapEMAWeights {
    swap_on_epoch: bool,
}

impl SwapEMAWeights {
    /// For validations.
    pub const fn new() -> Self {
        Self { swap_on_epoch: false }
    }

    /// Whether the averages are there also for what callbacks do at the end of an epoch, as saving.
    #[must_use]
    pub const fn swap_on_epoch(mut self, swap: bool) -> Self {
        self.swap_on_epoch = swap;
        self
    }

    fn swap(progress: &Progress<'_>) -> Result<()> {
        progress.optimizer()?.try_swap_averages(&progress.model.try_trainable_variables()?)
    }
}

impl Callback for SwapEMAWeights {
    fn on_test_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
        if self.swap_on_epoch { Ok(()) } else { Self::swap(progress) }
    }

    fn on_test_end(&mut self, _: &Logs, progress: &Progress<'_>) -> Result<()> {
        if self.swap_on_epoch { Ok(()) } else { Self::swap(progress) }
    }

    fn on_predict_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
        if self.swap_on_epoch { Ok(()) } else { Self::swap(progress) }
    }

    fn on_predict_end(&mut self, progress: &Progress<'_>) -> Result<()> {
        if self.swap_on_epoch { Ok(()) } else { Self::swap(progress) }
    }

    fn on_epoch_begin(&mut self, epoch: usize, progress: &Progress<'_>) -> Result<()> {
        let first = progress.history().epochs().is_empty();
        if self.swap_on_epoch && epoch > 0 && !first { Self::swap(progress) } else { Ok(()) }
    }

    fn on_epoch_end(&mut self, _: usize, _: &mut Logs, progress: &Progress<'_>) -> Result<()> {
        if self.swap_on_epoch { Self::swap(progress) } else { Ok(()) }
    }

    fn on_train_end(&mut self, _: &Logs, progress: &Progress<'_>) -> Result<()> {
        if self.swap_on_epoch {
            return Ok(());
        }
        progress.optimizer()?.try_finalize_variable_values(&progress.model.try_trainable_variables()?)
    }
}
