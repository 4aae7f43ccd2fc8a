//! `pr_curve`: precision and recall of a classifier of two classes, by the threshold, as TensorBoard's plugin draws them.
//! Programs call it after an evaluation.

use super::encode::{metadata, numbers};
use super::options::summary_options;
use super::step::IntoStep;
use super::work::{Content, full_tag, write};
use engine::library::options::{self, options};
use engine::library::{OrFail, cast_to};
use engine::{AsTensor, Tensor, TensorType};
use formats::events::{PrCurvePluginData, SummaryMetadata};
use formats::messages::{DataType, Message, TensorProto};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::panic::Location;
use std::sync::Arc;

/// The plugin's least divisor, so that nothing of nothing is nothing.
const LEAST: f64 = 1e-7;

/// Writes the curve of precision over recall of predictions from 0 to 1 for labels that are true or false, at 201 thresholds; [`PrCurve`]
/// has options. Without a default writer it does nothing. TensorBoard's `summary.v1.pr_curve`.
///
/// ```
/// use eagerflow as tf;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-pr-page-{}", std::process::id()));
/// let writer = tf::summary::create_file_writer(&folder);
/// let _default = writer.as_default();
/// let labels = tf::constant([true, false, true]);
/// tf::summary::pr_curve("is a seven", &labels, tf::constant([0.9, 0.2, 0.6]), 1);
/// # drop(_default);
/// # writer.close();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
///
/// # Panics
/// As [`try_pr_curve`] fails, at the caller's line.
#[track_caller]
pub fn pr_curve(name: &str, labels: impl AsTensor, predictions: impl AsTensor, step: impl IntoStep) {
    try_pr_curve(name, labels, predictions, step).or_fail();
}

/// Writes a curve of precision over recall.
///
/// # Errors
/// As [`PrCurve::try_write`].
#[track_caller]
pub fn try_pr_curve(name: &str, labels: impl AsTensor, predictions: impl AsTensor, step: impl IntoStep) -> Result<()> {
    PrCurve::new().try_write(name, labels, predictions, step)
}

/// The options of a curve of precision over recall.
///
/// ```
/// use eagerflow as tf;
/// let (labels, predictions) = (tf::constant([true, false]), tf::constant([0.9, 0.2]));
/// let weights = tf::constant([1.0, 2.0]);
/// tf::summary::PrCurve::new().num_thresholds(101).weights(&weights).write("curve", &labels, &predictions, 1);
/// ```
#[derive(Clone, Debug)]
pub struct PrCurve {
    num_thresholds: usize,
    weights: Option<Tensor>,
    description: String,
}

summary_options!(PrCurve);

impl PrCurve {
    /// 201 thresholds, all weights 1, and no text.
    pub fn new() -> Self {
        Self { num_thresholds: 201, weights: None, description: String::new() }
    }

    /// How much each prediction counts: as many numbers as there are predictions, in their order.
    #[must_use]
    #[track_caller]
    pub fn weights(mut self, weights: impl AsTensor) -> Self {
        self.weights = Some(Tensor::clone(&weights.as_tensor()));
        self
    }

    /// Writes the curve of labels (`bool`) and predictions (floats, clipped to 0 to 1) of one shape.
    ///
    /// # Panics
    /// As [`try_write`](Self::try_write) fails, at the caller's line.
    #[track_caller]
    pub fn write(&self, name: &str, labels: impl AsTensor, predictions: impl AsTensor, step: impl IntoStep) {
        self.try_write(name, labels, predictions, step).or_fail();
    }

    /// Writes the curve.
    ///
    /// # Errors
    /// InvalidArgument for labels that are no truth values, predictions or weights that are no floats, other sizes, or a step that is not one
    /// integer; FailedPrecondition without a step, or for a writer that is closed.
    #[track_caller]
    pub fn try_write(
        &self,
        name: &str,
        labels: impl AsTensor,
        predictions: impl AsTensor,
        step: impl IntoStep,
    ) -> Result<()> {
        let here = Location::caller();
        let (labels, predictions) = (labels.as_tensor(), predictions.as_tensor());
        let mut inputs: Vec<&Tensor> = vec![&labels, &predictions];
        inputs.extend(&self.weights);
        let content =
            Curve { name: full_tag(name), thresholds: self.num_thresholds, description: self.description.clone() };
        write(Arc::new(content), &format!("{name}/pr_curves"), &inputs, step).map_err(|e| e.at(here))
    }
}

options! { PrCurve:
    /// How many thresholds there are, evenly from 0 to 1: from 2 to 100,000; 201 unless set.
    pub fn num_thresholds, try_num_thresholds(this, thresholds: usize) {
        this.num_thresholds = options::count_from("summary.pr_curve", "num_thresholds", thresholds, 2)?;
        match thresholds <= 100_000 {
            true => Ok(this),
            false => Err(Error::invalid_argument("summary.pr_curve", "`num_thresholds` is out of range")
                .got(thresholds)
                .expected("at most 100000")),
        }
    }
}

/// What is written.
struct Curve {
    /// What is shown in place of the tag.
    name: String,
    thresholds: usize,
    description: String,
}

impl Content for Curve {
    fn name(&self) -> &'static str {
        "summary.pr_curve"
    }

    fn metadata(&self) -> SummaryMetadata {
        let content = PrCurvePluginData { version: 0, num_thresholds: self.thresholds as u32 };
        SummaryMetadata {
            display_name: self.name.clone(),
            ..metadata("pr_curves", content.encode_to_vec(), &self.description)
        }
    }

    fn check(&self, inputs: &[&TensorType]) -> Result<()> {
        let wrong = |what: &str, got: &TensorType| Error::invalid_argument("summary.pr_curve", what).got(got);
        if inputs[0].dtype != DType::Bool {
            let help = "compare them, as in `labels.equal(7)`";
            return Err(wrong("the labels are no truth values", inputs[0]).expected("bool").help(help));
        }
        for &numbers in &inputs[1..] {
            if !numbers.dtype.is_floating() {
                return Err(wrong("the predictions or weights are no floats", numbers).expected("floats"));
            }
            let differ = |(a, b): (engine::Dim, engine::Dim)| a.is_known() && b.is_known() && a != b;
            if numbers.shape.rank() != inputs[0].shape.rank()
                || numbers.shape.iter().zip(inputs[0].shape.iter()).any(differ)
            {
                return Err(wrong("the predictions or weights have another shape than the labels", numbers)
                    .expected(inputs[0].shape));
            }
        }
        Ok(())
    }

    fn tensor(&self, inputs: &[Tensor]) -> Result<TensorProto> {
        let labels = inputs[0].try_to_vec::<bool>()?;
        let numbers_of = |tensor: &Tensor| cast_to(tensor, DType::F64)?.try_to_vec::<f64>();
        let predictions = numbers_of(&inputs[1])?;
        let weights = inputs.get(2).map_or_else(|| Ok(vec![1.0; labels.len()]), numbers_of)?;
        if predictions.len() != labels.len() || weights.len() != labels.len() {
            return Err(Error::invalid_argument("summary.pr_curve", "the numbers of labels and predictions differ")
                .got(format!(
                    "{} labels, {} predictions, {} weights",
                    labels.len(),
                    predictions.len(),
                    weights.len()
                )));
        }
        let rows = curve(&labels, &predictions, &weights, self.thresholds);
        let bytes = rows.iter().flatten().flat_map(|number| (*number as f32).to_le_bytes()).collect();
        Ok(numbers(DataType::Float, bytes, &[6, self.thresholds]))
    }
}

/// True positives, false positives, true negatives, false negatives, precision and recall by threshold.
fn curve(labels: &[bool], predictions: &[f64], weights: &[f64], thresholds: usize) -> [Vec<f64>; 6] {
    // By the threshold that a prediction just reaches; all lower ones it reaches too.
    let mut reached = [vec![0.0; thresholds], vec![0.0; thresholds]];
    for ((&label, &prediction), &weight) in labels.iter().zip(predictions).zip(weights) {
        let at = (prediction.clamp(0.0, 1.0) * (thresholds - 1) as f64).floor() as usize;
        reached[usize::from(!label)][at.min(thresholds - 1)] += weight;
    }
    let [tp, fp] = reached.map(|mut counts| {
        (1..thresholds).rev().for_each(|i| counts[i - 1] += counts[i]);
        counts
    });
    let rest = |counts: &[f64]| counts.iter().map(|count| counts[0] - count).collect::<Vec<_>>();
    let (tn, falsely_not) = (rest(&fp), rest(&tp));
    let share = |of: &[f64], others: &[f64]| -> Vec<f64> {
        of.iter().zip(others).map(|(a, b)| a / (a + b).max(LEAST)).collect()
    };
    let (precision, recall) = (share(&tp, &fp), share(&tp, &falsely_not));
    [tp, fp, tn, falsely_not, precision, recall]
}
