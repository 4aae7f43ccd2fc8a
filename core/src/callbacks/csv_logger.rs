//! `CSVLogger`: the numbers of each epoch as lines of a file; and `LambdaCallback`, closures as a callback.
//! Users give them to `Fit::callback`; both are Keras's.

use crate::training::{Callback, Logs, Progress};
use kernels::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Writes the numbers of each epoch as a line of a CSV file, whose first line has their names.
///
/// ```
/// use eagerflow as tf;
/// use tf::{callbacks::CSVLogger, layers::Dense, optim::SGD, training::{Compile, Fit}};
/// # let path = std::env::temp_dir().join(format!("eagerflow-csv-page-{}.csv", std::process::id()));
/// let trainer = tf::Sequential::new((Dense::new(1),)).compile(SGD::new(0.1), "mse");
/// let fit = Fit::new().epochs(2).callback(CSVLogger::new(&path)).verbose(0);
/// trainer.fit((&tf::ones([4, 2]), &tf::ones([4, 1])), fit);
/// let text = std::fs::read_to_string(&path).unwrap();
/// assert!(text.starts_with("epoch,loss\n0,") && text.lines().count() == 3);
/// # std::fs::remove_file(&path).unwrap();
/// ```
#[derive(Debug)]
pub struct CSVLogger {
    path: PathBuf,
    separator: char,
    append: bool,
    columns: Vec<String>,
    file: Option<BufWriter<File>>,
}

impl CSVLogger {
    /// Into a new file, or in place of one that is there.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), separator: ',', append: false, columns: Vec::new(), file: None }
    }

    /// What stands between numbers, a comma unless set.
    #[must_use]
    pub fn separator(mut self, separator: char) -> Self {
        self.separator = separator;
        self
    }

    /// Whether lines are added to a file that is there, for a training that is resumed.
    #[must_use]
    pub fn append(mut self, append: bool) -> Self {
        self.append = append;
        self
    }

    fn failed(&self, error: &std::io::Error) -> Error {
        Error::failed_precondition("CSVLogger", "the file cannot be written")
            .got(format!("{}: {error}", self.path.display()))
    }

    fn line(&mut self, words: &[String]) -> Result<()> {
        let line = words.join(&self.separator.to_string());
        let Some(file) = &mut self.file else { return Ok(()) };
        let written = writeln!(file, "{line}").and_then(|()| file.flush());
        written.map_err(|e| self.failed(&e))
    }
}

impl Callback for CSVLogger {
    fn on_train_begin(&mut self, _: &Progress<'_>) -> Result<()> {
        let there = self.append.then(|| std::fs::read_to_string(&self.path).ok()).flatten();
        let header = there.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
        self.columns = header.split(self.separator).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let mut options = OpenOptions::new();
        options.create(true).write(true).append(self.append).truncate(!self.append);
        self.file = Some(BufWriter::new(options.open(&self.path).map_err(|e| self.failed(&e))?));
        Ok(())
    }

    fn on_epoch_end(&mut self, epoch: usize, logs: &mut Logs, _: &Progress<'_>) -> Result<()> {
        if self.columns.is_empty() {
            self.columns = std::iter::once("epoch").chain(logs.names()).map(str::to_owned).collect();
            self.line(&self.columns.clone())?;
        }
        let value = |name: &String| match name.as_str() {
            "epoch" => epoch.to_string(),
            name => logs.get(name).map_or_else(|| "NA".to_owned(), |value| value.to_string()),
        };
        let words: Vec<String> = self.columns.iter().map(value).collect();
        self.line(&words)
    }

    fn on_train_end(&mut self, _: &Logs, _: &Progress<'_>) -> Result<()> {
        self.file = None;
        Ok(())
    }
}

/// A closure over an epoch and its numbers.
type OfEpoch<'a> = Box<dyn FnMut(usize, &mut Logs, &Progress<'_>) -> Result<()> + 'a>;
/// A closure over a batch.
type OfBatch<'a> = Box<dyn FnMut(usize, &Progress<'_>) -> Result<()> + 'a>;

/// Closures as a callback: Keras's `LambdaCallback`.
///
/// ```
/// use eagerflow as tf;
/// use tf::{callbacks::LambdaCallback, layers::Dense, optim::SGD, training::{Compile, Fit}};
/// let mut losses = Vec::new();
/// let note = LambdaCallback::new().on_epoch_end(|_, logs, _| {
///     losses.push(logs["loss"]);
///     Ok(())
/// });
/// let trainer = tf::Sequential::new((Dense::new(1),)).compile(SGD::new(0.1), "mse");
/// trainer.fit((&tf::ones([4, 2]), &tf::ones([4, 1])), Fit::new().epochs(3).callback(note).verbose(0));
/// assert_eq!(losses.len(), 3);
/// ```
#[derive(Default)]
pub struct LambdaCallback<'a> {
    epoch_begin: Option<OfBatch<'a>>,
    epoch_end: Option<OfEpoch<'a>>,
    batch_end: Option<OfBatch<'a>>,
}

impl<'a> LambdaCallback<'a> {
    /// Without closures.
    pub fn new() -> Self {
        Self::default()
    }

    /// When an epoch begins.
    #[must_use]
    pub fn on_epoch_begin(mut self, call: impl FnMut(usize, &Progress<'_>) -> Result<()> + 'a) -> Self {
        self.epoch_begin = Some(Box::new(call));
        self
    }

    /// When an epoch is over.
    #[must_use]
    pub fn on_epoch_end(mut self, call: impl FnMut(usize, &mut Logs, &Progress<'_>) -> Result<()> + 'a) -> Self {
        self.epoch_end = Some(Box::new(call));
        self
    }

    /// When a batch is over.
    #[must_use]
    pub fn on_train_batch_end(mut self, call: impl FnMut(usize, &Progress<'_>) -> Result<()> + 'a) -> Self {
        self.batch_end = Some(Box::new(call));
        self
    }
}

impl Callback for LambdaCallback<'_> {
    fn on_epoch_begin(&mut self, epoch: usize, progress: &Progress<'_>) -> Result<()> {
        self.epoch_begin.as_mut().map_or(Ok(()), |call| call(epoch, progress))
    }

    fn on_epoch_end(&mut self, epoch: usize, logs: &mut Logs, progress: &Progress<'_>) -> Result<()> {
        self.epoch_end.as_mut().map_or(Ok(()), |call| call(epoch, logs, progress))
    }

    fn on_train_batch_end(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
        self.batch_end.as_mut().map_or(Ok(()), |call| call(batch, progress))
    }
}
