//! `R2Score`: how much of the variance of the labels the predictions explain.
//! Keras's metric of this name.

use super::confusion::{add, clear, zeros};
use super::metric::{named, updates};
use super::{Direction, Metric};
use crate::losses::checks::fitted;
use engine::library::cast_to;
use engine::{Duplicate, Fields, LazyVariable, Module, Tensor, Variable};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::borrow::Cow;

/// How the scores of the outputs become one; Keras's `class_aggregation`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ClassAggregation {
    /// Their mean.
    #[default]
    UniformAverage,
    /// Their mean by the variance of the labels of each.
    VarianceWeightedAverage,
    /// One score per output.
    None,
}

impl Duplicate for ClassAggregation {
    fn duplicate_in(&self, _: &mut engine::Copies) -> Self {
        *self
    }
}

/// How much of the variance of labels `[batch, outputs]` the predictions explain: 1 for all, 0 for as much as their mean would, less for
/// less.
///
/// ```
/// use eagerflow as tf;
/// let metric = tf::metrics::R2Score::new();
/// metric.update_state(tf::constant([[1.0], [4.0], [3.0]]), tf::constant([[2.0], [4.0], [4.0]]));
/// assert!((metric.result().item::<f32>() - 4.0 / 7.0).abs() < 1e-6);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct R2Score {
    #[module(skip)]
    name: Cow<'static, str>,
    #[module(skip)]
    class_aggregation: ClassAggregation,
    #[module(skip)]
    num_regressors: usize,
    num_samples: Variable,
    /// Squares and sums of the labels, squared differences, and weights, of each output. The first batch tells how many there are.
    sums: [LazyVariable; 4],
}

const NAMES: [&str; 4] = ["squared_sum", "sum", "residual", "count"];

impl R2Score {
    /// A metric without batches: the mean over all outputs, not adjusted.
    #[track_caller]
    pub fn new() -> Self {
        Self {
            name: "r2_score".into(),
            class_aggregation: ClassAggregation::UniformAverage,
            num_regressors: 0,
            num_samples: zeros("r2_score", "num_samples", &[]),
            sums: std::array::from_fn(|_| LazyVariable::new()),
        }
    }

    /// How the scores of the outputs become one; their mean by default.
    #[must_use]
    pub fn class_aggregation(mut self, class_aggregation: ClassAggregation) -> Self {
        self.class_aggregation = class_aggregation;
        self
    }

    /// How many independent regressors the predictions are made of: more than 0 adjusts the score to it, if there are more labels than
    /// that. 0 by default.
    #[must_use]
    pub fn num_regressors(mut self, num_regressors: usize) -> Self {
        self.num_regressors = num_regressors;
        self
    }

    #[track_caller]
    fn sums_for(&self, outputs: kernels::shape::Dim) -> Result<[&Variable; 4]> {
        let before = self.sums[0].get().map(|sum| sum.shape().dim(0));
        if let Some(before) = before
            && !before.can_equal(outputs)
        {
            return Err(Error::invalid_argument(
                "r2_score",
                "the predictions have another number of outputs than before",
            )
            .got(outputs)
            .expected(before));
        }
        let Some(known) = before.unwrap_or(outputs).known_value() else {
            return Err(Error::invalid_argument("r2_score", "the number of outputs is not known")
                .got("predictions of a size that only the run knows")
                .expected("a known last size"));
        };
        let make =
            |i: usize| -> Result<&Variable> { self.sums[i].get_or_build(|| Ok(zeros("r2_score", NAMES[i], &[known]))) };
        Ok([make(0)?, make(1)?, make(2)?, make(3)?])
    }

    /// The score of labels and predictions less their number, adjusted to the number of regressors where there are enough labels.
    #[track_caller]
    fn adjusted(&self, score: Tensor) -> Result<Tensor> {
        if self.num_regressors == 0 {
            return Ok(score);
        }
        let freedom = self.num_samples.value().try_subtract(1.0)?;
        let left = freedom.try_subtract(self.num_regressors as f64)?;
        let lost = engine::try_subtract(1.0, &score)?.try_multiply(&freedom)?.try_divide(&left)?;
        left.try_greater(0.0)?.try_select(&engine::try_subtract(1.0, &lost)?, &score)
    }
}

impl Default for R2Score {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

named!(R2Score);
updates!(R2Score);

impl Metric for R2Score {
    fn name(&self) -> &str {
        &self.name
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Up)
    }

    #[track_caller]
    fn try_update_state(&self, y_true: &Tensor, y_pred: &Tensor, sample_weight: Option<&Tensor>) -> Result<()> {
        let (labels, predictions) = fitted("r2_score", y_true, y_pred)?;
        if labels.rank() != 2 {
            return Err(Error::invalid_argument("r2_score", "labels and predictions are no rows of outputs")
                .got(format!("labels {}, predictions {}", y_true.shape(), y_pred.shape()))
                .expected("[batch, outputs] for both"));
        }
        let (labels, predictions) = (cast_to(&labels, DType::F64)?, cast_to(&predictions, DType::F64)?);
        let weight = match sample_weight {
            Some(weight) => cast_to(weight, DType::F64)?,
            None => Tensor::from(1.0f64),
        };
        let weight = if weight.rank() == 1 { engine::try_expand_dims(&weight, 1)? } else { weight };
        let weight = match engine::try_broadcast_to(&weight, labels.shape()) {
            Ok(weight) => weight,
            Err(_) => {
                return Err(Error::invalid_argument("r2_score", "the weights do not fit labels and predictions")
                    .got(format!("weights {}, predictions {}", weight.shape(), labels.shape()))
                    .expected("one weight per example, one per output, or a scalar"));
            }
        };
        let weighted = labels.try_multiply(&weight)?;
        let all = [
            labels.try_multiply(&weighted)?.try_reduce_sum(0)?,
            weighted.try_reduce_sum(0)?,
            labels.try_squared_difference(&predictions)?.try_multiply(&weight)?.try_reduce_sum(0)?,
            weight.try_reduce_sum(0)?,
        ];
        for (sum, counted) in self.sums_for(labels.shape().dim(1))?.into_iter().zip(all) {
            add(sum, &counted)?;
        }
        add(&self.num_samples, &crate::losses::reduce::count(&labels, DType::F64)?)
    }

    #[track_caller]
    fn try_result(&self) -> Result<Tensor> {
        let [Some(squares), Some(sum), Some(residual), Some(count)] = self.sums.each_ref().map(LazyVariable::get)
        else {
            return Err(Error::failed_precondition("r2_score", "the metric has seen no batch yet")
                .help("call `update_state` first, which tells the number of outputs"));
        };
        let [squares, sum, residual, count] = [squares, sum, residual, count].map(Variable::value);
        let total = squares.try_subtract(&sum.try_multiply(&sum.try_divide(&count)?)?)?;
        // What rounding leaves of equal labels is no variance.
        let nothing = total.try_abs()?.try_less_equal(&squares.try_multiply(1e-14)?)?;
        let total = nothing.try_select(0.0, &total)?;
        let scores = engine::try_subtract(1.0, &residual.try_divide(&total)?)?;
        let scores = engine::try_is_inf(&scores)?.try_select(0.0, &scores)?;
        let score = match self.class_aggregation {
            ClassAggregation::None => scores,
            ClassAggregation::UniformAverage => scores.try_reduce_mean(())?,
            ClassAggregation::VarianceWeightedAverage => {
                total.try_multiply(&scores)?.try_reduce_sum(())?.try_divide(&total.try_reduce_sum(())?)?
            }
        };
        cast_to(&self.adjusted(score)?, DType::F32)
    }

    #[track_caller]
    fn reset_state(&self) {
        let mut made: Vec<&Variable> = self.sums.iter().filter_map(LazyVariable::get).collect();
        made.push(&self.num_samples);
        clear(&made);
    }
}

impl Module for R2Score {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value("R2Score");
        fields.field("num_samples", &self.num_samples);
        for (name, sum) in NAMES.iter().zip(&self.sums) {
            fields.field(name, sum);
        }
        fields.value(&(self.class_aggregation, self.num_regressors));
    }
}
