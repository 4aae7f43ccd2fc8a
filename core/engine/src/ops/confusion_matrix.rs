//! `confusion_matrix`: how often each class was predicted for each label; the gradient by weights is gathered from dy.
//! TensorFlow's `tf.math.confusion_matrix`: a `scatter_nd` of ones or weights at (label, prediction).

use super::require::require;
use super::scatter_nd::try_scatter_nd;
use super::size_from::size_from;
use super::{GreaterEqual, Less, cast_to, concat_all, functions, ones_of, public, reshape_to, stack_all};
use crate::constant::try_constant_of;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, IntoDim, Shape};

/// A list of classes, `int64`, without an axis of size 1 that the other list does not have.
#[track_caller]
fn classes(x: &Tensor, other: &Tensor) -> Result<Tensor> {
    let x = match x.rank().checked_sub(1) {
        Some(last) if x.rank() == other.rank() + 1 && x.shape().dim(last) == Dim::ONE => {
            reshape_to(x, &x.shape().remove(last))?
        }
        _ => x.clone(),
    };
    cast_to(&x, DType::I64)
}

#[track_caller]
fn matrix(
    labels: &Tensor,
    predictions: &Tensor,
    num_classes: Option<Dim>,
    weights: Option<&Tensor>,
    dtype: DType,
) -> Result<Tensor> {
    let op = "confusion_matrix";
    let (labels, predictions) = (classes(labels, predictions)?, classes(predictions, labels)?);
    let fits = |x: &Tensor| x.rank() == 1 && x.shape().dim(0).can_equal(labels.shape().dim(0));
    if !fits(&labels) || !fits(&predictions) || weights.is_some_and(|weights| !fits(weights)) {
        let weights = weights.map_or(String::new(), |weights| format!(", weights {}", weights.shape()));
        return Err(Error::invalid_argument(op, "labels, predictions and weights do not fit each other")
            .got(format!("labels {}, predictions {}{weights}", labels.shape(), predictions.shape()))
            .expected("vectors of one length"));
    }
    require(op, "x >= 0", &GreaterEqual, &labels, 0, "labels must not be negative")?;
    require(op, "x >= 0", &GreaterEqual, &predictions, 0, "predictions must not be negative")?;
    let count = match num_classes {
        Some(count) => {
            let most = super::reduce_mean::size_of(&Shape::from_dims(&[count])?, 0)?;
            let most = cast_to(&most, DType::I64)?;
            require(op, "x < y", &Less, &labels, &most, "a label is no class")?;
            require(op, "x < y", &Less, &predictions, &most, "a prediction is no class")?;
            count
        }
        // No labels have no classes.
        None => {
            let none = try_constant_of([-1], DType::I64)?;
            let greatest = functions::try_reduce_max(&concat_all(&[&labels, &predictions, &none], 0)?, ())?;
            size_from(&functions::try_maximum(&functions::try_add(&greatest, 1)?, 0)?)?
        }
    };
    let values = match weights {
        Some(weights) => cast_to(weights, dtype)?,
        None => ones_of(&TensorType::new(dtype, *labels.shape()))?,
    };
    try_scatter_nd(&stack_all(&[&labels, &predictions], 1)?, &values, Shape::from_dims(&[count, count])?)
}

public! {
    /// A matrix of `int32` in which row `i`, column `j` says how often `j` was predicted where `i` was the label (this tensor).
    /// `num_classes` is its size, or -1 for as many classes as occur.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let matrix = tf::confusion_matrix(&tf::constant([1, 2, 2]), &tf::constant([1, 2, 0]), 3);
    /// assert_eq!(matrix.to_vec::<i32>(), [0, 0, 0, 0, 1, 0, 1, 0, 1]);
    /// ```
    pub fn confusion_matrix, try_confusion_matrix(labels, predictions: &Tensor, num_classes: impl IntoDim) -> Tensor {
        try_confusion_matrix_with(labels, predictions, num_classes, None, DType::I32)
    }

    /// As [`confusion_matrix`], of `dtype`, where each prediction counts as much as its weight.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (labels, predictions, weights) = (tf::constant([0, 1]), tf::constant([1, 1]), tf::constant([0.5, 2.0]));
    /// let matrix = tf::confusion_matrix_with(&labels, &predictions, -1, Some(&weights), tf::float32);
    /// assert_eq!(matrix.to_vec::<f32>(), [0.0, 0.5, 0.0, 2.0]);
    /// ```
    pub fn confusion_matrix_with, try_confusion_matrix_with(
        labels, predictions: &Tensor, num_classes: impl IntoDim, weights: Option<&Tensor>, dtype: DType,
    ) -> Tensor {
        let count = num_classes.into_size().map_err(|e| e.in_op("confusion_matrix"))?;
        matrix(labels, predictions, count, weights, dtype).map_err(|e| e.named("confusion_matrix"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_refusals() {
        let (labels, predictions) = (tf::constant([0, 2, 2]), tf::constant([[1], [1], [1]]));
        let weighted = |x: &tf::Tensor| tf::confusion_matrix_with(&labels, &predictions, 3, Some(x), x.dtype());
        check(&|x| weighted(&x[0]).square(), &[numbers(1, &[3])]);
        let none = tf::zeros([0]).cast(tf::DType::I32);
        assert_eq!(tf::confusion_matrix(&none, &none, -1).shape(), [0, 0]);
        for (labels, predictions) in [([-1, 0], [0, 0]), ([0, 3], [0, 0]), ([0, 0], [0, 3])] {
            let error = tf::try_confusion_matrix(&tf::constant(labels), &tf::constant(predictions), 3).unwrap_err();
            assert!(error.to_string().contains("confusion_matrix"), "{error}");
        }
        assert!(tf::try_confusion_matrix(&tf::constant([1, 1]), &tf::constant([0]), -1).is_err());
        assert!(tf::try_confusion_matrix(&tf::constant([[1, 1]]), &tf::constant([[0, 0]]), -1).is_err());
    }
}
