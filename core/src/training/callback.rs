//! Callbacks: what is called while a model is trained, evaluated or predicts, and may look at it and stop a training.
//! `fit`, `evaluate` and `predict` call them; the library's own lie in `callbacks`.

use super::{Compiled, History, Logs};
use crate::optim::Optimizer;
use engine::{FunctionInfo, Module, Tensor};
use kernels::error::Result;
use std::cell::{Cell, RefCell};

/// What a callback sees of the training, evaluation or prediction under way.
pub struct Progress<'a> {
    /// The model.
    pub model: &'a dyn Module,
    /// Optimizer, losses and metrics.
    pub compiled: &'a Compiled,
    /// How many epochs there will be, counted from 0 whatever the first one is.
    pub epochs: usize,
    /// How many steps an epoch, an evaluation of its own or a prediction has, where it is known.
    pub steps: Option<usize>,
    /// How much is shown: 0 nothing, 1 a bar, 2 a line for each epoch.
    pub verbose: u8,
    /// After how many epochs there is a validation, if there is any.
    pub validation: Option<usize>,
    pub(super) stop: &'a Cell<bool>,
    pub(super) history: &'a RefCell<History>,
    /// The epoch that a callback has the training begin with.
    pub(super) first: &'a Cell<Option<usize>>,
    /// The traced step.
    pub(super) step: fn() -> FunctionInfo,
}

impl Progress<'_> {
    /// Ends the training after this batch or epoch: Keras's `model.stop_training = True`.
    pub fn stop_training(&self) {
        self.stop.set(true);
    }

    /// Has the training begin with an epoch, of one that goes on: for a callback's `on_train_begin`.
    pub fn begin_at(&self, epoch: usize) {
        self.first.set(Some(epoch));
    }

    /// Whether an epoch ends without the validation that others have.
    pub(crate) fn lacks_validation(&self, epoch: usize) -> bool {
        self.validation.is_some_and(|epochs| !(epoch + 1).is_multiple_of(epochs))
    }

    /// The optimizer.
    ///
    /// # Errors
    /// FailedPrecondition for a trainer that has none.
    pub fn optimizer(&self) -> Result<&dyn Optimizer> {
        self.compiled.optimizer()
    }

    /// What is known of the traced step of training, its graph above all; nothing before the first batch, or of steps that run eagerly.
    pub fn step_graph(&self) -> FunctionInfo {
        (self.step)()
    }

    /// The running numbers of the epoch. On a GPU reading them waits for the steps before.
    ///
    /// # Errors
    /// As the metrics' results.
    pub fn running(&self) -> Result<Logs> {
        self.compiled.logs(true)
    }

    /// The numbers of the epochs that are over.
    pub fn history(&self) -> History {
        self.history.borrow().clone()
    }
}

/// What is called while a model is trained, evaluated or predicts: Keras's `Callback`. All methods do nothing unless they are written; an
/// error ends the loop, and `fit`, `evaluate` or `predict` answers it.
///
/// ```
/// use eagerflow as tf;
/// use tf::training::{Callback, Compile, Fit, Logs, Progress};
/// use tf::{Result, layers::Dense, optim::SGD};
///
/// /// Stops when the loss is small.
/// struct Enough(f64);
///
/// impl Callback for Enough {
///     fn on_epoch_end(&mut self, _epoch: usize, logs: &mut Logs, progress: &Progress<'_>) -> Result<()> {
///         if logs["loss"] < self.0 {
///             progress.stop_training();
///         }
///         Ok(())
///     }
/// }
///
/// let model = tf::Sequential::new((Dense::new(1),));
/// let x = tf::ones([8, 2]);
/// let fit = Fit::new().epochs(100).verbose(0).callback(Enough(0.1));
/// let history = model.compile(SGD::new(0.1), "mse").fit((&x, tf::zeros([8, 1])), fit);
/// assert!(history.epochs().len() < 100);
/// ```
#[allow(unused_variables, reason = "what is not written does nothing")]
pub trait Callback {
    /// Training begins.
    fn on_train_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// Training is over, at the end of the last epoch or because it was stopped.
    fn on_train_end(&mut self, logs: &Logs, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// An epoch begins, counted from 0.
    fn on_epoch_begin(&mut self, epoch: usize, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// An epoch is over, with its validation. Numbers that are added are part of the history.
    fn on_epoch_end(&mut self, epoch: usize, logs: &mut Logs, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// A batch begins, counted from 0 in each epoch.
    fn on_train_batch_begin(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// A batch is over.
    fn on_train_batch_end(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// A validation or evaluation begins.
    fn on_test_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// A validation or evaluation is over.
    fn on_test_end(&mut self, logs: &Logs, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// A batch of a validation or evaluation begins, counted from 0.
    fn on_test_batch_begin(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// A batch of a validation or evaluation is over.
    fn on_test_batch_end(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// A prediction begins.
    fn on_predict_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// A prediction is over.
    fn on_predict_end(&mut self, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// A batch of a prediction begins, counted from 0.
    fn on_predict_batch_begin(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
    /// A batch of a prediction is over, with the model's outputs for it.
    fn on_predict_batch_end(&mut self, batch: usize, outputs: &[Tensor], progress: &Progress<'_>) -> Result<()> {
        Ok(())
    }
}

/// Writes the methods of a pointer to a callback.
macro_rules! pointers {
    ($($t:ty),*) => {$(
        impl<C: Callback + ?Sized> Callback for $t {
            fn on_train_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
                (**self).on_train_begin(progress)
            }
            fn on_train_end(&mut self, logs: &Logs, progress: &Progress<'_>) -> Result<()> {
                (**self).on_train_end(logs, progress)
            }
            fn on_epoch_begin(&mut self, epoch: usize, progress: &Progress<'_>) -> Result<()> {
                (**self).on_epoch_begin(epoch, progress)
            }
            fn on_epoch_end(&mut self, epoch: usize, logs: &mut Logs, progress: &Progress<'_>) -> Result<()> {
                (**self).on_epoch_end(epoch, logs, progress)
            }
            fn on_train_batch_begin(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
                (**self).on_train_batch_begin(batch, progress)
            }
            fn on_train_batch_end(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
                (**self).on_train_batch_end(batch, progress)
            }
            fn on_test_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
                (**self).on_test_begin(progress)
            }
            fn on_test_end(&mut self, logs: &Logs, progress: &Progress<'_>) -> Result<()> {
                (**self).on_test_end(logs, progress)
            }
            fn on_test_batch_begin(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
                (**self).on_test_batch_begin(batch, progress)
            }
            fn on_test_batch_end(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
                (**self).on_test_batch_end(batch, progress)
            }
            fn on_predict_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
                (**self).on_predict_begin(progress)
            }
            fn on_predict_end(&mut self, progress: &Progress<'_>) -> Result<()> {
                (**self).on_predict_end(progress)
            }
            fn on_predict_batch_begin(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
                (**self).on_predict_batch_begin(batch, progress)
            }
            fn on_predict_batch_end(
                &mut self,
                batch: usize,
                outputs: &[Tensor],
                progress: &Progress<'_>,
            ) -> Result<()> {
                (**self).on_predict_batch_end(batch, outputs, progress)
            }
        }
    )*};
}

pointers!(&mut C, Box<C>);
