//! The shares of predictions that are right and wrong at some thresholds: precision and recall; sums for each threshold.
//! Keras's metrics of these names, over `batch.rs`; other metrics of counts keep their sums by the functions here.

use super::batch::{Batch, Chosen};
use super::metric::{named, updates};
use super::thresholds::{IntoThresholds, Thresholds};
use super::{Direction, Metric};
use engine::library::cast_to;
use engine::library::options::{self, options};
use engine::{Duplicate, Fields, Module, Tensor, Variable};
use kernels::dtype::DType;
use kernels::error::Result;
use std::borrow::Cow;

/// Sums for each threshold, all 0.
#[track_caller]
pub(super) fn zeros(metric: &str, name: &str, shape: &[usize]) -> Variable {
    let count = shape.iter().product();
    let value = engine::reshape(Tensor::from(vec![0.0f64; count]), shape);
    Variable::with(value, &format!("{metric}/{name}"), false)
}

/// Adds to sums that are kept in `float64`.
#[track_caller]
pub(super) fn add(to: &Variable, values: &Tensor) -> Result<()> {
    to.try_assign_add(values)
}

/// Sets sums to 0.
#[track_caller]
pub(super) fn clear(sums: &[&Variable]) {
    for sum in sums {
        sum.assign(&engine::zeros_like(sum.value()));
    }
}

/// A result for each threshold as `float32`, a scalar for one threshold.
#[track_caller]
pub(super) fn answer(values: &Tensor) -> Result<Tensor> {
    let narrow = cast_to(values, DType::F32)?;
    match narrow.shape().known_dims() {
        Some([1]) => engine::library::reshape_to(&narrow, &kernels::shape::Shape::new(&[])?),
        _ => Ok(narrow),
    }
}

/// `a / (a + b)`, 0 where both are 0.
#[track_caller]
pub(super) fn share(a: &Variable, b: &Variable) -> Result<Tensor> {
    let a = a.value();
    engine::try_div_no_nan(&a, &a.try_add(&b.value())?)
}

macro_rules! shares {
    ($($(#[$doc:meta])* $name:ident($text:literal): $other:ident |$batch:ident, $thresholds:ident| $count:block)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Duplicate)]
        pub struct $name {
            #[module(skip)]
            name: Cow<'static, str>,
            true_positives: Variable,
            $other: Variable,
            #[module(skip)]
            thresholds: Option<Thresholds>,
            #[module(skip)]
            chosen: Chosen,
        }

        impl $name {
            /// A metric without batches, at the threshold one half.
            #[track_caller]
            pub fn new() -> Self {
                Self {
                    name: $text.into(),
                    true_positives: zeros($text, "true_positives", &[1]),
                    $other: zeros($text, stringify!($other), &[1]),
                    thresholds: None,
                    chosen: Chosen::default(),
                }
            }

            /// The only class whose predictions count, of predictions `[batch, classes]`; all by default.
            #[must_use]
            pub fn class_id(mut self, class_id: impl Into<Option<usize>>) -> Self {
                self.chosen.class_id = class_id.into();
                self
            }

            /// The thresholds: without any, one half, or none for the greatest of a row.
            fn thresholds_in_force(&self) -> Cow<'_, Thresholds> {
                match &self.thresholds {
                    Some(thresholds) => Cow::Borrowed(thresholds),
                    None if self.chosen.top_k.is_some() => Cow::Owned(Thresholds::never()),
                    None => Cow::Owned(Thresholds::half()),
                }
            }
        }

        impl Default for $name {
            #[track_caller]
            fn default() -> Self {
                Self::new()
            }
        }

        options! { $name:
            /// Above which prediction the answer is yes: a number from 0 to 1, or several, for a result each. One half by default;
            /// none with `top_k`.
            pub fn thresholds, try_thresholds(this, thresholds: impl IntoThresholds) {
                let thresholds = Thresholds::checked(stringify!($name), thresholds.into_thresholds())?;
                this.true_positives = zeros($text, "true_positives", &[thresholds.len()]);
                this.$other = zeros($text, stringify!($other), &[thresholds.len()]);
                this.thresholds = Some(thresholds);
                Ok(this)
            }

            /// How many of the greatest predictions of each row are taken for a yes; all that are above the threshold by default.
            pub fn top_k, try_top_k(this, top_k: usize) {
                this.chosen.top_k = Some(options::count(stringify!($name), "top_k", top_k)?);
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
                let $batch = Batch::new($text, y_true, y_pred, sample_weight, &self.chosen)?;
                let $thresholds = &self.thresholds_in_force();
                let (right, other): (Tensor, Tensor) = $count;
                add(&self.true_positives, &right)?;
                add(&self.$other, &other)
            }

            #[track_caller]
            fn try_result(&self) -> Result<Tensor> {
                answer(&share(&self.true_positives, &self.$other)?)
            }

            #[track_caller]
            fn reset_state(&self) {
                clear(&[&self.true_positives, &self.$other]);
            }
        }

        impl Module for $name {
            fn visit(&self, fields: &mut Fields<'_>) {
                fields.value(stringify!($name));
                fields.field("true_positives", &self.true_positives);
                fields.field(stringify!($other), &self.$other);
                fields.field("thresholds", &self.thresholds);
                fields.field("chosen", &self.chosen);
            }
        }
    )*};
}

shares! {
    /// The share of the predictions above the threshold whose label is 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::Precision::new();
    /// metric.update_state(tf::constant([0, 1, 1, 1]), tf::constant([1.0, 0.0, 1.0, 1.0]));
    /// assert!((metric.result().item::<f32>() - 2.0 / 3.0).abs() < 1e-6);
    /// let top = tf::metrics::Precision::new().top_k(2);
    /// top.update_state(tf::constant([[0, 0, 1, 1]]), tf::constant([[0.1, 0.2, 0.3, 0.4]]));
    /// assert_eq!(top.result().item::<f32>(), 1.0);
    /// ```
    Precision("precision"): false_positives |batch, thresholds| {
        batch.above(thresholds)?
    }

    /// The share of the labels of 1 whose prediction is above the threshold.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::Recall::new().class_id(1);
    /// metric.update_state(tf::constant([[0, 1], [1, 1]]), tf::constant([[0.9, 0.2], [0.1, 0.7]]));
    /// assert_eq!(metric.result().item::<f32>(), 0.5);
    /// ```
    Recall("recall"): false_negatives |batch, thresholds| {
        let right = batch.above(thresholds)?.0;
        let missed = batch.totals()?.0.try_subtract(&right)?;
        (right, missed)
    }
}
