//! How many predictions of a batch lie above each of some thresholds, by their labels.
//! All metrics of right and wrong call it with every batch.

use super::thresholds::{NEVER, Thresholds};
use crate::losses::checks::{numbers, same_shape};
use crate::losses::reduce::same_rank;
use engine::library::{Typed, cast_to, reshape_to};
use engine::{Cumulative, Fields, Module, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

/// What of a batch is counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Chosen {
    pub top_k: Option<usize>,
    pub class_id: Option<usize>,
    /// Whether each label is counted by itself.
    pub multi_label: bool,
    /// A weight for each label.
    pub label_weights: Option<Vec<f64>>,
}

impl Module for Chosen {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("top_k", &self.top_k);
        fields.field("class_id", &self.class_id);
        fields.field("multi_label", &self.multi_label);
        fields.field("label_weights", &self.label_weights);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

/// The predictions of a batch with what each counts, for labels that are true and for those that are false.
pub(super) struct Batch {
    predictions: Tensor,
    when_true: Tensor,
    when_false: Tensor,
    multi_label: bool,
}

impl Batch {
    #[track_caller]
    pub fn new(
        metric: &str,
        y_true: &Tensor,
        y_pred: &Tensor,
        weight: Option<&Tensor>,
        chosen: &Chosen,
    ) -> Result<Self> {
        let predictions = cast_to(y_pred, DType::F32)?;
        let labels = numbers(metric, y_true, &predictions)?;
        let (mut labels, mut predictions) = same_rank(&labels, &predictions, true)?;
        same_shape(metric, &labels, &predictions)?;
        let weight = match weight {
            Some(weight) => Some(weights(metric, weight, &labels)?),
            None => None,
        };
        if let Some(k) = chosen.top_k {
            predictions = greatest(metric, &predictions, k)?;
        }
        if let Some(class) = chosen.class_id {
            labels = column(metric, &labels, class)?;
            predictions = column(metric, &predictions, class)?;
        }
        // What is no number is above nothing.
        let predictions = predictions.try_equal(&predictions)?.try_select(&predictions, f64::NEG_INFINITY)?;
        let truth = cast_to(&cast_to(&labels, DType::Bool)?, DType::F64)?;
        let mut when_false = engine::try_subtract(1.0, &truth)?;
        let mut when_true = truth;
        for weight in [weight, label_weights(metric, chosen, &predictions)?].into_iter().flatten() {
            let weight = fitted(metric, &weight, &predictions)?;
            when_true = when_true.try_multiply(&weight)?;
            when_false = when_false.try_multiply(&weight)?;
        }
        Ok(Self { predictions, when_true, when_false, multi_label: chosen.multi_label })
    }

    /// How many of the true labels have a prediction above each threshold, and how many of the false ones: `[thresholds]`, or
    /// `[thresholds, labels]`.
    #[track_caller]
    pub fn above(&self, thresholds: &Thresholds) -> Result<(Tensor, Tensor)> {
        let count = thresholds.len();
        if count == 1 {
            let yes = cast_to(&self.predictions.try_greater(thresholds.list()[0])?, DType::F64)?;
            let sum = |x: Tensor| -> Result<Tensor> { reshape_to(&x.try_reduce_sum(())?, &Shape::new(&[1])?) };
            return Ok((sum(yes.try_multiply(&self.when_true)?)?, sum(yes.try_multiply(&self.when_false)?)?));
        }
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| thresholds.list()[a].total_cmp(&thresholds.list()[b]));
        let places = thresholds.places(&self.predictions, &order)?;
        let mut ranks = vec![0i32; count];
        for (rank, &index) in order.iter().enumerate() {
            ranks[index] = rank as i32;
        }
        let ranks = if order.is_sorted() { None } else { Some(Tensor::from(ranks)) };
        let sums = Sums { places: &places, count, labels: self.labels(), ranks: ranks.as_ref() };
        Ok((sums.of(&self.when_true)?, sums.of(&self.when_false)?))
    }

    /// How much all true labels count, and all false ones.
    #[track_caller]
    pub fn totals(&self) -> Result<(Tensor, Tensor)> {
        match self.multi_label {
            true => Ok((self.when_true.try_reduce_sum(0)?, self.when_false.try_reduce_sum(0)?)),
            false => Ok((self.when_true.try_reduce_sum(())?, self.when_false.try_reduce_sum(())?)),
        }
    }

    /// The number of labels that are counted each by itself.
    pub fn labels(&self) -> Option<Dim> {
        self.multi_label.then(|| self.predictions.shape().dim(1))
    }
}

/// Sums of what lies at each place or behind it.
struct Sums<'a> {
    places: &'a Tensor,
    count: usize,
    labels: Option<Dim>,
    ranks: Option<&'a Tensor>,
}

impl Sums<'_> {
    #[track_caller]
    fn of(&self, values: &Tensor) -> Result<Tensor> {
        let flat = Shape::from_dims(&[values.shape().element_count()])?;
        let (mut places, mut segments) = (self.places.clone(), Dim::known(self.count));
        if let Some(labels) = self.labels {
            let one = engine::try_range(0, labels, 1)?;
            places = places.try_multiply(labels)?.try_add(&one)?;
            segments = segments * labels;
        }
        // What is at no place has a negative number, and is left out.
        let sums = engine::try_unsorted_segment_sum(reshape_to(values, &flat)?, reshape_to(&places, &flat)?, segments)?;
        let sums = match self.labels {
            Some(labels) => reshape_to(&sums, &Shape::from_dims(&[Dim::known(self.count), labels])?)?,
            None => sums,
        };
        let behind = engine::try_cumsum_with(&sums, 0, Cumulative { reverse: true, exclusive: false })?;
        match self.ranks {
            Some(ranks) => engine::try_gather(&behind, ranks, 0),
            None => Ok(behind),
        }
    }
}

/// Weights with the rank of the labels, by the rules of Keras: one per example, or one per label.
#[track_caller]
fn weights(metric: &str, weight: &Tensor, labels: &Tensor) -> Result<Tensor> {
    let weight = engine::try_expand_dims(cast_to(weight, DType::F64)?, -1)?;
    let (_, weight) = same_rank(labels, &weight, false)?;
    match weight.rank() > labels.rank() {
        true => Err(misfit(metric, &weight, labels)),
        false => Ok(weight),
    }
}

#[cold]
fn misfit(metric: &str, weight: &Tensor, values: &Tensor) -> Error {
    Error::invalid_argument(metric, "the weights do not fit labels and predictions")
        .got(format!("weights {}, predictions {}", weight.shape(), values.shape()))
        .expected("one weight per example, one per prediction, or a scalar")
}

#[track_caller]
fn label_weights(metric: &str, chosen: &Chosen, predictions: &Tensor) -> Result<Option<Tensor>> {
    let Some(weights) = chosen.label_weights.as_ref().filter(|_| !chosen.multi_label) else { return Ok(None) };
    let weights = Tensor::from(&weights[..]);
    if predictions.rank() != 2 {
        return Err(misfit(metric, &weights, predictions).help("label weights are for predictions `[batch, labels]`"));
    }
    engine::try_expand_dims(&weights, 0).map(Some)
}

#[track_caller]
fn fitted(metric: &str, weight: &Tensor, predictions: &Tensor) -> Result<Tensor> {
    match engine::try_broadcast_to(weight, predictions.shape()) {
        Ok(weight) => Ok(weight),
        Err(_) => Err(misfit(metric, weight, predictions)),
    }
}

/// Predictions of which all but the greatest of each row are far below all thresholds.
#[track_caller]
fn greatest(metric: &str, predictions: &Tensor, k: usize) -> Result<Tensor> {
    let Some(last) = predictions.rank().checked_sub(1) else {
        return Err(Error::invalid_argument(metric, "the predictions are no rows")
            .got(predictions.ty())
            .expected("[batch, classes], of which the `top_k` greatest count"));
    };
    let (_, best) = engine::try_top_k(predictions, k, false)?;
    let chosen = engine::try_one_hot(&best, predictions.shape().dim(last), true, false, -1)?;
    engine::try_reduce_any(&chosen, -2)?.try_select(predictions, NEVER)
}

/// The labels or predictions of one class, as a column.
#[track_caller]
fn column(metric: &str, x: &Tensor, class: usize) -> Result<Tensor> {
    let rank = x.rank();
    let classes = x.shape().iter().last().filter(|_| rank > 1);
    if classes.is_none_or(|n| n.known_value().is_some_and(|n| n <= class)) {
        return Err(Error::invalid_argument(metric, "`class_id` is no class of the predictions")
            .got(format!("class {class} of predictions {}", x.shape()))
            .expected("predictions [batch, classes] with more classes than `class_id`"));
    }
    let mut begin = vec![Dim::known(0); rank];
    let mut sizes: Vec<Dim> = x.shape().iter().collect();
    begin[rank - 1] = Dim::known(class);
    sizes[rank - 1] = Dim::ONE;
    engine::try_slice(x, &begin[..], &sizes[..])
}
