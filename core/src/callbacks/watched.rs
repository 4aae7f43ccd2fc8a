//! A number of the logs that a callback watches: its name, which way is better, and the best so far.
//! `EarlyStopping`, `ReduceLROnPlateau` and `ModelCheckpoint` have one.

use super::early_stopping::Mode;
use crate::metrics::Direction;
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
    /// Which way the number gets better, once it was seen.
    direction: Option<Direction>,
}

impl Watched {
    pub fn new(owner: &'static str, monitor: impl Into<String>) -> Self {
        Self {
            owner,
            monitor: monitor.into(),
            mode: Mode::Auto,
            min_delta: 0.0,
            baseline: None,
            best: None,
            direction: None,
        }
    }

    /// A training begins.
    pub fn begin(&mut self) {
        (self.best, self.direction) = (None, None);
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
    /// NotFound for a number that the logs never have, InvalidArgument where nobody says which way it gets better.
    pub fn value(&mut self, epoch: usize, logs: &Logs, progress: &Progress<'_>) -> Result<Option<f64>> {
        match logs.get(&self.monitor) {
            Some(value) => {
                if self.direction.is_none() {
                    self.direction = Some(self.better(progress)?);
                }
                Ok(Some(value))
            }
            None if self.monitor.starts_with("val_") && progress.lacks_validation(epoch) => Ok(None),
            None => Err(Error::not_found(self.owner, "the logs do not have the number that is watched")
                .got(format!("\"{}\"", self.monitor))
                .expected(format!("one of {:?}", logs.names()))
                .help("numbers of the validation are there only with `validation_data` or `validation_split`")),
        }
    }

    fn better(&self, progress: &Progress<'_>) -> Result<Direction> {
        match self.mode {
            Mode::Max => Ok(Direction::Up),
            Mode::Min => Ok(Direction::Down),
            Mode::Auto => progress.compiled.direction(&self.monitor).ok_or_else(|| {
                Error::invalid_argument(self.owner, "it is not known whether a larger or a smaller number is better")
                    .got(format!("\"{}\"", self.monitor))
                    .expected("a loss, or a metric that has a `direction`")
                    .help("say so with `mode(Mode::Max)` or `mode(Mode::Min)`")
            }),
        }
    }

    /// Whether a number is better than another.
    fn is_above(&self, value: f64, other: f64) -> bool {
        match self.direction {
            Some(Direction::Up) => value - self.min_delta > other,
            _ => value + self.min_delta < other,
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
