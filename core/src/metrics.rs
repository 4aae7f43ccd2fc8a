//! Metrics: numbers that are gathered over the batches of an epoch, such as the mean loss and the accuracy.
//! Keras's metrics of these names; training loops update them after every step and reset them after every epoch.

use engine::AsTensor;
use engine::Variable;
use engine::library::Typed;
use engine::{Duplicate, Fields, Module};
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// The mean of all values that it was given.
///
/// Sums are kept in `float64`, so that long epochs lose nothing; the result is `float32`, and 0 before any value.
///
/// ```
/// use eagerflow as tf;
/// let loss = tf::metrics::Mean::new();
/// loss.update(&tf::constant([1.0, 2.0]));
/// loss.update(&tf::constant(6.0));
/// assert_eq!(loss.result().item::<f32>(), 3.0);
/// loss.reset();
/// assert_eq!(loss.result().item::<f32>(), 0.0);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct Mean {
    total: Variable,
    count: Variable,
}

impl Mean {
    /// A metric without values.
    #[track_caller]
    pub fn new() -> Self {
        let zero = |name: &str| Variable::with(Tensor::from(0.0f64), name, false);
        Self { total: zero("mean/total"), count: zero("mean/count") }
    }

    /// Takes more values in, of any shape and any number type or `bool`.
    ///
    /// # Panics
    /// As [`try_update`](Self::try_update) fails.
    #[track_caller]
    pub fn update(&self, values: impl AsTensor) {
        self.try_update(values).or_fail()
    }

    /// Takes more values in.
    ///
    /// # Errors
    /// FailedPrecondition for a value of a recorded graph used outside of it.
    #[track_caller]
    pub fn try_update(&self, values: impl AsTensor) -> Result<()> {
        let here = Location::caller();
        self.add(&values.as_tensor()).map_err(|e| e.at(here))
    }

    #[track_caller]
    fn add(&self, values: &Tensor) -> Result<()> {
        let wide = engine::library::cast_to(values, DType::F64)?;
        self.total.try_assign_add(&engine::try_reduce_sum(&wide, ())?)?;
        self.count.try_assign_add(&count(values)?)
    }

    /// The mean so far, a `float32` scalar.
    #[track_caller]
    pub fn result(&self) -> Tensor {
        self.mean().or_fail()
    }

    #[track_caller]
    fn mean(&self) -> Result<Tensor> {
        let (total, count) = (self.total.value(), self.count.value());
        // No values: 0 by 1, as Keras answers.
        let mean = engine::try_divide(&total, &engine::try_maximum(&count, 1.0)?)?;
        engine::library::cast_to(&mean, DType::F32)
    }

    /// Forgets all values.
    #[track_caller]
    pub fn reset(&self) {
        let zero = Tensor::from(0.0f64);
        self.total.assign(&zero);
        self.count.assign(&zero);
    }
}

impl Default for Mean {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl Module for Mean {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("total", &self.total);
        fields.field("count", &self.count);
    }
}

/// The number of elements as a `float64` scalar, also where a graph does not know it yet.
#[track_caller]
fn count(x: &Tensor) -> Result<Tensor> {
    let ty = TensorType::new(DType::F64, *x.shape());
    match x.shape().element_count().known_value() {
        Some(count) => engine::library::fill_with(&TensorType::scalar(DType::F64), count as f64),
        None => engine::try_reduce_sum(&engine::library::ones_of(&ty)?, ()),
    }
}

/// Writes a metric that is the mean of which predictions are right.
macro_rules! accuracies {
    ($(
        $(#[$doc:meta])*
        $name:ident($labels:ident, $predictions:ident) $right:block
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, Duplicate)]
        pub struct $name {
            mean: Mean,
        }

        impl $name {
            /// A metric without predictions.
            #[track_caller]
            pub fn new() -> Self {
                Self { mean: Mean::new() }
            }

            /// Takes the predictions of another batch in.
            ///
            /// # Panics
            /// As [`try_update`](Self::try_update) fails.
            #[track_caller]
            pub fn update(&self, labels: impl AsTensor, predictions: impl AsTensor) {
                self.try_update(labels, predictions).or_fail()
            }

            /// Takes the predictions of another batch in.
            ///
            /// # Errors
            /// InvalidArgument where labels and predictions do not fit each other.
            #[track_caller]
            pub fn try_update(&self, labels: impl AsTensor, predictions: impl AsTensor) -> Result<()> {
                #[track_caller]
                fn right($labels: &Tensor, $predictions: &Tensor) -> Result<Tensor> $right
                let here = Location::caller();
                // Not `and_then`: a closure would hide the caller's line.
                let added = match right(&labels.as_tensor(), &predictions.as_tensor()) {
                    Ok(right) => self.mean.add(&right),
                    Err(error) => Err(error),
                };
                added.map_err(|e| e.at(here))
            }

            /// The share of right predictions so far, a `float32` scalar.
            #[track_caller]
            pub fn result(&self) -> Tensor {
                self.mean.result()
            }

            /// Forgets all predictions.
            #[track_caller]
            pub fn reset(&self) {
                self.mean.reset();
            }
        }

        impl Module for $name {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.mean.visit(fields);
            }
        }
    )*};
}

accuracies! {
    /// How often predictions equal their labels.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let accuracy = tf::metrics::Accuracy::new();
    /// accuracy.update(&tf::constant([1, 2, 3, 4]), &tf::constant([0, 2, 3, 4]));
    /// assert_eq!(accuracy.result().item::<f32>(), 0.75);
    /// ```
    Accuracy(labels, predictions) {
        same_shape("accuracy", labels, predictions)?;
        engine::try_equal(&engine::library::cast_to(labels, predictions.dtype())?, predictions)
    }

    /// How often the greatest prediction of a row (logits or probabilities) is the one that an integer label names.
    ///
    /// Labels have the predictions' shape without the last dimension, which may also be there with size 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let accuracy = tf::metrics::SparseCategoricalAccuracy::new();
    /// accuracy.update(&tf::constant([2, 1]), &tf::constant([[0.1, 0.6, 0.3], [0.05, 0.95, 0.0]]));
    /// assert_eq!(accuracy.result().item::<f32>(), 0.5);
    /// ```
    SparseCategoricalAccuracy(labels, predictions) {
        let best = best("sparse_categorical_accuracy", predictions)?;
        let labels = engine::library::cast_to(labels, DType::I64)?;
        let labels = if labels.rank() > best.rank() { engine::library::reshape_to(&labels, best.shape())? } else { labels };
        same_shape("sparse_categorical_accuracy", &labels, &best)?;
        engine::try_equal(&labels, &best)
    }

    /// How often the greatest prediction of a row is where its label, a row of shares such as `one_hot` makes, is greatest.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let accuracy = tf::metrics::CategoricalAccuracy::new();
    /// accuracy.update(&tf::constant([[0.0, 1.0], [1.0, 0.0]]), &tf::constant([[0.1, 0.9], [0.2, 0.8]]));
    /// assert_eq!(accuracy.result().item::<f32>(), 0.5);
    /// ```
    CategoricalAccuracy(labels, predictions) {
        same_shape("categorical_accuracy", labels, predictions)?;
        let op = "categorical_accuracy";
        engine::try_equal(&best(op, labels)?, &best(op, predictions)?)
    }
}

/// Where each row is greatest.
#[track_caller]
fn best(op: &str, rows: &Tensor) -> Result<Tensor> {
    if rows.rank() == 0 {
        return Err(Error::invalid_argument(op, "the predictions are no rows")
            .got(rows.ty())
            .expected("[batch, classes]"));
    }
    engine::try_argmax(rows, -1)
}

fn same_shape(op: &str, labels: &Tensor, predictions: &Tensor) -> Result<()> {
    let (a, b) = (labels.shape(), predictions.shape());
    match a.rank() == b.rank() && a.iter().zip(b.iter()).all(|(a, b)| a.can_equal(b)) {
        true => Ok(()),
        false => Err(Error::invalid_argument(op, "labels and predictions do not fit each other")
            .got(format!("labels {a} for {b}"))
            .expected("one label per prediction")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as tf;

    #[test]
    fn means_of_many() {
        let mean = Mean::new();
        for i in 0..1000 {
            mean.update(&tf::constant(vec![i as f32; 3]));
        }
        assert_eq!(mean.result().item::<f32>(), 499.5);
        mean.reset();
        mean.update(&tf::constant([true, false, false, false]));
        assert_eq!((mean.result().item::<f32>(), mean.result().dtype()), (0.25, DType::F32));
        // In float32 the last one would be lost.
        mean.reset();
        mean.update(&tf::constant(vec![16_777_216.0, 1.0]));
        assert_eq!(mean.total.value().item::<f64>(), 16_777_217.0);
        assert_eq!(mean.trainable_variables().len(), 0);
    }

    #[test]
    fn labels_in_any_form() {
        let predictions = tf::constant([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]);
        let sparse = SparseCategoricalAccuracy::new();
        for labels in [Tensor::from([1u8, 0, 0]), tf::constant([[1], [0], [0]]), tf::constant([1.0, 0.0, 0.0])] {
            sparse.reset();
            sparse.update(&labels, &predictions);
            assert!((sparse.result().item::<f32>() - 2.0 / 3.0).abs() < 1e-7);
        }
        let sequences = SparseCategoricalAccuracy::new();
        sequences.update(
            &tf::constant([[1, 0], [1, 1]]),
            &tf::constant([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]]),
        );
        assert_eq!(sequences.result().item::<f32>(), 0.75);
    }

    #[test]
    fn what_does_not_fit() {
        let text = |labels: Tensor, rows: Tensor| {
            SparseCategoricalAccuracy::new().try_update(&labels, &rows).unwrap_err().to_string()
        };
        let wrong = text(tf::constant([1, 0]), tf::ones([3, 2]));
        assert!(wrong.contains("[2] for [3]") && wrong.contains("metrics.rs"), "{wrong}");
        assert!(text(tf::constant(1), tf::constant(1.0)).contains("[batch, classes]"));
        assert!(Accuracy::new().try_update(&tf::constant([1, 2]), &tf::constant([1])).is_err());
    }
}
