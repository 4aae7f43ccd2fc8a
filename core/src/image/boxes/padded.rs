//! `non_max_suppression_padded`: for each image of a batch the best of its boxes, filled up to one number of them.
//! Users call it under `tf::image`. It follows TensorFlow's formulas, which differ from those of `non_max_suppression` at the edges.

use super::super::operand::{image_fn, misfit, part, size as checked_size};
use super::{list_for, room};
use crate::io::host::{Work, typed};
use engine::library::options::options;
use engine::library::{cast_to, reshape_to};
use engine::{AsTensor, Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, IntoDim, Shape};

/// TensorFlow's options of `tf.image.non_max_suppression_padded`.
///
/// ```
/// use eagerflow as tf;
/// use tf::image::PaddedSuppression;
/// let boxes = tf::constant([[[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1]]]);
/// let how = PaddedSuppression::new().pad_to_max_output_size(true);
/// let (best, valid) = tf::image::non_max_suppression_padded(&boxes, tf::constant([[0.6, 0.9]]), 3, how);
/// assert_eq!((best.to_vec::<i32>(), valid.to_vec::<i32>()), (vec![1, 0, 0], vec![1]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaddedSuppression {
    iou_threshold: f64,
    score_threshold: f64,
    pad: bool,
    sorted: bool,
    canonical: bool,
}

impl Default for PaddedSuppression {
    fn default() -> Self {
        Self::new()
    }
}

impl PaddedSuppression {
    /// Boxes that share less than half their area, of any score, in any order; as many as there are.
    pub fn new() -> Self {
        Self { iou_threshold: 0.5, score_threshold: f64::NEG_INFINITY, pad: false, sorted: false, canonical: false }
    }

    /// Whether the indices are filled up with zeros to `max_output_size`, as batches need.
    #[must_use]
    pub fn pad_to_max_output_size(mut self, pad: bool) -> Self {
        self.pad = pad;
        self
    }

    /// Whether boxes come by falling score, so that they need not be sorted.
    #[must_use]
    pub fn sorted_input(mut self, sorted: bool) -> Self {
        self.sorted = sorted;
        self
    }

    /// Whether each box has its top above its bottom and its left before its right. Without it the first box says for all which edge is which.
    #[must_use]
    pub fn canonicalized_coordinates(mut self, canonical: bool) -> Self {
        self.canonical = canonical;
        self
    }
}

options! { [] PaddedSuppression:
    /// From which share of their areas on a box is dropped for a better one, 0.5 unless set.
    pub fn iou_threshold, try_iou_threshold(this, iou_threshold: f64) {
        this.iou_threshold = engine::library::options::share("non_max_suppression_padded", "iou_threshold", iou_threshold)?;
        Ok(this)
    }

    /// The score above which boxes count.
    pub fn score_threshold, try_score_threshold(this, score_threshold: f64) {
        if score_threshold.is_nan() {
            return Err(Error::invalid_argument("non_max_suppression_padded", "`score_threshold` is no number").got(score_threshold));
        }
        this.score_threshold = score_threshold;
        Ok(this)
    }
}

/// The share of two boxes in what they cover together, by TensorFlow's formula for batches.
fn overlap(a: &[f32; 4], b: &[f32; 4]) -> f32 {
    let area = |x: &[f32; 4]| (x[2] - x[0]) * (x[3] - x[1]);
    let height = (a[2].min(b[2]) - a[0].max(b[0])).max(0.0);
    let width = (a[3].min(b[3]) - a[1].max(b[1])).max(0.0);
    let both = height * width;
    both / (area(a) + area(b) - both + 1e-8)
}

/// The chosen ones of one image, as places among its boxes. `swap` says which edges of all boxes come the other way round.
fn chosen(
    boxes: &mut [[f32; 4]],
    scores: &mut [f32],
    most: usize,
    swap: [bool; 2],
    how: PaddedSuppression,
) -> Vec<i32> {
    for (x, score) in boxes.iter_mut().zip(scores.iter_mut()) {
        if how.score_threshold > f64::NEG_INFINITY && *score <= how.score_threshold as f32 {
            (*x, *score) = ([0.0; 4], 0.0);
        }
        for axis in [0, 1] {
            if swap[axis] {
                x.swap(axis, axis + 2);
            }
        }
    }
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    if !how.sorted {
        order.sort_by(|&i, &j| scores[j].partial_cmp(&scores[i]).unwrap_or(std::cmp::Ordering::Equal));
    }
    let mut kept: Vec<usize> = Vec::new();
    for place in order {
        let is_apart = |&other: &usize| overlap(&boxes[other], &boxes[place]) < how.iou_threshold as f32;
        // Boxes of zeros are what the threshold of scores has left of others.
        let is_something = boxes[place].iter().any(|&edge| edge > 0.0);
        if kept.len() < most && is_something && kept.iter().all(is_apart) {
            kept.push(place);
        }
    }
    kept.into_iter().map(|place| place as i32).collect()
}

/// Chooses on the host.
fn run(how: PaddedSuppression, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
    let (boxes, scores, most) = (inputs[0], inputs[1], inputs[2].shape().dims()[0]);
    let &[batch, count, 4] = boxes.shape().dims() else {
        return Err(misfit("these are no boxes", boxes, "[.., boxes, 4]"));
    };
    let mut edges: Vec<[f32; 4]> =
        boxes.try_to_vec::<f32>()?.chunks_exact(4).map(|x| [x[0], x[1], x[2], x[3]]).collect();
    let mut scores = scores.try_to_vec::<f32>()?;
    if scores.len() != edges.len() {
        return Err(misfit("boxes and scores do not go together", inputs[1], &format!("float32[{batch}, {count}]")));
    }
    // As TensorFlow, which looks at the first box of all, after scores have made zeros of some.
    let swap = match edges.first() {
        Some(first)
            if !how.canonical
                && (how.score_threshold == f64::NEG_INFINITY || scores[0] > how.score_threshold as f32) =>
        {
            [first[0] > first[2], first[1] > first[3]]
        }
        _ => [false; 2],
    };
    let (mut indices, mut valid) = (list_for(batch, most)?, list_for(batch, 1)?);
    for image in 0..batch {
        let own = image * count..(image + 1) * count;
        let one = chosen(&mut edges[own.clone()], &mut scores[own], most, swap, how);
        valid.push(one.len() as i32);
        indices.extend(one);
        indices.resize((image + 1) * most, 0);
    }
    Ok(vec![Tensor::try_from_vec(indices, [batch, most])?, Tensor::try_from_vec(valid, [batch])?])
}

image_fn! {
    /// The indices of the best of the boxes `[.., n, 4]`, by falling score, for each of the leading axes, and how many there are: `int32`
    /// `[.., max_output_size]` and `[..]`. TensorFlow's `tf.image.non_max_suppression_padded`.
    ///
    /// A box is dropped if it shares `iou_threshold` of its area, or more, with a better one; boxes without a coordinate above 0 do not count.
    /// Without [`pad_to_max_output_size`](PaddedSuppression::pad_to_max_output_size) there is one image, `[n, 4]`, and as many indices as
    /// boxes were found. TensorFlow's `tile_size` changes no result and is not there.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::image::PaddedSuppression;
    /// let boxes = tf::constant([[0.0, 0.0, 1.0, 1.0], [0.0, 2.0, 1.0, 3.0]]);
    /// let (best, valid) = tf::image::non_max_suppression_padded(&boxes, tf::constant([0.6, 0.9]), 5, PaddedSuppression::new());
    /// assert_eq!((best.to_vec::<i32>(), valid.item::<i32>()), (vec![1, 0], 2));
    /// ```
    pub fn non_max_suppression_padded, try_non_max_suppression_padded(
        boxes: impl AsTensor,
        scores: impl AsTensor,
        max_output_size: impl IntoDim,
        how: PaddedSuppression,
    ) -> (Tensor, Tensor) {
        let (boxes, scores) = (boxes.as_tensor(), scores.as_tensor());
        let rank = boxes.rank();
        if rank < 2 || !boxes.dtype().is_floating() {
            return Err(misfit("these are no boxes", &boxes, "floats [.., boxes, 4]"));
        }
        if scores.rank() + 1 != rank || !scores.dtype().is_floating() {
            return Err(misfit("a score for each box is needed", &scores, "floats [.., boxes]"));
        }
        if rank > 2 && !how.pad {
            return Err(misfit("a batch has to be filled up to one number of boxes", &boxes, "[boxes, 4]")
                .help("`pad_to_max_output_size(true)` does that"));
        }
        let most = checked_size("max_output_size", max_output_size.into_dim()?, 0)?;
        let lead: Vec<Dim> = boxes.shape().iter().take(rank - 2).collect();
        let batch = lead.iter().fold(Dim::ONE, |all, &size| all * size);
        let count = boxes.shape().dim(rank - 2);
        let flat = reshape_to(&cast_to(&boxes, DType::F32)?, &Shape::from_dims(&[batch, count, boxes.shape().dim(rank - 1)])?)?;
        let scores = reshape_to(&cast_to(&scores, DType::F32)?, &Shape::from_dims(&[batch, count])?)?;
        let types = |inputs: &[&TensorType], _: &mut dyn FnMut() -> Dim| {
            let (batch, most) = (inputs[0].shape.dim(0), inputs[2].shape.dim(0));
            Ok(vec![typed(DType::I32, &[batch, most])?, typed(DType::I32, &[batch])?])
        };
        let work = Work::new("non_max_suppression_padded", format!("{how:?}"), types, move |inputs| run(how, inputs));
        let results = work.call(&[&flat, &scores, &room(most)?])?;
        let [indices, valid] = &results[..] else {
            return Err(Error::internal("", "two results were expected"));
        };
        let valid = reshape_to(valid, &Shape::from_dims(&lead)?)?;
        let indices = match how.pad {
            true => reshape_to(indices, &Shape::from_dims(&[&lead[..], &[most]].concat())?)?,
            false => part(&reshape_to(indices, &Shape::from_dims(&[most])?)?, 0, Dim::ZERO, (&valid).into_dim()?)?,
        };
        Ok((indices, valid))
    }
}
