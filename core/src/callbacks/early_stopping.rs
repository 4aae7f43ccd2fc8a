//! `EarlyStopping` and `ReduceLROnPlateau`: what follows from a number that gets no better.
//! Users give them to `Fit::callback`; both are Keras's.

use super::watched::Watched;
use crate::training::{Callback, Logs, Progress};
use engine::library::options::{self, options};
use engine::{Tensor, Variable};
use kernels::error::{Error, OnTheWay, Result};

/// Whether a smaller or a larger number is better.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mode {
    /// As the number itself says: losses are better when they are smaller, metrics by their [`direction`](crate::metrics::Metric::direction).
    /// Any other is an error.
    #[default]
    Auto,
    /// Smaller is better.
    Min,
    /// Larger is better.
    Max,
}

/// Ends a training whose watched number gets no better, and may give the model the weights of its best epoch.
///
/// ```
/// use eagerflow as tf;
/// use tf::{callbacks::EarlyStopping, layers::Dense, optim::SGD, training::{Compile, Fit}};
/// let model = tf::Sequential::new((Dense::new(1),));
/// let (x, y) = (tf::ones([8, 2]), tf::ones([8, 1]));
/// let stop = EarlyStopping::new("loss").patience(2).min_delta(1e-3).restore_best_weights(true);
/// let history = model.compile(SGD::new(0.1), "mse").fit((&x, &y), Fit::new().epochs(200).callback(stop).verbose(0));
/// assert!(history.epochs().len() < 200);
/// ```
#[derive(Debug)]
pub struct EarlyStopping {
    watched: Watched,
    patience: usize,
    restore_best_weights: bool,
    start_from_epoch: usize,
    waited: usize,
    best_weights: Option<Vec<(Variable, Tensor)>>,
    best_epoch: usize,
}

impl EarlyStopping {
    /// Watches a number of the logs, such as `"val_loss"`, Keras's default.
    pub fn new(monitor: impl Into<String>) -> Self {
        Self {
            watched: Watched::new("EarlyStopping", monitor),
            patience: 0,
            restore_best_weights: false,
            start_from_epoch: 0,
            waited: 0,
            best_weights: None,
            best_epoch: 0,
        }
    }

    /// Whether smaller or larger is better.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.watched.mode = mode;
        self
    }

    /// How many epochs may pass without a better number; 0 unless set.
    #[must_use]
    pub fn patience(mut self, epochs: usize) -> Self {
        self.patience = epochs;
        self
    }

    /// A number that must be reached: without a better one there is no patience.
    #[must_use]
    pub fn baseline(mut self, baseline: f64) -> Self {
        self.watched.baseline = Some(baseline);
        self
    }

    /// Whether the model gets the weights of its best epoch when the training ends.
    #[must_use]
    pub fn restore_best_weights(mut self, restore: bool) -> Self {
        self.restore_best_weights = restore;
        self
    }

    /// From which epoch on the number is watched, 0 unless set.
    #[must_use]
    pub fn start_from_epoch(mut self, epoch: usize) -> Self {
        self.start_from_epoch = epoch;
        self
    }
}

options! { EarlyStopping:
    /// By how much a number must be better to count as better, 0 unless set.
    pub fn min_delta, try_min_delta(this, delta: f64) {
        this.watched.min_delta = options::magnitude("EarlyStopping", "min_delta", delta)?;
        Ok(this)
    }
}

impl Callback for EarlyStopping {
    fn on_train_begin(&mut self, _: &Progress<'_>) -> Result<()> {
        self.watched.begin();
        (self.waited, self.best_weights, self.best_epoch) = (0, None, 0);
        Ok(())
    }

    fn on_epoch_end(&mut self, epoch: usize, logs: &mut Logs, progress: &Progress<'_>) -> Result<()> {
        let Some(value) = self.watched.value(epoch, logs, progress)? else { return Ok(()) };
        if epoch < self.start_from_epoch {
            return Ok(());
        }
        let better = self.watched.is_better(value);
        if self.restore_best_weights && (better || self.best_weights.is_none()) {
            let variables = progress.model.try_variables()?;
            self.best_weights = Some(variables.into_iter().map(|v| (v.clone(), v.value())).collect());
            self.best_epoch = epoch;
        }
        self.waited += 1;
        if better {
            self.watched.best = Some(value);
            // As in Keras, patience begins anew only where the baseline is passed.
            if self.watched.passes_baseline(value) {
                self.waited = 0;
            }
            return Ok(());
        }
        if self.waited >= self.patience && epoch > 0 {
            progress.stop_training();
            if progress.verbose > 0 {
                println!("Epoch {}: early stopping", epoch + 1);
            }
        }
        Ok(())
    }

    fn on_train_end(&mut self, _: &Logs, progress: &Progress<'_>) -> Result<()> {
        if let Some(weights) = self.best_weights.take() {
            if progress.verbose > 0 {
                println!("Restoring the weights of the best epoch: {}.", self.best_epoch + 1);
            }
            for (variable, value) in weights {
                variable.try_assign(&value)?;
            }
        }
        Ok(())
    }
}

/// Lowers the learning rate while the watched number gets no better.
///
/// ```
/// use eagerflow as tf;
/// use tf::{callbacks::ReduceLROnPlateau, layers::Dense, optim::{Optimizer, SGD}, training::{Compile, Fit}};
/// let trainer = tf::Sequential::new((Dense::new(1),)).compile(SGD::new(0.1), "mse");
/// let (x, y) = (tf::ones([8, 2]), tf::ones([8, 1]));
/// let lower = ReduceLROnPlateau::new("loss").factor(0.5).patience(1).min_delta(1e-3).min_lr(1e-3);
/// trainer.fit((&x, &y), Fit::new().epochs(60).callback(lower).verbose(0));
/// assert!(trainer.optimizer().learning_rate().get() < 0.1);
/// ```
#[derive(Debug)]
pub struct ReduceLROnPlateau {
    watched: Watched,
    factor: f64,
    patience: usize,
    cooldown: usize,
    min_lr: f64,
    waited: usize,
    cooling: usize,
}

impl ReduceLROnPlateau {
    /// Watches a number of the logs, such as `"val_loss"`; Keras's defaults are a factor of 0.1 and a patience of 10 epochs.
    pub fn new(monitor: impl Into<String>) -> Self {
        let mut watched = Watched::new("ReduceLROnPlateau", monitor);
        watched.min_delta = 1e-4;
        Self { watched, factor: 0.1, patience: 10, cooldown: 0, min_lr: 0.0, waited: 0, cooling: 0 }
    }

    /// Whether smaller or larger is better.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.watched.mode = mode;
        self
    }

    /// How many epochs may pass without a better number, 10 unless set.
    #[must_use]
    pub fn patience(mut self, epochs: usize) -> Self {
        self.patience = epochs;
        self
    }

    /// How many epochs after a lowering are not counted, 0 unless set.
    #[must_use]
    pub fn cooldown(mut self, epochs: usize) -> Self {
        self.cooldown = epochs;
        self
    }
}

options! { ReduceLROnPlateau:
    /// By what the rate is multiplied, 0.1 unless set: from 0 up to 1.
    pub fn factor, try_factor(this, factor: f64) {
        this.factor = options::decay("ReduceLROnPlateau", "factor", factor)?;
        Ok(this)
    }

    /// By how much a number must be better to count as better, 1e-4 unless set.
    pub fn min_delta, try_min_delta(this, delta: f64) {
        this.watched.min_delta = options::magnitude("ReduceLROnPlateau", "min_delta", delta)?;
        Ok(this)
    }

    /// The least rate, 0 unless set.
    pub fn min_lr, try_min_lr(this, rate: f64) {
        this.min_lr = options::magnitude("ReduceLROnPlateau", "min_lr", rate)?;
        Ok(this)
    }
}

impl Callback for ReduceLROnPlateau {
    fn on_train_begin(&mut self, _: &Progress<'_>) -> Result<()> {
        self.watched.begin();
        (self.waited, self.cooling) = (0, 0);
        Ok(())
    }

    fn on_epoch_end(&mut self, epoch: usize, logs: &mut Logs, progress: &Progress<'_>) -> Result<()> {
        let rate = progress.optimizer()?.learning_rate();
        logs.set("learning_rate", rate.get());
        let Some(value) = self.watched.value(epoch, logs, progress)? else { return Ok(()) };
        if self.cooling > 0 {
            self.cooling -= 1;
            self.waited = 0;
        }
        if self.watched.is_better(value) {
            self.watched.best = Some(value);
            self.waited = 0;
        } else if self.cooling == 0 {
            self.waited += 1;
            let old = rate.get();
            if self.waited >= self.patience && old > self.min_lr {
                let new = (old * self.factor).max(self.min_lr);
                rate.try_set(new).map_err(|e| e.named("ReduceLROnPlateau"))?;
                if progress.verbose > 0 {
                    println!("Epoch {}: ReduceLROnPlateau reducing learning rate to {new}.", epoch + 1);
                }
                (self.cooling, self.waited) = (self.cooldown, 0);
            }
        }
        Ok(())
    }
}

/// Sets the learning rate before each epoch, as a function of the epoch and the present rate says: Keras's `LearningRateScheduler`.
///
/// ```
/// use eagerflow as tf;
/// use tf::{callbacks::LearningRateScheduler, layers::Dense, optim::{Optimizer, SGD}, training::{Compile, Fit}};
/// let trainer = tf::Sequential::new((Dense::new(1),)).compile(SGD::new(0.1), "mse");
/// let halve = LearningRateScheduler::new(|epoch, rate| if epoch == 0 { rate } else { rate / 2.0 });
/// let history = trainer.fit((&tf::ones([4, 2]), &tf::ones([4, 1])), Fit::new().epochs(3).callback(halve).verbose(0));
/// assert!((history["learning_rate"][2] - 0.025).abs() < 1e-8);
/// ```
pub struct LearningRateScheduler<F>(F);

impl<F: FnMut(usize, f64) -> f64> LearningRateScheduler<F> {
    /// By a function of the epoch, counted from 0, and the rate.
    pub fn new(schedule: F) -> Self {
        Self(schedule)
    }
}

impl<F: FnMut(usize, f64) -> f64> Callback for LearningRateScheduler<F> {
    fn on_epoch_begin(&mut self, epoch: usize, progress: &Progress<'_>) -> Result<()> {
        let rate = progress.optimizer()?.learning_rate();
        let new = (self.0)(epoch, rate.get());
        rate.try_set(new).map_err(|e| e.named("LearningRateScheduler"))
    }

    fn on_epoch_end(&mut self, _: usize, logs: &mut Logs, progress: &Progress<'_>) -> Result<()> {
        logs.set("learning_rate", progress.optimizer()?.learning_rate().get());
        Ok(())
    }
}

/// Ends the training with an error at the first loss that is no number: Keras's `TerminateOnNaN`.
///
/// ```
/// use eagerflow as tf;
/// use tf::{callbacks::TerminateOnNaN, layers::Dense, optim::SGD, training::{Compile, Fit}};
/// let trainer = tf::Sequential::new((Dense::new(1),)).compile(SGD::new(1e30), "mse");
/// let fit = Fit::new().epochs(50).callback(TerminateOnNaN::new()).verbose(0);
/// let error = trainer.try_fit((&tf::ones([4, 2]), &tf::ones([4, 1])), fit).unwrap_err();
/// assert!(error.to_string().contains("the loss is no number"));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TerminateOnNaN;

impl TerminateOnNaN {
    /// The callback.
    pub const fn new() -> Self {
        Self
    }
}

impl Callback for TerminateOnNaN {
    fn on_train_batch_end(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
        let loss = progress.running()?.get("loss").unwrap_or(0.0);
        match loss.is_finite() {
            true => Ok(()),
            false => Err(Error::failed_precondition("fit", "the loss is no number")
                .got(format!("{loss} after batch {batch}"))
                .help("lower the learning rate, clip gradients with `clipnorm`, or find the operation that made it: `tf::debugging::enable_check_numerics()` before `fit`")),
        }
    }
}
