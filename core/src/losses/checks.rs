//! What losses ask of labels and predictions before they compute: ranks, shapes, dtypes and class numbers.
//! All files of losses call it; its errors name both shapes and the way out.

use super::reduce::{is_column, same_rank, without_last};
use engine::Tensor;
use engine::library::{Typed, cast_to};
use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// How far probabilities are kept from 0 and 1 before their logarithm is taken: Keras's `epsilon()`.
pub(crate) const EPSILON: f64 = 1e-7;

/// A dtype to compute in.
pub(super) fn dtype(owner: &str, dtype: DType) -> Result<DType> {
    match dtype.is_floating() {
        true => Ok(dtype),
        false => {
            Err(Error::invalid_argument(owner, "`dtype` is out of range").got(dtype).expected("a floating-point type"))
        }
    }
}

/// Labels and predictions as the objects take them: predictions in the dtype to compute in, both of one rank if one has a last
/// dimension of size 1 too many.
#[track_caller]
pub(super) fn prepared(
    loss: &str,
    labels: &Tensor,
    predictions: &Tensor,
    dtype: Option<DType>,
) -> Result<(Tensor, Tensor)> {
    if !predictions.dtype().is_floating() {
        return Err(not_floating(loss, predictions));
    }
    let predictions = cast_to(predictions, dtype.unwrap_or_else(|| predictions.dtype().compute()))?;
    same_rank(labels, &predictions, true)
}

#[cold]
fn not_floating(loss: &str, predictions: &Tensor) -> Error {
    Error::invalid_argument(loss, "the predictions are no rows of floating-point numbers")
        .got(predictions.ty())
        .expected("float[batch, …, classes]")
        .help("`cast(DType::F32)` makes them so")
}

/// Fails unless the predictions are rows of floating-point numbers.
pub(super) fn floating(loss: &str, predictions: &Tensor) -> Result<()> {
    match predictions.dtype().is_floating() && predictions.rank() > 0 {
        true => Ok(()),
        false => Err(not_floating(loss, predictions)),
    }
}

/// Labels and predictions are never broadcast: `[2]` against `[3, 2]` would be a silent `[3, 2]`.
pub(crate) fn same_shape(owner: &str, labels: &Tensor, predictions: &Tensor) -> Result<()> {
    let (a, b) = (labels.shape(), predictions.shape());
    if a.rank() == b.rank() && a.iter().zip(b.iter()).all(|(a, b)| a.can_equal(b)) {
        return Ok(());
    }
    let classes = a.rank() + 1 == b.rank() && labels.dtype().is_integer();
    let help = match classes {
        true => {
            "if the labels are class numbers, take the loss or metric with `Sparse` or `sparse_` in its name, or `one_hot` them"
        }
        false => "`reshape`, `squeeze` or `expand_dims` one of them",
    };
    Err(Error::invalid_argument(owner, "labels and predictions have different shapes")
        .got(format!("labels {a}, predictions {b}"))
        .expected("one shape for both")
        .help(help))
}

/// Labels that are numbers or truth values, in the dtype of the predictions.
#[track_caller]
pub(crate) fn numbers(owner: &str, labels: &Tensor, predictions: &Tensor) -> Result<Tensor> {
    let dtype = labels.dtype();
    if !(dtype.is_floating() || dtype.is_integer() || dtype == DType::Bool) {
        return Err(Error::invalid_argument(owner, "the labels are no numbers")
            .got(format!("labels {}, predictions {}", labels.ty(), predictions.ty()))
            .expected("labels that are floating-point numbers, integers or truth values"));
    }
    cast_to(labels, predictions.dtype())
}

/// Predictions that are rows, and labels of their shape and dtype.
#[track_caller]
pub(super) fn rows(loss: &str, labels: &Tensor, predictions: &Tensor) -> Result<Tensor> {
    floating(loss, predictions)?;
    same_shape(loss, labels, predictions)?;
    numbers(loss, labels, predictions)
}

/// The same where Keras makes the ranks equal first.
#[track_caller]
pub(crate) fn fitted(loss: &str, labels: &Tensor, predictions: &Tensor) -> Result<(Tensor, Tensor)> {
    let (labels, predictions) = same_rank(labels, predictions, true)?;
    Ok((rows(loss, &labels, &predictions)?, predictions))
}

/// Fails unless the labels may be class numbers: integers of any type, or whole floats, as data files have them.
pub(crate) fn class_dtype(owner: &str, labels: &Tensor, predictions: &Tensor) -> Result<()> {
    let dtype = labels.dtype();
    match dtype.is_floating() || dtype.is_integer() {
        true => Ok(()),
        false => Err(Error::invalid_argument(owner, "the labels are no class numbers")
            .got(format!("labels {}, predictions {}", labels.ty(), predictions.ty()))
            .expected("integers from 0 up to the number of classes")
            .help(SHARES)),
    }
}

const SHARES: &str =
    "for labels that are shares of all classes, take the loss or metric without `Sparse` or `sparse_` in its name";

/// Labels as one class number for each row of the predictions, in an integer type that indices may have.
#[track_caller]
pub(crate) fn class_numbers(owner: &str, labels: &Tensor, predictions: &Tensor) -> Result<Tensor> {
    class_dtype(owner, labels, predictions)?;
    let wide = matches!(labels.dtype(), DType::I32 | DType::I64);
    let labels = if wide { labels.clone() } else { cast_to(labels, DType::I64)? };
    let rows = predictions.shape().remove(predictions.rank() - 1);
    let labels =
        if labels.rank() == predictions.rank() && is_column(&labels) { without_last(&labels)? } else { labels };
    let fits = labels.rank() == rows.rank() && labels.shape().iter().zip(rows.iter()).all(|(a, b)| a.can_equal(b));
    match fits {
        true => Ok(labels),
        false => Err(Error::invalid_argument(owner, "the labels are not one class number per row of the predictions")
            .got(format!("labels {}, predictions {}", labels.shape(), predictions.shape()))
            .expected(format!("labels {rows}"))
            .help(SHARES)),
    }
}

/// The logarithm of probabilities, kept away from those of 0 and 1.
#[track_caller]
pub(super) fn log(shares: &Tensor) -> Result<Tensor> {
    shares.try_clip_by_value(EPSILON, 1.0 - EPSILON)?.try_log()
}

/// Labels moved towards an even share of all classes.
#[track_caller]
pub(super) fn smoothed(labels: &Tensor, smoothing: f64) -> Result<Tensor> {
    if smoothing == 0.0 {
        return Ok(labels.clone());
    }
    // Keras counts the classes along the last axis, whichever axis they lie on.
    let classes = labels.shape().dim(labels.rank() - 1);
    let share = match classes.known_value() {
        Some(classes) => return labels.try_multiply(1.0 - smoothing)?.try_add(smoothing / classes as f64),
        None => engine::try_divide(smoothing_of(labels, smoothing)?, classes)?,
    };
    labels.try_multiply(1.0 - smoothing)?.try_add(&share)
}

#[track_caller]
fn smoothing_of(labels: &Tensor, smoothing: f64) -> Result<Tensor> {
    engine::library::fill_with(&engine::TensorType::scalar(labels.dtype()), smoothing)
}

/// What is missing to 1.
#[track_caller]
pub(super) fn one_minus(x: &Tensor) -> Result<Tensor> {
    engine::try_subtract(1.0, x)
}
