//! The best that one share can be where another is kept: precision at recall, sensitivity at specificity, and the two turned around.
//! Keras's metrics of these names, over thresholds from 0 to 1.

use super::batch::{Batch, Chosen};
use super::confusion::{add, clear, share, zeros};
use super::metric::{named, updates};
use super::thresholds::Thresholds;
use super::{Direction, Metric};
use engine::library::cast_to;
use engine::library::options::{self, options};
use engine::{Duplicate, Fields, Module, Tensor, Variable};
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use std::borrow::Cow;
use std::panic::Location;

/// The four counts at each threshold.
#[derive(Clone, Debug, Duplicate)]
pub(super) struct Counts {
    pub true_positives: Variable,
    pub false_positives: Variable,
    pub true_negatives: Variable,
    pub false_negatives: Variable,
}

impl Counts {
    #[track_caller]
    pub fn new(metric: &str, shape: &[usize]) -> Self {
        Self {
            true_positives: zeros(metric, "true_positives", shape),
            false_positives: zeros(metric, "false_positives", shape),
            true_negatives: zeros(metric, "true_negatives", shape),
            false_negatives: zeros(metric, "false_negatives", shape),
        }
    }

    #[track_caller]
    pub fn add(&self, batch: &Batch, thresholds: &Thresholds) -> Result<()> {
        let ((right, wrong), (yes, no)) = (batch.above(thresholds)?, batch.totals()?);
        add(&self.true_positives, &right)?;
        add(&self.false_positives, &wrong)?;
        add(&self.true_negatives, &no.try_subtract(&wrong)?)?;
        add(&self.false_negatives, &yes.try_subtract(&right)?)
    }

    #[track_caller]
    pub fn clear(&self) {
        clear(&[&self.true_positives, &self.false_positives, &self.true_negatives, &self.false_negatives]);
    }

    /// Another word for recall.
    #[track_caller]
    fn sensitivity(&self) -> Result<Tensor> {
        self.recall()
    }

    #[track_caller]
    pub fn recall(&self) -> Result<Tensor> {
        share(&self.true_positives, &self.false_negatives)
    }

    #[track_caller]
    pub fn precision(&self) -> Result<Tensor> {
        share(&self.true_positives, &self.false_positives)
    }

    #[track_caller]
    fn specificity(&self) -> Result<Tensor> {
        share(&self.true_negatives, &self.false_positives)
    }
}

impl Module for Counts {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("true_positives", &self.true_positives);
        fields.field("false_positives", &self.false_positives);
        fields.field("true_negatives", &self.true_negatives);
        fields.field("false_negatives", &self.false_negatives);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

macro_rules! constrained {
    ($($(#[$doc:meta])* $name:ident($text:literal): $best:ident at $kept:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Duplicate)]
        pub struct $name {
            #[module(skip)]
            name: Cow<'static, str>,
            #[module(skip)]
            $kept: f64,
            counts: Counts,
            #[module(skip)]
            thresholds: Thresholds,
            #[module(skip)]
            chosen: Chosen,
        }

        impl $name {
            #[doc = concat!("A metric without batches, for ", stringify!($kept), " of at least this, from 0 to 1.")]
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new($kept: f64) -> Self {
                Self::try_new($kept).or_fail()
            }

            #[doc = concat!("A metric without batches, for ", stringify!($kept), " that comes from data.")]
            ///
            /// # Errors
            /// InvalidArgument for a number that is not from 0 to 1.
            #[track_caller]
            pub fn try_new($kept: f64) -> Result<Self> {
                let here = Location::caller();
                let $kept = options::share(stringify!($name), stringify!($kept), $kept).map_err(|e| e.at(here))?;
                Ok(Self {
                    name: $text.into(),
                    $kept,
                    counts: Counts::new($text, &[200]),
                    thresholds: Thresholds::evenly(200),
                    chosen: Chosen::default(),
                })
            }

            /// The only class whose predictions count, of predictions `[batch, classes]`; all by default.
            #[must_use]
            pub fn class_id(mut self, class_id: impl Into<Option<usize>>) -> Self {
                self.chosen.class_id = class_id.into();
                self
            }
        }

        options! { $name:
            /// How many thresholds from 0 to 1 are tried; 200 by default.
            pub fn num_thresholds, try_num_thresholds(this, num_thresholds: usize) {
                let count = options::count(stringify!($name), "num_thresholds", num_thresholds)?;
                this.counts = Counts::new($text, &[count]);
                this.thresholds = Thresholds::evenly(count);
                Ok(this)
            }
        }

        named!($name);
        updates!($name);

        impl Metric for $name {
            fn name(&self) -> &str {
                &self.name
            }

            fn direction(&self) -> Option<Direction> {
                Some(Direction::Up)
            }

            #[track_caller]
            fn try_update_state(&self, y_true: &Tensor, y_pred: &Tensor, sample_weight: Option<&Tensor>) -> Result<()> {
                let batch = Batch::new($text, y_true, y_pred, sample_weight, &self.chosen)?;
                self.counts.add(&batch, &self.thresholds)
            }

            #[track_caller]
            fn try_result(&self) -> Result<Tensor> {
                best_where(&self.counts.$best()?, &self.counts.$kept()?, self.$kept)
            }

            #[track_caller]
            fn reset_state(&self) {
                self.counts.clear();
            }
        }

        impl Module for $name {
            fn visit(&self, fields: &mut Fields<'_>) {
                fields.value(stringify!($name));
                self.counts.visit(fields);
                fields.field(stringify!($kept), &self.$kept);
                fields.field("thresholds", &self.thresholds);
                fields.field("chosen", &self.chosen);
            }
        }
    )*};
}

/// The greatest of some shares where others are at least a number; 0 where they never are.
#[track_caller]
fn best_where(best: &Tensor, kept: &Tensor, least: f64) -> Result<Tensor> {
    // Keras compares in float32, in which a share of 0.8 is not below 0.8.
    let kept = cast_to(kept, DType::F32)?;
    let possible = kept.try_greater_equal(least)?.try_select(&cast_to(best, DType::F32)?, 0.0)?;
    possible.try_reduce_max(())
}

constrained! {
    /// The greatest precision at a threshold where the recall is at least a number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::PrecisionAtRecall::new(0.5);
    /// metric.update_state(tf::constant([0, 0, 0, 1, 1]), tf::constant([0.0, 0.3, 0.8, 0.3, 0.8]));
    /// assert_eq!(metric.result().item::<f32>(), 0.5);
    /// ```
    PrecisionAtRecall("precision_at_recall"): precision at recall;

    /// The greatest recall at a threshold where the precision is at least a number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::RecallAtPrecision::new(0.8);
    /// metric.update_state(tf::constant([0, 0, 1, 1]), tf::constant([0.0, 0.5, 0.3, 0.9]));
    /// assert_eq!(metric.result().item::<f32>(), 0.5);
    /// ```
    RecallAtPrecision("recall_at_precision"): recall at precision;

    /// The greatest sensitivity, the share of the labels of 1 that are found, at a threshold where the specificity, the share of the
    /// labels of 0 that are left out, is at least a number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::SensitivityAtSpecificity::new(0.5);
    /// metric.update_state(tf::constant([0, 0, 0, 1, 1]), tf::constant([0.0, 0.3, 0.8, 0.3, 0.8]));
    /// assert_eq!(metric.result().item::<f32>(), 0.5);
    /// ```
    SensitivityAtSpecificity("sensitivity_at_specificity"): sensitivity at specificity;

    /// The greatest specificity, the share of the labels of 0 that are left out, at a threshold where the sensitivity, the share of the
    /// labels of 1 that are found, is at least a number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::SpecificityAtSensitivity::new(0.5);
    /// metric.update_state(tf::constant([0, 0, 0, 1, 1]), tf::constant([0.0, 0.3, 0.8, 0.3, 0.8]));
    /// assert!((metric.result().item::<f32>() - 2.0 / 3.0).abs() < 1e-6);
    /// ```
    SpecificityAtSensitivity("specificity_at_sensitivity"): specificity at sensitivity;
}
