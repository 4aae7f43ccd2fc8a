//! F-scores: the harmonic mean of precision and recall, of each class or of all.
//! Keras's `FBetaScore` and `F1Score`.

use super::confusion::{add, clear, zeros};
use super::metric::{named, updates};
use super::{Direction, Metric};
use crate::losses::checks::{EPSILON, numbers, same_shape};
use engine::library::cast_to;
use engine::library::options::options;
use engine::{Duplicate, Fields, LazyVariable, Module, Tensor, Variable, keep_dims};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::borrow::Cow;

/// How the scores of the classes become one; Keras's `average`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Average {
    /// One score per class.
    #[default]
    None,
    /// The score of all predictions, whatever their class.
    Micro,
    /// The mean of the scores of the classes.
    Macro,
    /// The mean of the scores of the classes, by how often each is a label.
    Weighted,
}

impl Duplicate for Average {
    fn duplicate_in(&self, _: &mut engine::Copies) -> Self {
        *self
    }
}

/// What both scores hold.
#[derive(Clone, Debug, Duplicate)]
struct State {
    #[module(skip)]
    average: Average,
    #[module(skip)]
    beta: f64,
    #[module(skip)]
    threshold: Option<f64>,
    /// True positives, false positives, false negatives, and how often each class is a label. The first batch tells how many there are.
    sums: [LazyVariable; 4],
}

const NAMES: [&str; 4] = ["true_positives", "false_positives", "false_negatives", "intermediate_weights"];

impl State {
    fn new() -> Self {
        Self { average: Average::None, beta: 1.0, threshold: None, sums: std::array::from_fn(|_| LazyVariable::new()) }
    }

    #[track_caller]
    fn sums_for(&self, metric: &str, predictions: &Tensor) -> Result<[&Variable; 4]> {
        let classes = predictions.shape().dim(1);
        let known = match self.sums[0].get() {
            Some(sum) if self.average != Average::Micro => {
                let before = sum.shape().dim(0);
                if !before.can_equal(classes) {
                    return Err(Error::invalid_argument(
                        metric,
                        "the predictions have another number of classes than before",
                    )
                    .got(predictions.shape())
                    .expected(format!("{before} classes")));
                }
                before.known_value()
            }
            _ => classes.known_value(),
        };
        let shape = match (self.average, known) {
            (Average::Micro, _) => Vec::new(),
            (_, Some(known)) => vec![known],
            (_, None) => {
                return Err(Error::invalid_argument(metric, "the number of classes is not known")
                    .got(predictions.shape())
                    .expected("a known last size"));
            }
        };
        let make =
            |i: usize| -> Result<&Variable> { self.sums[i].get_or_build(|| Ok(zeros(metric, NAMES[i], &shape))) };
        Ok([make(0)?, make(1)?, make(2)?, make(3)?])
    }

    #[track_caller]
    fn update(&self, metric: &str, y_true: &Tensor, y_pred: &Tensor, weight: Option<&Tensor>) -> Result<()> {
        let predictions = cast_to(y_pred, DType::F32)?;
        if predictions.rank() != 2 {
            return Err(Error::invalid_argument(metric, "the predictions are no rows of classes")
                .got(format!("labels {}, predictions {}", y_true.shape(), y_pred.shape()))
                .expected("[batch, classes] for both"));
        }
        same_shape(metric, y_true, &predictions)?;
        let labels = cast_to(&numbers(metric, y_true, &predictions)?, DType::F64)?;
        let yes = match self.threshold {
            Some(threshold) => predictions.try_greater(threshold)?,
            None => {
                let greatest = predictions.try_greater_equal(&predictions.try_reduce_max(keep_dims(-1))?)?;
                // A row of zeros is no answer, and not one for all classes.
                engine::try_logical_and(&greatest, predictions.try_abs()?.try_greater(1e-9)?)?
            }
        };
        let yes = cast_to(&yes, DType::F64)?;
        let weight = match weight {
            Some(weight) => Some(column(metric, weight, &predictions)?),
            None => None,
        };
        let right = yes.try_multiply(&labels)?;
        // What is counted follows from three products: the rest are differences.
        let (all_yes, all_labels) = (self.sum(&yes, weight.as_ref())?, self.sum(&labels, weight.as_ref())?);
        let right = self.sum(&right, weight.as_ref())?;
        let counted = [right.clone(), all_yes.try_subtract(&right)?, all_labels.try_subtract(&right)?, all_labels];
        for (sum, counted) in self.sums_for(metric, &predictions)?.into_iter().zip(counted) {
            add(sum, &counted)?;
        }
        Ok(())
    }

    #[track_caller]
    fn sum(&self, values: &Tensor, weight: Option<&Tensor>) -> Result<Tensor> {
        let values = match weight {
            Some(weight) => values.try_multiply(weight)?,
            None => values.clone(),
        };
        match self.average {
            Average::Micro => values.try_reduce_sum(()),
            _ => values.try_reduce_sum(0),
        }
    }

    #[track_caller]
    fn result(&self, metric: &str) -> Result<Tensor> {
        let mut sums = Vec::with_capacity(4);
        for sum in &self.sums {
            let Some(sum) = sum.get() else {
                return Err(Error::failed_precondition(metric, "the metric has seen no batch yet")
                    .help("call `update_state` first, which tells the number of classes"));
            };
            sums.push(sum.value());
        }
        let right = &sums[0];
        let precision = right.try_divide(&right.try_add(&sums[1])?.try_add(EPSILON)?)?;
        let recall = right.try_divide(&right.try_add(&sums[2])?.try_add(EPSILON)?)?;
        let square = self.beta * self.beta;
        let below = precision.try_multiply(square)?.try_add(&recall)?.try_add(EPSILON)?;
        let scores = precision.try_multiply(&recall)?.try_divide(&below)?.try_multiply(1.0 + square)?;
        let score = match self.average {
            Average::None => scores,
            Average::Micro | Average::Macro => scores.try_reduce_mean(())?,
            Average::Weighted => {
                let shares = sums[3].try_divide(&sums[3].try_reduce_sum(())?.try_add(EPSILON)?)?;
                scores.try_multiply(&shares)?.try_reduce_sum(())?
            }
        };
        cast_to(&score, DType::F32)
    }

    #[track_caller]
    fn forget(&self) {
        let made: Vec<&Variable> = self.sums.iter().filter_map(LazyVariable::get).collect();
        clear(&made);
    }
}

/// One weight per example, as a column.
#[track_caller]
fn column(metric: &str, weight: &Tensor, predictions: &Tensor) -> Result<Tensor> {
    if weight.rank() != 1 || !weight.shape().dim(0).can_equal(predictions.shape().dim(0)) {
        return Err(Error::invalid_argument(metric, "the weights do not fit the predictions")
            .got(format!("weights {}, predictions {}", weight.shape(), predictions.shape()))
            .expected("one weight per example"));
    }
    engine::try_expand_dims(cast_to(weight, DType::F64)?, 1)
}

impl Module for State {
    fn visit(&self, fields: &mut Fields<'_>) {
        for (name, sum) in NAMES.iter().zip(&self.sums) {
            fields.field(name, sum);
        }
        fields.value(&self.average);
        fields.field("beta", &self.beta);
        fields.field("threshold", &self.threshold);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

macro_rules! scores {
    ($($(#[$doc:meta])* $name:ident($text:literal);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Duplicate)]
        pub struct $name {
            #[module(skip)]
            name: Cow<'static, str>,
            state: State,
        }

        impl $name {
            /// A metric without batches, of each class, where the greatest of a row is the answer.
            pub fn new() -> Self {
                Self { name: $text.into(), state: State::new() }
            }

            /// How the scores of the classes become one; one score per class by default.
            #[must_use]
            pub fn average(mut self, average: Average) -> Self {
                self.state = State { average, ..State::new().with(&self.state) };
                self
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        options! { $name:
            /// Above which prediction the answer is yes, above 0 and up to 1. Without it, the greatest of a row is.
            pub fn threshold, try_threshold(this, threshold: f64) {
                if !(threshold > 0.0 && threshold <= 1.0) {
                    let error = Error::invalid_argument(stringify!($name), "`threshold` is out of range");
                    return Err(error.got(threshold).expected("a number above 0, up to 1"));
                }
                this.state.threshold = Some(threshold);
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
                self.state.update($text, y_true, y_pred, sample_weight)
            }

            #[track_caller]
            fn try_result(&self) -> Result<Tensor> {
                self.state.result($text)
            }

            #[track_caller]
            fn reset_state(&self) {
                self.state.forget();
            }
        }

        impl Module for $name {
            fn visit(&self, fields: &mut Fields<'_>) {
                fields.value(stringify!($name));
                self.state.visit(fields);
            }
        }
    )*};
}

impl State {
    /// The options of another, with sums of its own.
    fn with(self, other: &Self) -> Self {
        Self { average: other.average, beta: other.beta, threshold: other.threshold, ..self }
    }
}

scores! {
    /// The mean of precision and recall, in which recall counts `beta` times as much, of labels and predictions `[batch, classes]`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::FBetaScore::new().beta(2.0).threshold(0.5);
    /// metric.update_state(
    ///     tf::constant([[1, 1, 1], [1, 0, 0], [1, 1, 0]]),
    ///     tf::constant([[0.2, 0.6, 0.7], [0.2, 0.6, 0.6], [0.6, 0.8, 0.0]]),
    /// );
    /// let scores = metric.result().to_vec::<f32>();
    /// assert!(scores.iter().zip([0.384_615_4, 0.909_091, 0.833_333_4]).all(|(a, b)| (a - b).abs() < 1e-6));
    /// ```
    FBetaScore("fbeta_score");

    /// The harmonic mean of precision and recall, of labels and predictions `[batch, classes]`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::metrics::{Average, F1Score};
    /// let metric = F1Score::new().average(Average::Macro);
    /// metric.update_state(tf::constant([[1, 0], [0, 1]]), tf::constant([[0.9, 0.1], [0.2, 0.8]]));
    /// assert!((metric.result().item::<f32>() - 1.0).abs() < 1e-6);
    /// ```
    F1Score("f1_score");
}

options! { FBetaScore:
    /// How much more recall counts than precision, above 0; 1 by default.
    pub fn beta, try_beta(this, beta: f64) {
        if !(beta > 0.0 && beta.is_finite()) {
            let error = Error::invalid_argument("FBetaScore", "`beta` is out of range");
            return Err(error.got(beta).expected("a finite number above 0"));
        }
        this.state.beta = beta;
        Ok(this)
    }
}
