//! `ctc_loss`: -log of the probability that frames of logits say a label, over all alignments with blanks and repeats; and what decodes such logits.
//! TensorFlow's `tf.nn.ctc_loss` (dense labels), `ctc_greedy_decoder`, `ctc_beam_search_decoder`, `ctc_unique_labels` and `collapse_repeated`.

mod beams;
mod decode;
mod loss;
mod paths;
#[cfg(test)]
mod tests;

use super::AsTensor;
use super::functions::{try_cast, try_squeeze, try_transpose};
use crate::execute::execute;
use crate::tensor::Tensor;
use decode::{CtcDecode, Tidy, TidyLabels};
use kernels::backend::cpu::View;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use std::panic::Location;

const NAME: &str = "ctc_loss";

/// A length of an example, which is at most `most`.
///
/// # Safety
/// The view is a valid vector of integers.
unsafe fn lengths_of(view: &View, example: usize, most: usize, what: &str) -> Result<usize> {
    // SAFETY: by the caller's promise.
    let length = unsafe { view.slab(0, example..example + 1).integers() }[0];
    match usize::try_from(length) {
        Ok(length) if length <= most => Ok(length),
        _ => Err(Error::invalid_argument("ctc", format!("`{what}` is out of range"))
            .got(format!("{length} in example {example}"))
            .expected(format!("a length from 0 to {most}"))),
    }
}

/// Logits with time in front, in a type that paths are added up in.
#[track_caller]
fn by_time(op: &str, logits: &Tensor, time_major: bool) -> Result<Tensor> {
    if !DTypes::FLOATING.has(logits.dtype()) || logits.rank() != 3 {
        return Err(Error::invalid_argument(op, "logits are floating-point numbers of three dimensions")
            .got(logits.ty())
            .expected("[frames, batch, classes]"));
    }
    let wide = try_cast(logits, logits.dtype().compute())?;
    if time_major { Ok(wide) } else { try_transpose(&wide, [1, 0, 2]) }
}

/// The connectionist temporal classification loss of each example, `[batch]`: -log of the probability that the frames of `logits` (`[frames, batch, classes]`, or
/// `[batch, frames, classes]` unless `logits_time_major`) say the label, summed over all alignments with repeats and blanks (Graves et al. 2006).
///
/// `labels` are `[batch, length]`, of which the first `label_length` count; so do the first `logit_length` frames. The blank is class `blank_index`; negative
/// numbers count from the end. Floats; all sums are taken in `float64`, forward and backward. Gradients of five orders; a sixth is an error. Where no alignment fits, a label
/// that is longer than its frames, the loss is infinite and its gradient zero: TensorFlow gives a large number there, from a probability of 0 that it replaces.
///
/// ```
/// use eagerflow as tf;
/// let (labels, logits) = (tf::constant([[1, 2]]), tf::zeros([2, 1, 3]));
/// let loss = tf::ctc_loss(&labels, &logits, tf::constant([2]), tf::constant([2]), true, 0);
/// assert!((loss.to_vec::<f32>()[0] - 9f32.ln()).abs() < 1e-6);
/// ```
///
/// # Panics
/// As [`try_ctc_loss`] fails.
#[track_caller]
pub fn ctc_loss(
    labels: impl AsTensor,
    logits: impl AsTensor,
    label_length: impl AsTensor,
    logit_length: impl AsTensor,
    logits_time_major: bool,
    blank_index: i64,
) -> Tensor {
    try_ctc_loss(labels, logits, label_length, logit_length, logits_time_major, blank_index).or_fail()
}

/// The connectionist temporal classification loss of each example.
///
/// # Errors
/// InvalidArgument for logits that are no floats of three dimensions, labels or lengths that are no `int32` or `int64` or do not fit, a blank or a label that is
/// no class, a label that is the blank, and lengths out of range.
#[track_caller]
pub fn try_ctc_loss(
    labels: impl AsTensor,
    logits: impl AsTensor,
    label_length: impl AsTensor,
    logit_length: impl AsTensor,
    logits_time_major: bool,
    blank_index: i64,
) -> Result<Tensor> {
    let here = Location::caller();
    let (labels, logits) = (labels.as_tensor(), logits.as_tensor());
    let (label_length, logit_length) = (label_length.as_tensor(), logit_length.as_tensor());
    let run = || {
        let wide = by_time(NAME, &logits, logits_time_major)?;
        let inputs: [&Tensor; 4] = [&wide, &labels, &label_length, &logit_length];
        let loss = execute(&loss::CtcLoss { blank: blank_index }, &inputs)?.swap_remove(0);
        try_cast(&loss, logits.dtype())
    };
    run().map_err(|e: Error| e.named(NAME).at(here))
}

/// The labels of a decoder, with -1 behind the end of each; their lengths; and their scores.
type Decoded = (Tensor, Tensor, Tensor);

#[track_caller]
fn decoded(name: &'static str, op: &CtcDecode, logits: &Tensor, lengths: &Tensor) -> Result<Decoded> {
    // As TensorFlow: the best of 16-bit numbers would often be several.
    if !DTypes::of(&[DType::F32, DType::F64]).has(logits.dtype()) {
        return Err(Error::invalid_argument(name, "logits of this dtype are not decoded")
            .got(logits.dtype())
            .expected("float32 or float64")
            .help("convert them with `cast`"));
    }
    let mut all = execute(op, &[logits, lengths]).map_err(|e| e.named(name))?.into_iter();
    match (all.next(), all.next(), all.next()) {
        (Some(labels), Some(lengths), Some(scores)) => Ok((labels, lengths, scores)),
        _ => Err(Error::internal(name, "three results were expected")),
    }
}

/// The best class of each frame of `logits` (`[frames, batch, classes]`), without blanks, and repeated ones once if `merge_repeated`: the labels `[batch, frames]`,
/// -1 behind the end of each, their lengths `[batch]`, and the sums of the frames' greatest logits with their signs turned, `[batch, 1]`.
///
/// The blank is class `blank_index`; -1 is the last one, TensorFlow's default. TensorFlow gives the labels as a sparse tensor: its values are those that are not -1, row
/// by row.
///
/// ```
/// use eagerflow as tf;
/// let logits = tf::constant([[[2.0, 0.0, 0.0]], [[2.0, 0.0, 0.0]], [[0.0, 0.0, 3.0]]]);
/// let (labels, lengths, sums) = tf::ctc_greedy_decoder(&logits, tf::constant([3]), true, -1);
/// assert_eq!((labels.to_vec::<i64>(), lengths.to_vec::<i64>()), (vec![0, -1, -1], vec![1]));
/// assert_eq!(sums.to_vec::<f32>(), [-7.0]);
/// ```
///
/// # Panics
/// As [`try_ctc_greedy_decoder`] fails.
#[track_caller]
pub fn ctc_greedy_decoder(
    logits: impl AsTensor,
    sequence_length: impl AsTensor,
    merge_repeated: bool,
    blank_index: i64,
) -> (Tensor, Tensor, Tensor) {
    try_ctc_greedy_decoder(logits, sequence_length, merge_repeated, blank_index).or_fail()
}

/// The best class of each frame, without blanks.
///
/// # Errors
/// InvalidArgument for logits that are no floats of three dimensions, lengths that do not fit or are out of range, or a blank that is no class.
#[track_caller]
pub fn try_ctc_greedy_decoder(
    logits: impl AsTensor,
    sequence_length: impl AsTensor,
    merge_repeated: bool,
    blank_index: i64,
) -> Result<(Tensor, Tensor, Tensor)> {
    let here = Location::caller();
    let run = || {
        let op = CtcDecode { width: 0, paths: 1, merge: merge_repeated, blank: blank_index };
        let (labels, lengths, scores) =
            decoded("ctc_greedy_decoder", &op, &logits.as_tensor(), &sequence_length.as_tensor())?;
        Ok((try_squeeze(&labels, 1)?, try_squeeze(&lengths, 1)?, scores))
    };
    run().map_err(|e: Error| e.at(here))
}

/// The `top_paths` most probable labels of `logits` (`[frames, batch, classes]`, the last class is the blank), found by keeping `beam_width` prefixes from frame to frame:
/// labels `[batch, top_paths, frames]`, -1 behind the end of each, their lengths and the logarithms of their probabilities `[batch, top_paths]`.
///
/// TensorFlow gives a sparse tensor for each path: its values are those that are not -1, row by row. Where there are fewer labels than paths, what is left has
/// length 0 and a logarithm of -inf.
///
/// ```
/// use eagerflow as tf;
/// let logits = tf::constant([[[0.0, 0.0, 5.0]], [[5.0, 0.0, 0.0]]]);
/// let (labels, lengths, _) = tf::ctc_beam_search_decoder(&logits, tf::constant([2]), 10, 1);
/// assert_eq!((labels.to_vec::<i64>(), lengths.to_vec::<i64>()), (vec![0, -1], vec![1]));
/// ```
///
/// # Panics
/// As [`try_ctc_beam_search_decoder`] fails.
#[track_caller]
pub fn ctc_beam_search_decoder(
    logits: impl AsTensor,
    sequence_length: impl AsTensor,
    beam_width: usize,
    top_paths: usize,
) -> (Tensor, Tensor, Tensor) {
    try_ctc_beam_search_decoder(logits, sequence_length, beam_width, top_paths).or_fail()
}

/// The most probable labels among the prefixes that are kept.
///
/// # Errors
/// InvalidArgument for logits that are no floats of three dimensions, lengths that do not fit or are out of range, a beam of 0, or more paths than it is wide.
#[track_caller]
pub fn try_ctc_beam_search_decoder(
    logits: impl AsTensor,
    sequence_length: impl AsTensor,
    beam_width: usize,
    top_paths: usize,
) -> Result<(Tensor, Tensor, Tensor)> {
    let here = Location::caller();
    let run = || {
        if beam_width == 0 || top_paths == 0 || top_paths > beam_width || i64::try_from(beam_width).is_err() {
            return Err(Error::invalid_argument("ctc_beam_search_decoder", "so many paths cannot be given")
                .got(format!("{top_paths} of a beam of {beam_width}"))
                .expected("at least one path, and a beam that is as wide"));
        }
        let op = CtcDecode { width: beam_width as i64, paths: top_paths as i64, merge: false, blank: -1 };
        decoded("ctc_beam_search_decoder", &op, &logits.as_tensor(), &sequence_length.as_tensor())
    };
    run().map_err(|e: Error| e.at(here))
}

#[track_caller]
fn tidied(name: &'static str, how: Tidy, inputs: &[&Tensor]) -> Result<(Tensor, Tensor)> {
    let mut all = execute(&TidyLabels { how }, inputs).map_err(|e| e.named(name))?.into_iter();
    match (all.next(), all.next()) {
        (Some(a), Some(b)) => Ok((a, b)),
        _ => Err(Error::internal(name, "two results were expected")),
    }
}

/// The different labels of each row of `[batch, length]`, in the order of their first places and with zeros behind them (`int64`), and each
/// label's number among those (`int32`).
///
/// ```
/// use eagerflow as tf;
/// let (labels, numbers) = tf::ctc_unique_labels(tf::constant([[3, 4, 4, 3]]));
/// assert_eq!((labels.to_vec::<i64>(), numbers.to_vec::<i32>()), (vec![3, 4, 0, 0], vec![0, 1, 1, 0]));
/// ```
///
/// # Panics
/// As [`try_ctc_unique_labels`] fails.
#[track_caller]
pub fn ctc_unique_labels(labels: impl AsTensor) -> (Tensor, Tensor) {
    try_ctc_unique_labels(labels).or_fail()
}

/// The different labels of each row, and each label's number among those.
///
/// # Errors
/// InvalidArgument for labels that are no `int32` or `int64`, or no rows.
#[track_caller]
pub fn try_ctc_unique_labels(labels: impl AsTensor) -> Result<(Tensor, Tensor)> {
    let here = Location::caller();
    tidied("ctc_unique_labels", Tidy::Unique, &[&labels.as_tensor()]).map_err(|e| e.at(here))
}

/// The labels of each row of `[batch, length]` that are not what stands before them, of the first `seq_length`; and how many there are. Zeros stand behind them.
///
/// The result keeps the width of the labels, where TensorFlow cuts it to the longest row: so its size does not depend on values.
///
/// ```
/// use eagerflow as tf;
/// let (labels, lengths) = tf::collapse_repeated(tf::constant([[1, 1, 2, 2, 1]]), tf::constant([4]));
/// assert_eq!((labels.to_vec::<i32>(), lengths.to_vec::<i32>()), (vec![1, 2, 0, 0, 0], vec![2]));
/// ```
///
/// # Panics
/// As [`try_collapse_repeated`] fails.
#[track_caller]
pub fn collapse_repeated(labels: impl AsTensor, seq_length: impl AsTensor) -> (Tensor, Tensor) {
    try_collapse_repeated(labels, seq_length).or_fail()
}

/// The labels of each row that are not what stands before them, and how many there are.
///
/// # Errors
/// InvalidArgument for labels and lengths that are no `int32` or `int64`, do not fit, or are out of range.
#[track_caller]
pub fn try_collapse_repeated(labels: impl AsTensor, seq_length: impl AsTensor) -> Result<(Tensor, Tensor)> {
    let here = Location::caller();
    let (labels, lengths) = (labels.as_tensor(), seq_length.as_tensor());
    tidied("collapse_repeated", Tidy::Collapse, &[&labels, &lengths]).map_err(|e| e.at(here))
}
