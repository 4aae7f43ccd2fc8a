//! Counts of predictions that are right and wrong at some thresholds.
//! Keras's `TruePositives`, `FalsePositives`, `TrueNegatives` and `FalseNegatives`, over `batch.rs`.

use super::Metric;
use super::batch::{Batch, Chosen};
use super::confusion::{add, answer, clear, zeros};
use super::metric::{named, updates};
use super::thresholds::{IntoThresholds, Thresholds};
use engine::library::options::options;
use engine::{Duplicate, Fields, Module, Tensor, Variable};
use kernels::error::Result;
use std::borrow::Cow;

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident($text:literal) |$batch:ident, $thresholds:ident| $count:block)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Duplicate)]
        pub struct $name {
            #[module(skip)]
            name: Cow<'static, str>,
            accumulator: Variable,
            #[module(skip)]
            thresholds: Thresholds,
        }

        impl $name {
            /// A metric without batches, at the threshold one half.
            #[track_caller]
            pub fn new() -> Self {
                Self { name: $text.into(), accumulator: zeros($text, "accumulator", &[1]), thresholds: Thresholds::half() }
            }
        }

        impl Default for $name {
            #[track_caller]
            fn default() -> Self {
                Self::new()
            }
        }

        options! { $name:
            /// Above which prediction the answer is yes: a number from 0 to 1, or several, for a result each. One half by default.
            pub fn thresholds, try_thresholds(this, thresholds: impl IntoThresholds) {
                this.thresholds = Thresholds::checked(stringify!($name), thresholds.into_thresholds())?;
                this.accumulator = zeros($text, "accumulator", &[this.thresholds.len()]);
                Ok(this)
            }
        }

        named!($name);
        updates!($name);

        impl Metric for $name {
            fn name(&self) -> &str {
                &self.name
            }

            #[track_caller]
            fn try_update_state(&self, y_true: &Tensor, y_pred: &Tensor, sample_weight: Option<&Tensor>) -> Result<()> {
                let $batch = Batch::new($text, y_true, y_pred, sample_weight, &Chosen::default())?;
                let $thresholds = &self.thresholds;
                let counted: Tensor = $count;
                add(&self.accumulator, &counted)
            }

            #[track_caller]
            fn try_result(&self) -> Result<Tensor> {
                answer(&self.accumulator.value())
            }

            #[track_caller]
            fn reset_state(&self) {
                clear(&[&self.accumulator]);
            }
        }

        impl Module for $name {
            fn visit(&self, fields: &mut Fields<'_>) {
                fields.value(stringify!($name));
                fields.field("accumulator", &self.accumulator);
                fields.field("thresholds", &self.thresholds);
            }
        }
    )*};
}

counts! {
    /// How many labels of 1 have a prediction above the threshold.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::TruePositives::new();
    /// metric.update_state(tf::constant([0, 1, 1, 1]), tf::constant([1.0, 0.0, 1.0, 1.0]));
    /// assert_eq!(metric.result().item::<f32>(), 2.0);
    /// ```
    TruePositives("true_positives") |batch, thresholds| {
        batch.above(thresholds)?.0
    }

    /// How many labels of 0 have a prediction above the threshold.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::FalsePositives::new();
    /// metric.update_state(tf::constant([0, 1, 0, 0]), tf::constant([0.0, 0.0, 1.0, 1.0]));
    /// assert_eq!(metric.result().item::<f32>(), 2.0);
    /// ```
    FalsePositives("false_positives") |batch, thresholds| {
        batch.above(thresholds)?.1
    }

    /// How many labels of 0 have a prediction that is not above the threshold.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::TrueNegatives::new().thresholds([0.3, 0.7]);
    /// metric.update_state(tf::constant([0, 1, 0, 0]), tf::constant([1.0, 1.0, 0.0, 0.5]));
    /// assert_eq!(metric.result().to_vec::<f32>(), [1.0, 2.0]);
    /// ```
    TrueNegatives("true_negatives") |batch, thresholds| {
        batch.totals()?.1.try_subtract(&batch.above(thresholds)?.1)?
    }

    /// How many labels of 1 have a prediction that is not above the threshold.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::FalseNegatives::new();
    /// metric.update_state_weighted(tf::constant([0, 1, 1]), tf::constant([0.0, 0.0, 0.2]), tf::constant([1.0, 2.0, 3.0]));
    /// assert_eq!(metric.result().item::<f32>(), 5.0);
    /// ```
    FalseNegatives("false_negatives") |batch, thresholds| {
        batch.totals()?.0.try_subtract(&batch.above(thresholds)?.0)?
    }
}
