//! Accuracies: how often predictions are right, by equality, by a threshold, or by the greatest of a row.
//! Keras's metrics of these names.

use super::wrapper::mean_metric;
use crate::losses::checks::{class_numbers, numbers, same_shape};
use crate::losses::reduce::same_rank;
use engine::Tensor;
use engine::library::Typed;
use engine::library::cast_to;
use engine::library::options::{self, options};
use kernels::dtype::DType;
use kernels::error::{Error, Result};

mean_metric! {
    /// How often predictions equal their labels.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let accuracy = tf::metrics::Accuracy::new();
    /// accuracy.update_state(&tf::constant([1, 2, 3, 4]), &tf::constant([0, 2, 3, 4]));
    /// assert_eq!(accuracy.result().item::<f32>(), 0.75);
    /// ```
    pub struct Accuracy("accuracy", Up) {}
    |_, labels, predictions| {
        let (labels, predictions) = same_rank(labels, predictions, true)?;
        same_shape("accuracy", &labels, &predictions)?;
        Ok((numbers("accuracy", &labels, &predictions)?.try_equal(&predictions)?, None))
    }
}

mean_metric! {
    /// How often predictions above a threshold have the label 1, and the others 0.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let accuracy = tf::metrics::BinaryAccuracy::new().threshold(0.7);
    /// accuracy.update_state(tf::constant([[1], [1], [0], [0]]), tf::constant([[0.98], [0.6], [0.0], [0.6]]));
    /// assert_eq!(accuracy.result().item::<f32>(), 0.75);
    /// ```
    pub struct BinaryAccuracy("binary_accuracy", Up) { threshold: f64 = 0.5 }
    |this, labels, predictions| {
        let (labels, predictions) = same_rank(labels, predictions, true)?;
        same_shape("binary_accuracy", &labels, &predictions)?;
        let yes = cast_to(&predictions.try_greater(this.threshold)?, DType::F32)?;
        Ok((numbers("binary_accuracy", &labels, &yes)?.try_equal(&yes)?, None))
    }
}

options! { BinaryAccuracy:
    /// Above which prediction a label of 1 is right; 0.5 by default.
    pub fn threshold, try_threshold(this, threshold: f64) {
        this.threshold = options::finite("BinaryAccuracy", "threshold", threshold)?;
        Ok(this)
    }
}

mean_metric! {
    /// How often the greatest prediction of a row is where its label, a row of shares such as `one_hot` makes, is greatest.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let accuracy = tf::metrics::CategoricalAccuracy::new();
    /// accuracy.update_state(&tf::constant([[0.0, 1.0], [1.0, 0.0]]), &tf::constant([[0.1, 0.9], [0.2, 0.8]]));
    /// assert_eq!(accuracy.result().item::<f32>(), 0.5);
    /// ```
    pub struct CategoricalAccuracy("categorical_accuracy", Up) {}
    |_, labels, predictions| {
        same_shape("categorical_accuracy", labels, predictions)?;
        let right = best("categorical_accuracy", labels)?;
        Ok((right.try_equal(&best("categorical_accuracy", predictions)?)?, None))
    }
}

mean_metric! {
    /// How often the greatest prediction of a row (logits or probabilities) is the one that an integer label names.
    ///
    /// Labels have the predictions' shape without the last dimension, which may also be there with size 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let accuracy = tf::metrics::SparseCategoricalAccuracy::new();
    /// accuracy.update_state(&tf::constant([2, 1]), &tf::constant([[0.1, 0.6, 0.3], [0.05, 0.95, 0.0]]));
    /// assert_eq!(accuracy.result().item::<f32>(), 0.5);
    /// ```
    pub struct SparseCategoricalAccuracy("sparse_categorical_accuracy", Up) {}
    |_, labels, predictions| {
        let best = best("sparse_categorical_accuracy", predictions)?;
        let labels = class_numbers("sparse_categorical_accuracy", labels, predictions)?;
        Ok((cast_to(&labels, DType::I64)?.try_equal(&best)?, None))
    }
}

mean_metric! {
    /// How often the label, a row of shares such as `one_hot` makes, is greatest where one of the `k` greatest predictions is.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let accuracy = tf::metrics::TopKCategoricalAccuracy::new().k(2);
    /// accuracy.update_state(tf::constant([[0.0, 0.0, 1.0]]), tf::constant([[0.1, 0.6, 0.3]]));
    /// assert_eq!(accuracy.result().item::<f32>(), 1.0);
    /// ```
    pub struct TopKCategoricalAccuracy("top_k_categorical_accuracy", Up) { k: usize = 5 }
    |this, labels, predictions| {
        same_shape("top_k_categorical_accuracy", labels, predictions)?;
        let right = best("top_k_categorical_accuracy", labels)?;
        Ok((within(&right, predictions, this.k)?, None))
    }
}

mean_metric! {
    /// How often the class that an integer label names is one of those with the `k` greatest predictions.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let accuracy = tf::metrics::SparseTopKCategoricalAccuracy::new().k(2);
    /// accuracy.update_state(tf::constant([2, 0]), tf::constant([[0.1, 0.6, 0.3], [0.05, 0.8, 0.15]]));
    /// assert_eq!(accuracy.result().item::<f32>(), 0.5);
    /// ```
    pub struct SparseTopKCategoricalAccuracy("sparse_top_k_categorical_accuracy", Up) {
        k: usize = 5,
        from_sorted_ids: bool = false,
    }
    |this, labels, predictions| {
        rows("sparse_top_k_categorical_accuracy", predictions)?;
        let labels = class_numbers("sparse_top_k_categorical_accuracy", labels, predictions)?;
        if !this.from_sorted_ids {
            return Ok((within(&labels, predictions, this.k)?, None));
        }
        let last = predictions.rank() - 1;
        let mut sizes: Vec<kernels::shape::Dim> = predictions.shape().iter().collect();
        sizes[last] = sizes[last].min(this.k.into());
        let first = engine::try_slice(predictions, &vec![0; last + 1][..], &sizes[..])?;
        let labels = engine::try_expand_dims(&cast_to(&labels, predictions.dtype())?, -1)?;
        Ok((engine::try_reduce_any(&labels.try_equal(&first)?, -1)?, None))
    }
}

impl SparseTopKCategoricalAccuracy {
    /// Whether predictions are class numbers already, from the best on, and not scores of all classes. Not by default.
    #[must_use]
    pub fn from_sorted_ids(mut self, from_sorted_ids: bool) -> Self {
        self.from_sorted_ids = from_sorted_ids;
        self
    }
}

macro_rules! k_options {
    ($($name:ident),*) => {$(
        options! { $name:
            /// Among how many of the greatest predictions the right class may be; 5 by default.
            pub fn k, try_k(this, k: usize) {
                this.k = options::count(stringify!($name), "k", k)?;
                Ok(this)
            }
        }
    )*};
}

k_options!(TopKCategoricalAccuracy, SparseTopKCategoricalAccuracy);

/// Whether a class is among the `k` greatest of its row.
#[track_caller]
fn within(classes: &Tensor, predictions: &Tensor, k: usize) -> Result<Tensor> {
    let rank = predictions.rank();
    let last = predictions.shape().dim(rank - 1);
    let k = i64::try_from(k).unwrap_or(i64::MAX);
    let wide = cast_to(predictions, DType::F32)?;
    if rank == 2 {
        return engine::try_in_top_k(classes, &wide, k);
    }
    let count = classes.shape().element_count();
    let flat = engine::library::reshape_to(&wide, &kernels::shape::Shape::from_dims(&[count, last])?)?;
    let vector = engine::library::reshape_to(classes, &kernels::shape::Shape::from_dims(&[count])?)?;
    engine::library::reshape_to(&engine::try_in_top_k(&vector, &flat, k)?, classes.shape())
}

/// Where each row is greatest.
#[track_caller]
fn best(metric: &str, x: &Tensor) -> Result<Tensor> {
    rows(metric, x)?;
    engine::try_argmax(x, -1)
}

fn rows(metric: &str, x: &Tensor) -> Result<()> {
    match x.rank() {
        0 => {
            Err(Error::invalid_argument(metric, "the predictions are no rows").got(x.ty()).expected("[batch, classes]"))
        }
        _ => Ok(()),
    }
}
