//! Metrics of numbers: means of the regression losses over an epoch, and the root of the squared one.
//! Keras's metrics of these names; `R2Score` is in `r2_score.rs`, the correlations are in `correlation.rs`.

use super::metric::{named, updates};
use super::wrapper::mean_metric;
use super::{Direction, Mean, Metric};
use crate::losses::{self, checks, cosine};
use engine::{Duplicate, Fields, Module, Tensor};
use kernels::error::Result;
use std::borrow::Cow;

/// Writes a metric that is the mean of a loss's function.
macro_rules! mean_of_loss {
    ($($(#[$doc:meta])* $name:ident($text:literal) = $loss:ident;)*) => {$(
        mean_metric! {
            $(#[$doc])*
            pub struct $name($text, Down) {}
            |_, labels, predictions| {
                Ok((losses::$loss(labels, predictions)?, None))
            }
        }
    )*};
}
pub(super) use mean_of_loss;

mean_of_loss! {
    /// The mean of the squared differences.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::MeanSquaredError::new();
    /// metric.update_state(tf::constant([[0.0, 1.0]]), tf::constant([[1.0, 3.0]]));
    /// assert_eq!(metric.result().item::<f32>(), 2.5);
    /// ```
    MeanSquaredError("mean_squared_error") = try_mean_squared_error;

    /// The mean of the absolute differences.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::MeanAbsoluteError::new();
    /// metric.update_state(tf::constant([[0.0, 1.0]]), tf::constant([[1.0, 3.0]]));
    /// assert_eq!(metric.result().item::<f32>(), 1.5);
    /// ```
    MeanAbsoluteError("mean_absolute_error") = try_mean_absolute_error;

    /// 100 times the mean of the absolute differences as shares of the labels.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::MeanAbsolutePercentageError::new();
    /// metric.update_state(tf::constant([[2.0, 4.0]]), tf::constant([[1.0, 3.0]]));
    /// assert_eq!(metric.result().item::<f32>(), 37.5);
    /// ```
    MeanAbsolutePercentageError("mean_absolute_percentage_error") = try_mean_absolute_percentage_error;

    /// The mean of the squared differences of the logarithms of 1 more than each number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::MeanSquaredLogarithmicError::new();
    /// metric.update_state(tf::constant([[3.0]]), tf::constant([[3.0]]));
    /// assert_eq!(metric.result().item::<f32>(), 0.0);
    /// ```
    MeanSquaredLogarithmicError("mean_squared_logarithmic_error") = try_mean_squared_logarithmic_error;

    /// The mean of the logarithms of the hyperbolic cosine of the differences.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::LogCoshError::new();
    /// metric.update_state(tf::constant([[0.0]]), tf::constant([[2.0]]));
    /// assert!((metric.result().item::<f32>() - 2f32.cosh().ln()).abs() < 1e-6);
    /// ```
    LogCoshError("logcosh") = try_log_cosh;
}

mean_metric! {
    /// The mean of the cosines of the angles between labels and predictions: 1 for the same direction. The loss of this name is its
    /// negative.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::CosineSimilarity::new();
    /// metric.update_state(tf::constant([[0.0, 2.0], [1.0, 0.0]]), tf::constant([[0.0, 3.0], [0.0, 1.0]]));
    /// assert!((metric.result().item::<f32>() - 0.5).abs() < 1e-6);
    /// ```
    pub struct CosineSimilarity("cosine_similarity", Up) { axis: isize = -1 }
    |this, labels, predictions| {
        let (labels, predictions) = checks::fitted("cosine_similarity", labels, predictions)?;
        Ok((cosine(&labels, &predictions, this.axis)?, None))
    }
}

impl CosineSimilarity {
    /// The axis along which the vectors lie; -1, the last, by default.
    #[must_use]
    pub fn axis(mut self, axis: isize) -> Self {
        self.axis = axis;
        self
    }
}

/// The root of the mean of the squared differences.
///
/// ```
/// use eagerflow as tf;
/// let metric = tf::metrics::RootMeanSquaredError::new();
/// metric.update_state(tf::constant([[0.0, 0.0]]), tf::constant([[1.0, 7.0]]));
/// assert_eq!(metric.result().item::<f32>(), 5.0);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct RootMeanSquaredError {
    #[module(skip)]
    name: Cow<'static, str>,
    mean: Mean,
}

impl RootMeanSquaredError {
    /// A metric without batches.
    #[track_caller]
    pub fn new() -> Self {
        Self { name: "root_mean_squared_error".into(), mean: Mean::new("root_mean_squared_error") }
    }
}

impl Default for RootMeanSquaredError {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

named!(RootMeanSquaredError);
updates!(RootMeanSquaredError);

impl Metric for RootMeanSquaredError {
    fn name(&self) -> &str {
        &self.name
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Down)
    }

    #[track_caller]
    fn try_update_state(&self, y_true: &Tensor, y_pred: &Tensor, sample_weight: Option<&Tensor>) -> Result<()> {
        let (labels, predictions) = checks::fitted("root_mean_squared_error", y_true, y_pred)?;
        self.mean.add(&predictions.try_squared_difference(&labels)?, sample_weight)
    }

    #[track_caller]
    fn try_result(&self) -> Result<Tensor> {
        self.mean.mean()?.try_sqrt()
    }

    #[track_caller]
    fn reset_state(&self) {
        self.mean.forget();
    }
}

impl Module for RootMeanSquaredError {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value("RootMeanSquaredError");
        self.mean.visit(fields);
    }
}
