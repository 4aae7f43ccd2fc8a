//! `combined_non_max_suppression`: the best boxes of all classes together, for each image of a batch.
//! Users call it under `tf::image`; classes are suppressed one by one, by `suppression.rs`.

use super::super::operand::{image_fn, misfit, size as checked_size};
use super::suppression::{Limits, overlap, selected};
use super::{check_boxes, list_for, room};
use crate::io::host::{Work, typed};
use engine::library::cast_to;
use engine::library::options::{self, options};
use engine::{AsTensor, Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, IntoDim};

const OP: &str = "combined_non_max_suppression";

/// TensorFlow's options of `tf.image.combined_non_max_suppression`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CombinedSuppression {
    iou_threshold: f64,
    score_threshold: f64,
    pad_per_class: bool,
    clip_boxes: bool,
}

impl Default for CombinedSuppression {
    fn default() -> Self {
        Self::new()
    }
}

impl CombinedSuppression {
    /// Boxes that share at most half their area, of any score, clipped to the image, and room for all that are asked for.
    pub fn new() -> Self {
        Self { iou_threshold: 0.5, score_threshold: f64::NEG_INFINITY, pad_per_class: false, clip_boxes: true }
    }

    /// Whether there is room for `max_output_size_per_class` boxes of each class and no more, if that is less than `max_total_size`.
    #[must_use]
    pub fn pad_per_class(mut self, pad_per_class: bool) -> Self {
        self.pad_per_class = pad_per_class;
        self
    }

    /// Whether the boxes that are given back are cut at 0 and 1.
    #[must_use]
    pub fn clip_boxes(mut self, clip_boxes: bool) -> Self {
        self.clip_boxes = clip_boxes;
        self
    }
}

options! { [] CombinedSuppression:
    /// The share of their areas above which a box is dropped for a better one of its class, 0.5 unless set.
    pub fn iou_threshold, try_iou_threshold(this, iou_threshold: f64) {
        this.iou_threshold = options::share(OP, "iou_threshold", iou_threshold)?;
        Ok(this)
    }

    /// The score above which boxes count.
    pub fn score_threshold, try_score_threshold(this, score_threshold: f64) {
        if score_threshold.is_nan() {
            return Err(Error::invalid_argument(OP, "`score_threshold` is no number").got(score_threshold));
        }
        this.score_threshold = score_threshold;
        Ok(this)
    }
}

/// Chooses on the host.
fn run(how: CombinedSuppression, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
    let (&[batch, count, shares, 4], &[scored, own, classes]) = (inputs[0].shape().dims(), inputs[1].shape().dims())
    else {
        return Err(misfit("these are no boxes", inputs[0], "[batch, boxes, 1 or classes, 4]"));
    };
    if (scored, own) != (batch, count) || (shares != 1 && shares != classes) {
        return Err(misfit(
            "boxes and scores do not go together",
            inputs[1],
            &format!("float32[{batch}, {count}, classes]"),
        ));
    }
    let (per_class, total) = (inputs[2].shape().dims()[0], inputs[3].shape().dims()[0]);
    let (boxes, scores) = (inputs[0].try_to_vec::<f32>()?, inputs[1].try_to_vec::<f32>()?);
    let limits = Limits { similar: how.iou_threshold as f32, score: how.score_threshold as f32, sigma: 0.0 };
    let mut kept = list_for(batch, total.saturating_mul(4))?;
    let (mut values, mut labels, mut valid) = (list_for(batch, total)?, list_for(batch, total)?, list_for(batch, 1)?);
    for image in 0..batch {
        let mut all = Vec::new();
        for class in 0..classes {
            let scores: Vec<f32> = (0..count).map(|i| scores[(image * count + i) * classes + class]).collect();
            let edges = |i: usize| {
                let at = 4 * ((image * count + i) * shares + class % shares);
                &boxes[at..at + 4]
            };
            let best = selected(&scores, per_class.min(count), limits, |i, j| overlap(edges(i), edges(j)));
            all.extend(best.into_iter().map(|(i, score)| (score, class, edges(i))));
        }
        all.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(std::cmp::Ordering::Equal));
        all.truncate(total);
        valid.push(all.len() as i32);
        let missing = total - all.len();
        for (score, class, edges) in all {
            values.push(score);
            labels.push(class as f32);
            kept.extend(edges.iter().map(|&edge| if how.clip_boxes { edge.clamp(0.0, 1.0) } else { edge }));
        }
        values.resize(values.len() + missing, 0.0);
        labels.resize(labels.len() + missing, 0.0);
        kept.resize(kept.len() + 4 * missing, 0.0);
    }
    Ok(vec![
        Tensor::try_from_vec(kept, [batch, total, 4])?,
        Tensor::try_from_vec(values, [batch, total])?,
        Tensor::try_from_vec(labels, [batch, total])?,
        Tensor::try_from_vec(valid, [batch])?,
    ])
}

image_fn! {
    /// The best boxes of each image over all classes, by falling score: boxes `[batch, room, 4]`, scores and classes `[batch, room]`, all
    /// `float32`, and how many there are, `[batch]` of `int32`. TensorFlow's `tf.image.combined_non_max_suppression`.
    ///
    /// `boxes` are `[batch, n, q, 4]`, where q is the number of classes, or 1 for boxes that all classes share; `scores` are `[batch, n, classes]`.
    /// At most `max_output_size_per_class` of each class are taken, and `max_total_size` of them all, which is the room unless
    /// [`pad_per_class`](CombinedSuppression::pad_per_class) makes it less.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::image::CombinedSuppression;
    /// let boxes = tf::constant([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.5, 1.0, 1.5]]]]);
    /// let scores = tf::constant([[[0.6, 0.1], [0.9, 0.2]]]);
    /// let (boxes, scores, classes, valid) =
    ///     tf::image::combined_non_max_suppression(&boxes, &scores, 1, 3, CombinedSuppression::new());
    /// assert_eq!((scores.to_vec::<f32>(), classes.to_vec::<f32>()), (vec![0.9, 0.2, 0.0], vec![0.0, 1.0, 0.0]));
    /// assert_eq!((boxes.to_vec::<f32>()[..4].to_vec(), valid.to_vec::<i32>()), (vec![0.0, 0.5, 1.0, 1.0], vec![2]));
    /// ```
    pub fn combined_non_max_suppression, try_combined_non_max_suppression(
        boxes: impl AsTensor,
        scores: impl AsTensor,
        max_output_size_per_class: impl IntoDim,
        max_total_size: impl IntoDim,
        how: CombinedSuppression,
    ) -> (Tensor, Tensor, Tensor, Tensor) {
        let (boxes, scores) = (boxes.as_tensor(), scores.as_tensor());
        check_boxes(&boxes, 4)?;
        if scores.rank() != 3 || !scores.dtype().is_floating() {
            return Err(misfit("scores of all classes are needed", &scores, "floats [batch, boxes, classes]"));
        }
        let per_class = checked_size("max_output_size_per_class", max_output_size_per_class.into_dim()?, 1)?;
        let mut total = checked_size("max_total_size", max_total_size.into_dim()?, 1)?;
        if how.pad_per_class {
            total = total.min(per_class * scores.shape().dim(2));
        }
        let types = |inputs: &[&TensorType], _: &mut dyn FnMut() -> Dim| {
            let (batch, total) = (inputs[0].shape.dim(0), inputs[3].shape.dim(0));
            let each = typed(DType::F32, &[batch, total])?;
            Ok(vec![typed(DType::F32, &[batch, total, Dim::from(4)])?, each, each, typed(DType::I32, &[batch])?])
        };
        let work = Work::new(OP, format!("{how:?}"), types, move |inputs| run(how, inputs));
        let (boxes, scores) = (cast_to(&boxes, DType::F32)?, cast_to(&scores, DType::F32)?);
        let results = work.call(&[&boxes, &scores, &room(per_class)?, &room(total)?])?;
        let [boxes, scores, classes, valid]: [Tensor; 4] =
            results.try_into().map_err(|_| Error::internal("", "four results were expected"))?;
        Ok((boxes, scores, classes, valid))
    }
}
