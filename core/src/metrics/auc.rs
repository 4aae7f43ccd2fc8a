//! `AUC`: the area under a curve of two shares over all thresholds, such as that of true against false positives.
//! Keras's metric of this name; the areas are in `area.rs`.

use super::area::{Curve, SummationMethod, area};
use super::batch::{Batch, Chosen};
use super::metric::{named, updates};
use super::thresholds::{IntoThresholds, Thresholds};
use super::{Direction, Metric};
use engine::library::options::options;
use engine::{Duplicate, Fields, LazyVariable, Module, Tensor, Variable};
use kernels::error::{Error, OrFail, Result};
use std::borrow::Cow;

/// The area under a curve: how well predictions tell labels of 1 from labels of 0, whatever the threshold. 1 is best, and one half is
/// what chance gives.
///
/// ```
/// use eagerflow as tf;
/// use tf::metrics::{AUC, Curve};
/// let (y_true, y_pred) = (tf::constant([0, 0, 1, 1]), tf::constant([0.0, 0.5, 0.3, 0.9]));
/// let auc = AUC::new().num_thresholds(3);
/// auc.update_state(&y_true, &y_pred);
/// assert_eq!(auc.result().item::<f32>(), 0.75);
/// let auc = AUC::new().curve(Curve::PR);
/// auc.update_state(&y_true, &y_pred);
/// assert!((auc.result().item::<f32>() - 0.797_267).abs() < 1e-5);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct AUC {
    #[module(skip)]
    name: Cow<'static, str>,
    #[module(skip)]
    thresholds: Thresholds,
    #[module(skip)]
    curve: Curve,
    #[module(skip)]
    summation_method: SummationMethod,
    #[module(skip)]
    from_logits: bool,
    #[module(skip)]
    chosen: Chosen,
    #[module(skip)]
    num_labels: Option<usize>,
    /// True and false positives, true and false negatives. How many labels there are is known with the first batch.
    counts: [LazyVariable; 4],
}

const NAMES: [&str; 4] = ["true_positives", "false_positives", "true_negatives", "false_negatives"];

impl AUC {
    /// A metric without batches: 200 thresholds, the ROC curve, and Keras's other defaults.
    #[track_caller]
    pub fn new() -> Self {
        let new = Self {
            name: "auc".into(),
            thresholds: inner(200),
            curve: Curve::ROC,
            summation_method: SummationMethod::Interpolation,
            from_logits: false,
            chosen: Chosen::default(),
            num_labels: None,
            counts: places(),
        };
        new.ready().or_fail()
    }

    /// The metric with new sums, made at once where it is known how many there are.
    #[track_caller]
    fn ready(mut self) -> Result<Self> {
        self.counts = places();
        if !self.chosen.multi_label || self.num_labels.is_some() {
            let shape: Vec<usize> = [self.thresholds.len()].into_iter().chain(self.num_labels).collect();
            self.made(&shape)?;
        }
        Ok(self)
    }

    /// Which curve; that of true against false positives by default.
    #[must_use]
    pub fn curve(mut self, curve: Curve) -> Self {
        self.curve = curve;
        self
    }

    /// How the area between two thresholds is taken; interpolated by default.
    #[must_use]
    pub fn summation_method(mut self, summation_method: SummationMethod) -> Self {
        self.summation_method = summation_method;
        self
    }

    /// Whether predictions are logits, and not probabilities; not by default.
    #[must_use]
    pub fn from_logits(mut self, from_logits: bool) -> Self {
        self.from_logits = from_logits;
        self
    }

    /// Whether each label of `[batch, labels]` has an area of its own, of which the result is the mean; not by default.
    #[must_use]
    #[track_caller]
    pub fn multi_label(mut self, multi_label: bool) -> Self {
        self.chosen.multi_label = multi_label;
        self.num_labels = None;
        self.ready().or_fail()
    }

    /// The sums, made for the first batch if need be.
    #[track_caller]
    fn counts_for(&self, batch: &Batch) -> Result<[&Variable; 4]> {
        let mut shape = vec![self.thresholds.len()];
        if let Some(labels) = batch.labels() {
            let known = self.num_labels.or(labels.known_value()).or_else(|| self.labels_so_far());
            let Some(known) = known else {
                return Err(Error::invalid_argument("auc", "the number of labels is not known")
                    .got("predictions of a size that only the run knows")
                    .expected("a known last size")
                    .help("give it with `num_labels`"));
            };
            if !labels.can_equal(known.into()) || self.labels_so_far().is_some_and(|before| before != known) {
                return Err(Error::invalid_argument(
                    "auc",
                    "the predictions have another number of labels than before",
                )
                .got(labels)
                .expected(self.labels_so_far().unwrap_or(known)));
            }
            shape.push(known);
        }
        self.made(&shape)
    }

    #[track_caller]
    fn made(&self, shape: &[usize]) -> Result<[&Variable; 4]> {
        let make = |i: usize| -> Result<&Variable> {
            self.counts[i].get_or_build(|| Ok(super::confusion::zeros("auc", NAMES[i], shape)))
        };
        Ok([make(0)?, make(1)?, make(2)?, make(3)?])
    }

    /// The sums; those of labels that are counted each by itself are not there before the first batch.
    #[track_caller]
    fn counted(&self) -> Result<[Tensor; 4]> {
        if let [Some(tp), Some(fp), Some(tn), Some(missed)] = self.counts.each_ref().map(LazyVariable::get) {
            return Ok([tp, fp, tn, missed].map(Variable::value));
        }
        Err(Error::failed_precondition("auc", "the metric has seen no batch yet")
            .help("call `update_state` first, which tells the number of labels, or give it with `num_labels`"))
    }

    /// How many labels the sums were made for.
    fn labels_so_far(&self) -> Option<usize> {
        self.counts[0].get().and_then(|counts| counts.shape().dim(1).known_value())
    }
}

impl Default for AUC {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

fn places() -> [LazyVariable; 4] {
    std::array::from_fn(|_| LazyVariable::new())
}

/// Thresholds in equal steps, all but the ends of 0 to 1 among them.
fn inner(count: usize) -> Thresholds {
    let steps = (count - 1) as f64;
    Thresholds::with_ends((1..count - 1).map(|i| i as f64 / steps).collect(), Some(true))
}

options! { AUC:
    /// How many thresholds from 0 to 1 the curve has, at least 2; 200 by default.
    pub fn num_thresholds, try_num_thresholds(this, num_thresholds: usize) {
        if num_thresholds < 2 {
            let error = Error::invalid_argument("AUC", "`num_thresholds` is out of range");
            return Err(error.got(num_thresholds).expected("at least 2"));
        }
        this.thresholds = inner(num_thresholds);
        this.ready()
    }

    /// The thresholds themselves, from 0 to 1; one below 0 and one above 1 are added.
    pub fn thresholds, try_thresholds(this, thresholds: impl IntoThresholds) {
        let thresholds = Thresholds::checked("AUC", thresholds.into_thresholds())?;
        this.thresholds = Thresholds::with_ends(thresholds.list().to_vec(), None);
        this.ready()
    }

    /// How many labels there are, where each has an area of its own: then the sums need no batch to be made.
    pub fn num_labels, try_num_labels(this, num_labels: usize) {
        if !this.chosen.multi_label {
            return Err(Error::invalid_argument("AUC", "`num_labels` is for labels that have an area each")
                .got(num_labels)
                .expected("`multi_label(true)` before it"));
        }
        this.num_labels = Some(engine::library::options::count("AUC", "num_labels", num_labels)?);
        this.ready()
    }

    /// What each label counts, at least 0: for its area, or, without `multi_label`, for its predictions.
    pub fn label_weights, try_label_weights(this, label_weights: Vec<f64>) {
        if label_weights.is_empty() || !label_weights.iter().all(|w| w.is_finite() && *w >= 0.0) {
            return Err(Error::invalid_argument("AUC", "`label_weights` is out of range")
                .got(format!("{label_weights:?}"))
                .expected("one finite number of at least 0 per label"));
        }
        this.chosen.label_weights = Some(label_weights);
        Ok(this)
    }
}

named!(AUC);
updates!(AUC);

impl Metric for AUC {
    fn name(&self) -> &str {
        &self.name
    }

    fn direction(&self) -> Option<Direction> {
        Some(Direction::Up)
    }

    #[track_caller]
    fn try_update_state(&self, y_true: &Tensor, y_pred: &Tensor, sample_weight: Option<&Tensor>) -> Result<()> {
        if self.chosen.multi_label && y_pred.rank() != 2 {
            return Err(Error::invalid_argument("auc", "the predictions are not those of several labels")
                .got(format!("labels {}, predictions {}", y_true.shape(), y_pred.shape()))
                .expected("[batch, labels], as `multi_label` is set"));
        }
        let shares = match self.from_logits {
            true => y_pred.try_sigmoid()?,
            false => y_pred.clone(),
        };
        let batch = Batch::new("auc", y_true, &shares, sample_weight, &self.chosen)?;
        let counts = self.counts_for(&batch)?;
        let ((right, wrong), (yes, no)) = (batch.above(&self.thresholds)?, batch.totals()?);
        let all = [right.clone(), wrong.clone(), no.try_subtract(&wrong)?, yes.try_subtract(&right)?];
        for (sum, counted) in counts.into_iter().zip(all) {
            super::confusion::add(sum, &counted)?;
        }
        Ok(())
    }

    #[track_caller]
    fn try_result(&self) -> Result<Tensor> {
        let weights = self.chosen.label_weights.as_deref().filter(|_| self.chosen.multi_label);
        area(&self.counted()?, self.curve, self.summation_method, self.chosen.multi_label, weights)
    }

    #[track_caller]
    fn reset_state(&self) {
        let made: Vec<&Variable> = self.counts.iter().filter_map(LazyVariable::get).collect();
        super::confusion::clear(&made);
    }
}

impl Module for AUC {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value("AUC");
        for (name, count) in NAMES.iter().zip(&self.counts) {
            fields.field(name, count);
        }
        fields.field("thresholds", &self.thresholds);
        fields.value(&(self.curve, self.summation_method, self.from_logits, self.num_labels));
        fields.field("chosen", &self.chosen);
    }
}
