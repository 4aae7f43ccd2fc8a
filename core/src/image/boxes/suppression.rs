//! `non_max_suppression` and its kin: of boxes that overlap, the ones with the best scores. No gradient flows.
//! Users call them under `tf::image`; `combined.rs` suppresses by the same functions. The search itself is work on the host.

use super::super::operand::{image_fn, in_dtype, misfit, part, size as checked_size};
use super::{check_boxes, room};
use crate::io::host::{Work, typed};
use engine::library::{cast_to, reshape_to};
use engine::{AsTensor, Tensor, TensorType, ToOperand};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, IntoDim, Shape};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The share of two boxes in what they cover together.
pub(super) fn overlap(a: &[f32], b: &[f32]) -> f32 {
    let sides = |x: &[f32]| (x[0].min(x[2]), x[1].min(x[3]), x[0].max(x[2]), x[1].max(x[3]));
    let ((top_a, left_a, bottom_a, right_a), (top_b, left_b, bottom_b, right_b)) = (sides(a), sides(b));
    let area_a = (bottom_a - top_a) * (right_a - left_a);
    let area_b = (bottom_b - top_b) * (right_b - left_b);
    if area_a <= 0.0 || area_b <= 0.0 {
        return 0.0;
    }
    let height = (bottom_a.min(bottom_b) - top_a.max(top_b)).max(0.0);
    let width = (right_a.min(right_b) - left_a.max(left_b)).max(0.0);
    height * width / (area_a + area_b - height * width)
}

/// A box that may be selected: its score, and how many of the selected ones it has been compared with.
struct Candidate {
    score: f32,
    index: usize,
    compared: usize,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.partial_cmp(&other.score).unwrap_or(Ordering::Equal);
        by_score.then(Reverse(self.index).cmp(&Reverse(other.index)))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// What decides over boxes.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub similar: f32,
    pub score: f32,
    /// Above 0, scores of similar boxes shrink by a bell of this width instead of being dropped.
    pub sigma: f32,
}

/// The best boxes, by falling score, with their scores.
pub(super) fn selected(
    scores: &[f32],
    most: usize,
    limits: Limits,
    similarity: impl Fn(usize, usize) -> f32,
) -> Vec<(usize, f32)> {
    let is_soft = limits.sigma > 0.0;
    let scale = if is_soft { -0.5 / limits.sigma } else { 0.0 };
    let good = scores.iter().enumerate().filter(|(_, score)| **score > limits.score);
    let mut waiting: BinaryHeap<_> = good.map(|(index, &score)| Candidate { score, index, compared: 0 }).collect();
    let mut chosen: Vec<(usize, f32)> = Vec::new();
    while chosen.len() < most
        && let Some(mut next) = waiting.pop()
    {
        let (before, mut is_dropped) = (next.score, false);
        for &(other, _) in chosen[next.compared..].iter().rev() {
            let similar = similarity(next.index, other);
            if !is_soft && similar > limits.similar {
                is_dropped = true;
                break;
            }
            next.score *= (scale * similar * similar).exp();
            if next.score <= limits.score {
                break;
            }
        }
        next.compared = chosen.len();
        if is_dropped {
            continue;
        }
        if next.score == before {
            chosen.push((next.index, next.score));
        } else if next.score > limits.score {
            waiting.push(next);
        }
    }
    chosen
}

/// By what boxes are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Compared {
    /// By the areas of boxes `[n, 4]`.
    Areas,
    /// By a matrix of overlaps.
    Overlaps,
}

/// One number of an operand.
pub(super) fn number(x: &Tensor) -> Result<f32> {
    match x.try_to_vec::<f32>()?[..] {
        [number] => Ok(number),
        _ => Err(misfit("a threshold must be one number", x, "float32[]")),
    }
}

/// An error for a share of areas that is none.
pub(super) fn check_share(threshold: f32) -> Result<f32> {
    match (0.0..=1.0).contains(&threshold) {
        true => Ok(threshold),
        false => {
            Err(Error::invalid_argument("", "`iou_threshold` is out of range").got(threshold).expected("from 0 to 1"))
        }
    }
}

/// Selects on the host: indices and scores, filled up with zeros, and how many there are.
fn run(compared: Compared, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
    let [boxes, scores, most, similar, score, sigma] = inputs else {
        return Err(Error::internal("", "six operands were expected"));
    };
    let (count, most) = (scores.shape().dims()[0], most.shape().dims()[0]);
    let limits = Limits { similar: number(similar)?, score: number(score)?, sigma: number(sigma)? };
    if limits.sigma.is_nan() || limits.sigma < 0.0 {
        return Err(Error::invalid_argument("", "`soft_nms_sigma` is out of range")
            .got(limits.sigma)
            .expected("at least 0"));
    }
    let width = match compared {
        Compared::Areas => 4,
        Compared::Overlaps => count,
    };
    if boxes.shape().dims() != [count, width] {
        return Err(misfit("boxes and scores do not go together", boxes, &format!("float32[{count}, {width}]")));
    }
    let (boxes, scores) = (boxes.try_to_vec::<f32>()?, scores.try_to_vec::<f32>()?);
    let mut chosen = match compared {
        Compared::Areas => {
            check_share(limits.similar)?;
            selected(&scores, most, limits, |i, j| overlap(&boxes[4 * i..4 * i + 4], &boxes[4 * j..4 * j + 4]))
        }
        Compared::Overlaps => selected(&scores, most, limits, |i, j| boxes[i * count + j]),
    };
    let found = chosen.len() as i32;
    chosen.resize(most, (0, 0.0));
    let (indices, scores): (Vec<i32>, Vec<f32>) =
        chosen.into_iter().map(|(index, score)| (index as i32, score)).unzip();
    Ok(vec![
        Tensor::try_from_vec(indices, [most])?,
        Tensor::try_from_vec(scores, [most])?,
        Tensor::try_from_vec(vec![found], ())?,
    ])
}

/// Indices and scores of the selected boxes.
#[track_caller]
fn suppressed(
    [boxes, scores]: [&Tensor; 2],
    max_output_size: Dim,
    compared: Compared,
    limits: [&Tensor; 3],
) -> Result<[Tensor; 2]> {
    if scores.rank() != 1 || !scores.dtype().is_floating() {
        return Err(misfit("a score for each box is needed", scores, "floats [boxes]"));
    }
    let count = scores.shape().dim(0);
    if !boxes.shape().dim(0).can_equal(count) {
        return Err(misfit("boxes and scores do not go together", scores, &format!("[{}]", boxes.shape().dim(0))));
    }
    let most = checked_size("max_output_size", max_output_size, 0)?.min(count);
    let types = |inputs: &[&TensorType], _: &mut dyn FnMut() -> Dim| {
        let most = [inputs[2].shape.dim(0)];
        Ok(vec![typed(DType::I32, &most)?, typed(DType::F32, &most)?, typed(DType::I32, &[])?])
    };
    let work = Work::new("non_max_suppression", format!("{compared:?}"), types, move |inputs| run(compared, inputs));
    let (wide, floats) = (cast_to(boxes, DType::F32)?, cast_to(scores, DType::F32)?);
    let results = work.call(&[&wide, &floats, &room(most)?, limits[0], limits[1], limits[2]])?;
    let [indices, found, count] = &results[..] else {
        return Err(Error::internal("", "three results were expected"));
    };
    let count = count.into_dim()?;
    let found = cast_to(&part(found, 0, Dim::ZERO, count)?, scores.dtype())?;
    Ok([part(indices, 0, Dim::ZERO, count)?, found])
}

/// A threshold as `float32[]`.
#[track_caller]
pub(super) fn limit(number: impl ToOperand) -> Result<Tensor> {
    let limit = in_dtype(number.to_operand(), DType::F32)?;
    reshape_to(&limit, &Shape::SCALAR)
}

image_fn! {
    /// The indices, `int32`, of at most `max_output_size` of the boxes `[n, 4]`, by falling score: each has a score above `score_threshold`, and
    /// shares at most `iou_threshold` of its area with each that has a better score. TensorFlow's `tf.image.non_max_suppression`.
    ///
    /// How many there are only a run tells, so a graph has a size without a number. TensorFlow's thresholds are 0.5 and `f64::NEG_INFINITY`
    /// unless given; tensors may stand for them.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let boxes = tf::constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]]);
    /// let best = tf::image::non_max_suppression(&boxes, tf::constant([0.6, 0.9, 0.5]), 3, 0.5, f64::NEG_INFINITY);
    /// assert_eq!(best.to_vec::<i32>(), [1, 2]);
    /// ```
    pub fn non_max_suppression, try_non_max_suppression(
        boxes: impl AsTensor,
        scores: impl AsTensor,
        max_output_size: impl IntoDim,
        iou_threshold: impl ToOperand,
        score_threshold: impl ToOperand,
    ) -> Tensor {
        let boxes = boxes.as_tensor();
        check_boxes(&boxes, 2)?;
        let limits = [&limit(iou_threshold)?, &limit(score_threshold)?, &limit(0.0)?];
        let [indices, _] = suppressed([&boxes, &scores.as_tensor()], max_output_size.into_dim()?, Compared::Areas, limits)?;
        Ok(indices)
    }

    /// [`non_max_suppression`](fn@non_max_suppression) that gives the scores too. With a `soft_nms_sigma` above 0 the score of a box shrinks by
    /// how much it shares with better ones, and none is dropped for that. TensorFlow's `tf.image.non_max_suppression_with_scores`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let boxes = tf::constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]]);
    /// let (best, scores) =
    ///     tf::image::non_max_suppression_with_scores(&boxes, tf::constant([0.6, 0.9]), 2, 1.0, f64::NEG_INFINITY, 0.5);
    /// assert_eq!(best.to_vec::<i32>(), [1, 0]);
    /// assert!(scores.to_vec::<f32>()[1] < 0.3);
    /// ```
    pub fn non_max_suppression_with_scores, try_non_max_suppression_with_scores(
        boxes: impl AsTensor,
        scores: impl AsTensor,
        max_output_size: impl IntoDim,
        iou_threshold: impl ToOperand,
        score_threshold: impl ToOperand,
        soft_nms_sigma: impl ToOperand,
    ) -> (Tensor, Tensor) {
        let boxes = boxes.as_tensor();
        check_boxes(&boxes, 2)?;
        let limits = [&limit(iou_threshold)?, &limit(score_threshold)?, &limit(soft_nms_sigma)?];
        let [indices, scores] = suppressed([&boxes, &scores.as_tensor()], max_output_size.into_dim()?, Compared::Areas, limits)?;
        Ok((indices, scores))
    }

    /// [`non_max_suppression`](fn@non_max_suppression) by a matrix `[n, n]` that says how much any two overlap, in whatever sense. TensorFlow's
    /// `tf.image.non_max_suppression_overlaps`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let overlaps = tf::constant([[1.0, 0.7], [0.7, 1.0]]);
    /// let best = tf::image::non_max_suppression_overlaps(&overlaps, tf::constant([0.6, 0.9]), 2, 0.5, 0.0);
    /// assert_eq!(best.to_vec::<i32>(), [1]);
    /// ```
    pub fn non_max_suppression_overlaps, try_non_max_suppression_overlaps(
        overlaps: impl AsTensor,
        scores: impl AsTensor,
        max_output_size: impl IntoDim,
        overlap_threshold: impl ToOperand,
        score_threshold: impl ToOperand,
    ) -> Tensor {
        let overlaps = overlaps.as_tensor();
        let is_square = overlaps.rank() == 2 && overlaps.shape().dim(0).can_equal(overlaps.shape().dim(1));
        if !is_square || !overlaps.dtype().is_floating() {
            return Err(misfit("overlaps must be a square matrix", &overlaps, "floats [boxes, boxes]"));
        }
        let limits = [&limit(overlap_threshold)?, &limit(score_threshold)?, &limit(0.0)?];
        let [indices, _] = suppressed([&overlaps, &scores.as_tensor()], max_output_size.into_dim()?, Compared::Overlaps, limits)?;
        Ok(indices)
    }
}
