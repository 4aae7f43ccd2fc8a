//! A number of the logs that a callback watches: its name, which way is better, and the best so far.
//! `EarlyStopping`, `ReduceLROnPlateau` and `ModelCheckpoint` have one.

use super::early_stopping::Mode;
use crate::training::{Logs, Progress};
use kernels::error::{Error, Result};

/// What is watched.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    owner: &'static str,
    monitor: String,
    pub mode: Mode,
    pub min_delta: f64,
    pub baseline: Option<f64>,
    pub best: Option<f64>,
}

impl Watched {
    pub fn new(owner: &'static str, monitor: impl Into<String>) -> Self {
        Self { owner, monitor: monitor.into(), mode: Mode::Auto, min_delta: 0.0, baseline: None, best: None }
    }

    /// A training begins.
    pub fn begin(&mut self) {
        self.best = None;
    }

    /// Another number.
    pub fn set_name(&mut self, monitor: impl Into<String>) {
        self.monitor = monitor.into();
    }

    /// What is watched.
    pub fn name(&self) -> &str {
        &self.monitor
    }

    /// The number after an epoch; none after one without a validation, of which it is.
    ///
    /// # Errors
    /// NotFound for a number that the logs never have.
    pub fn value(&self, epoch: usize, logs: &Logs, progress: &Progress<'_>) -> Result<Option<f64>> {
        match logs.get(&self.monitor) {
            Some(value) => Ok(Some(value)),
            None if self.monitor.starts_with("val_") && progress.lacks_validation(epoch) => Ok(None),
            None => Err(Error::not_found(self.owner, "the logs do not have the number that is watched")
                .got(format!("\"{}\"", self.monitor))
                .expected(format!("one of {:?}", logs.names()))
                .help("numbers of the validation are there only with `validation_data` or `validation_split`")),
        }
    }

    fn larger_is_better(&self) -> bool {
        match self.mode {
            Mode::Max => true,
            Mode::Min => false,
            Mode::Auto => {
                let name = self.monitor.strip_prefix("val_").unwrap_or(&self.monitor);
                let grows = ["accuracy", "acc", "auc", "precision", "recall", "f1_score", "fbeta", "iou", "r2_score"];
                let crossentropy = name.contains("crossentropy");
                !crossentropy && grows.iter().any(|word| name.ends_with(word) || name.contains("accuracy"))
            }
        }
    }

    fn is_above(&self, value: f64, other: f64) -> bool {
        match self.larger_is_better() {
            true => value - self.min_delta > other,
            false => value + self.min_delta < other,
        }
    }

    /// Whether a number is better than the best so far.
    pub fn is_better(&self, value: f64) -> bool {
        self.best.is_none_or(|best| self.is_above(value, best))
    }

    /// Whether a number is better than the baseline, if there is one.
    pub fn passes_baseline(&self, value: f64) -> bool {
        self.baseline.is_none_or(|baseline| self.is_above(value, baseline))
    }
}
