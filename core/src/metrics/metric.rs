//! What every metric can do: take batches in, answer, and forget.
//! `compile` and training loops that take any metric call it; the macro here writes the methods that metrics have themselves.

use engine::{AsTensor, Module, Tensor};
use kernels::error::{OrFail, Result};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// Which way a number gets better.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// A larger one is better, as for accuracies.
    Up,
    /// A smaller one is better, as for losses.
    Down,
}

/// A metric: a number that is gathered over batches. Its state lies in variables that are not trained, so it goes on inside of traced
/// functions and is saved with a checkpoint.
///
/// The metrics of this module have methods of their own, `update_state`, `result` and the like, that take variables as well and need no
/// import.
///
/// ```
/// use eagerflow as tf;
/// use tf::metrics::{BinaryAccuracy, MeanSquaredError, Metric};
/// let metrics: Vec<Box<dyn Metric>> = vec![Box::new(BinaryAccuracy::new()), Box::new(MeanSquaredError::new())];
/// for metric in &metrics {
///     metric.update_state(tf::constant([[1.0], [0.0]]), tf::constant([[0.75], [0.75]]));
/// }
/// let values: Vec<f32> = metrics.iter().map(|metric| metric.result().item()).collect();
/// assert_eq!(values, [0.5, 0.3125]);
/// assert_eq!(metrics[0].name(), "binary_accuracy");
/// ```
pub trait Metric: Module + Send + Sync {
    /// The name: given, or Keras's for its kind. The metrics of this module set it by a method of the same name, so ask them through
    /// the trait: `Metric::name(&metric)`.
    fn name(&self) -> &str;

    /// Which way the metric gets better, where one is better: what `EarlyStopping` and the like go by unless they are told.
    fn direction(&self) -> Option<Direction> {
        None
    }

    /// Takes another batch in, whose examples count by their weight if there are weights.
    ///
    /// # Errors
    /// InvalidArgument where labels, predictions and weights do not fit each other, with their shapes.
    #[track_caller]
    fn try_update_state(&self, y_true: &Tensor, y_pred: &Tensor, sample_weight: Option<&Tensor>) -> Result<()>;

    /// The metric of all batches so far.
    ///
    /// # Errors
    /// FailedPrecondition for a metric that takes its shape from the first batch and has seen none.
    #[track_caller]
    fn try_result(&self) -> Result<Tensor>;

    /// Forgets all batches.
    #[track_caller]
    fn reset_state(&self);
}

macro_rules! pointers {
    ($($t:ty),*) => {$(
        impl<T: Metric + ?Sized> Metric for $t {
            fn name(&self) -> &str {
                (**self).name()
            }
            fn direction(&self) -> Option<Direction> {
                (**self).direction()
            }
            #[track_caller]
            fn try_update_state(&self, y_true: &Tensor, y_pred: &Tensor, weight: Option<&Tensor>) -> Result<()> {
                (**self).try_update_state(y_true, y_pred, weight)
            }
            #[track_caller]
            fn try_result(&self) -> Result<Tensor> {
                (**self).try_result()
            }
            #[track_caller]
            fn reset_state(&self) {
                (**self).reset_state();
            }
        }
    )*};
}

pointers!(Box<T>, Arc<T>, &T);

impl dyn Metric + '_ {
    /// Takes another batch in.
    ///
    /// # Panics
    /// As [`try_update_state`](Metric::try_update_state) fails, at the caller's line.
    #[track_caller]
    pub fn update_state(&self, y_true: impl AsTensor, y_pred: impl AsTensor) {
        updated(self, &y_true.as_tensor(), &y_pred.as_tensor(), None).or_fail()
    }

    /// Takes another batch in, whose examples count by their weight.
    ///
    /// # Panics
    /// As [`try_update_state`](Metric::try_update_state) fails, at the caller's line.
    #[track_caller]
    pub fn update_state_weighted(&self, y_true: impl AsTensor, y_pred: impl AsTensor, weight: impl AsTensor) {
        updated(self, &y_true.as_tensor(), &y_pred.as_tensor(), Some(&weight.as_tensor())).or_fail()
    }

    /// The metric of all batches so far.
    ///
    /// # Panics
    /// As [`try_result`](Metric::try_result) fails, at the caller's line.
    #[track_caller]
    pub fn result(&self) -> Tensor {
        answered(self).or_fail()
    }
}

impl fmt::Debug for dyn Metric + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Metric({})", self.name())
    }
}

/// An update by the metric's user, at whose line an error is.
#[track_caller]
pub(super) fn updated(metric: &dyn Metric, y_true: &Tensor, y_pred: &Tensor, weight: Option<&Tensor>) -> Result<()> {
    let here = Location::caller();
    metric.try_update_state(y_true, y_pred, weight).map_err(|e| e.at(here))
}

/// The result for the metric's user.
#[track_caller]
pub(super) fn answered(metric: &dyn Metric) -> Result<Tensor> {
    let here = Location::caller();
    metric.try_result().map_err(|e| e.at(here))
}

/// Writes the methods that every metric of labels and predictions has itself.
macro_rules! updates {
    ($($name:ident),* $(,)?) => {$(
        impl $name {
            /// Takes another batch in.
            ///
            /// # Panics
            /// As [`try_update_state`](Self::try_update_state) fails, at the caller's line.
            #[track_caller]
            pub fn update_state(&self, y_true: impl engine::AsTensor, y_pred: impl engine::AsTensor) {
                kernels::error::OrFail::or_fail(self.try_update_state(y_true, y_pred, None))
            }

            /// Takes another batch in, whose examples count by their weight.
            ///
            /// # Panics
            /// As [`try_update_state`](Self::try_update_state) fails, at the caller's line.
            #[track_caller]
            pub fn update_state_weighted(
                &self,
                y_true: impl engine::AsTensor,
                y_pred: impl engine::AsTensor,
                sample_weight: impl engine::AsTensor,
            ) {
                kernels::error::OrFail::or_fail(self.try_update_state(
                    y_true,
                    y_pred,
                    Some(&sample_weight.as_tensor()),
                ))
            }

            /// Takes another batch in, whose examples count by their weight if there are weights.
            ///
            /// # Errors
            /// InvalidArgument where labels, predictions and weights do not fit each other, with their shapes.
            #[track_caller]
            pub fn try_update_state(
                &self,
                y_true: impl engine::AsTensor,
                y_pred: impl engine::AsTensor,
                sample_weight: Option<&engine::Tensor>,
            ) -> kernels::error::Result<()> {
                $crate::metrics::metric::updated(self, &y_true.as_tensor(), &y_pred.as_tensor(), sample_weight)
            }

            /// [`update_state`](Self::update_state) by a shorter name.
            ///
            /// # Panics
            /// As [`try_update`](Self::try_update) fails, at the caller's line.
            #[track_caller]
            pub fn update(&self, y_true: impl engine::AsTensor, y_pred: impl engine::AsTensor) {
                kernels::error::OrFail::or_fail(self.try_update_state(y_true, y_pred, None))
            }

            /// [`try_update_state`](Self::try_update_state) without weights.
            ///
            /// # Errors
            /// As [`try_update_state`](Self::try_update_state).
            #[track_caller]
            pub fn try_update(
                &self,
                y_true: impl engine::AsTensor,
                y_pred: impl engine::AsTensor,
            ) -> kernels::error::Result<()> {
                self.try_update_state(y_true, y_pred, None)
            }

            /// Takes another batch in and answers the metric of all batches so far: Keras's call of a metric.
            ///
            /// # Panics
            /// As [`try_update_state`](Self::try_update_state) and [`try_result`](Self::try_result) fail, at the caller's line.
            #[track_caller]
            pub fn call(&self, y_true: impl engine::AsTensor, y_pred: impl engine::AsTensor) -> engine::Tensor {
                self.update_state(y_true, y_pred);
                self.result()
            }
        }

        $crate::metrics::metric::results!($name);
    )*};
}
pub(super) use updates;

/// Writes the methods that every metric has itself.
macro_rules! results {
    ($name:ident) => {
        impl $name {
            /// The metric of all batches so far.
            ///
            /// # Panics
            /// As [`try_result`](Self::try_result) fails, at the caller's line.
            #[track_caller]
            pub fn result(&self) -> engine::Tensor {
                kernels::error::OrFail::or_fail(self.try_result())
            }

            /// The metric of all batches so far.
            ///
            /// # Errors
            /// FailedPrecondition for a metric that takes its shape from the first batch and has seen none.
            #[track_caller]
            pub fn try_result(&self) -> kernels::error::Result<engine::Tensor> {
                $crate::metrics::metric::answered(self)
            }

            /// Forgets all batches.
            #[track_caller]
            pub fn reset_state(&self) {
                $crate::metrics::Metric::reset_state(self);
            }

            /// [`reset_state`](Self::reset_state) by a shorter name.
            #[track_caller]
            pub fn reset(&self) {
                $crate::metrics::Metric::reset_state(self);
            }
        }
    };
}
pub(super) use results;

/// Writes the method that gives a metric a name of the user's own.
macro_rules! named {
    ($($name:ident),* $(,)?) => {$(
        impl $name {
            /// A name of the user's own, under which training logs show the metric.
            #[must_use]
            pub fn name(mut self, name: impl Into<String>) -> Self {
                self.name = std::borrow::Cow::Owned(name.into());
                self
            }
        }
    )*};
}
pub(super) use named;
