//! Losses of labels that are class numbers: cross entropy, and the generalized one that noisy labels mislead less.
//! Keras's functions and objects of these names.

use super::FromLogits;
use super::checks::{class_numbers, floating, log, one_minus};
use super::define::{functions, loss};
use engine::Tensor;
use engine::library::cast_to;
use engine::library::options::options;
use kernels::error::{Error, Result};
use kernels::shape::resolve_axis;

loss! {
    /// The cross entropy between integer labels and predictions `[batch, …, classes]`.
    ///
    /// Labels have the predictions' shape without the classes, which may also be there with size 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::SparseCategoricalCrossentropy::new().from_logits(true).ignore_class(-1);
    /// let (y_true, y_pred) = (tf::constant([0, -1, 1]), tf::constant([[0.0, 0.0], [9.0, 1.0], [3.0, 3.0]]));
    /// assert!((loss.call(&y_true, &y_pred).item::<f32>() - 2f32.ln()).abs() < 1e-6);
    /// ```
    pub struct SparseCategoricalCrossentropy("sparse_categorical_crossentropy") {
        from_logits: bool = false,
        ignore_class: Option<i64> = None,
        axis: isize = -1,
    }
    |this, labels, predictions| {
        floating("sparse_categorical_crossentropy", predictions)?;
        let (labels, predictions) = this.classes_last(labels, predictions)?;
        let labels = class_numbers("sparse_categorical_crossentropy", &labels, &predictions)?;
        let Some(ignored) = this.ignore_class else { return this.entropy(&labels, &predictions) };
        let valid = labels.try_not_equal(&ignored_as(ignored, &labels)?)?;
        // What is ignored may be no class and have any prediction.
        let labels = valid.try_select(&labels, 0)?;
        let predictions = engine::try_expand_dims(&valid, -1)?.try_select(&predictions, 0.0)?;
        valid.try_select(&this.entropy(&labels, &predictions)?, 0.0)
    }
    mask |this, labels, values| {
        match this.ignore_class {
            Some(ignored) => {
                let labels = engine::library::reshape_to(labels, values.shape())?;
                Some(labels.try_not_equal(&ignored_as(ignored, &labels)?)?)
            }
            None => None,
        }
    }
}

#[track_caller]
fn ignored_as(class: i64, labels: &Tensor) -> Result<Tensor> {
    cast_to(&Tensor::from(class), labels.dtype())
}

impl SparseCategoricalCrossentropy {
    /// Whether predictions are logits, as a last layer without an activation gives: the safer and faster choice. By default they are
    /// probabilities, which are kept 1e-7 away from 0 and 1.
    #[must_use]
    pub fn from_logits(mut self, from_logits: bool) -> Self {
        self.from_logits = from_logits;
        self
    }

    /// A label that stands for none: its examples have the loss 0 and are not counted. `None` by default.
    #[must_use]
    pub fn ignore_class(mut self, class: impl Into<Option<i64>>) -> Self {
        self.ignore_class = class.into();
        self
    }

    /// The axis of the classes; -1, the last, by default.
    #[must_use]
    pub fn axis(mut self, axis: isize) -> Self {
        self.axis = axis;
        self
    }

    /// Predictions with the classes on the last axis, and labels without a column there.
    #[track_caller]
    fn classes_last(&self, labels: &Tensor, predictions: &Tensor) -> Result<(Tensor, Tensor)> {
        let rank = predictions.rank();
        let axis = resolve_axis("sparse_categorical_crossentropy", self.axis, rank)?;
        if axis + 1 == rank {
            return Ok((labels.clone(), predictions.clone()));
        }
        let mut order: Vec<isize> = (0..rank as isize).filter(|&i| i != axis as isize).collect();
        order.push(axis as isize);
        let labels = match labels.rank() == rank && labels.shape().dim(axis).known_value() == Some(1) {
            true => engine::library::reshape_to(labels, &labels.shape().remove(axis))?,
            false => labels.clone(),
        };
        Ok((labels, predictions.try_transpose(&order)?))
    }

    #[track_caller]
    fn entropy(&self, labels: &Tensor, predictions: &Tensor) -> Result<Tensor> {
        match self.from_logits {
            true => engine::try_sparse_softmax_cross_entropy_with_logits(labels, predictions),
            false => engine::try_sparse_softmax_cross_entropy_with_logits(labels, &log(predictions)?),
        }
    }
}

loss! {
    /// `(1 - p^q) / q` of the probability `p` that is predicted for the class of a label: between the cross entropy (`q` near 0) and the
    /// absolute error (`q` near 1), so that wrong labels mislead less.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::CategoricalGeneralizedCrossEntropy::new().q(0.5);
    /// let value = loss.call(tf::constant([1]), tf::constant([[0.75, 0.25]])).item::<f32>();
    /// assert_eq!(value, 1.0);
    /// ```
    pub struct CategoricalGeneralizedCrossEntropy("categorical_generalized_cross_entropy") { q: f64 = 0.5 }
    |this, labels, predictions| {
        floating("categorical_generalized_cross_entropy", predictions)?;
        let labels = class_numbers("categorical_generalized_cross_entropy", labels, predictions)?;
        let column = engine::try_expand_dims(&labels, -1)?;
        let batch = predictions.rank() - 1;
        let right = engine::try_gather_batched(predictions, &column, batch as isize, batch)?;
        let right = super::reduce::without_last(&right)?;
        one_minus(&right.try_pow(this.q)?)?.try_divide(this.q)
    }
}

options! { CategoricalGeneralizedCrossEntropy:
    /// Where between the cross entropy and the absolute error the loss lies, between 0 and 1; 0.5 by default.
    pub fn q, try_q(this, q: f64) {
        if !(q > 0.0 && q < 1.0) {
            let error = Error::invalid_argument("CategoricalGeneralizedCrossEntropy", "`q` is out of range");
            return Err(error.got(q).expected("a number between, and not, 0 and 1"));
        }
        this.q = q;
        Ok(this)
    }
}

functions! {
    /// The cross entropy between integer labels and predictions `[batch, …, classes]`.
    ///
    /// Labels have the predictions' shape without the last dimension, which may also be there with size 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::losses::{FromLogits, sparse_categorical_crossentropy};
    /// let (labels, logits) = (tf::constant([0, 1]), tf::constant([[0.0, 0.0], [3.0, 3.0]]));
    /// let loss = sparse_categorical_crossentropy(&labels, &logits, FromLogits::Yes);
    /// assert_eq!(loss.to_vec::<f32>(), [2f32.ln(), 2f32.ln()]);
    /// ```
    pub fn sparse_categorical_crossentropy, try_sparse_categorical_crossentropy(
        labels, predictions, from_logits: FromLogits
    ) {
        SparseCategoricalCrossentropy::new().from_logits(from_logits == FromLogits::Yes).values(labels, predictions)
    }

    /// `(1 - p^q) / q` of the probability `p` that is predicted for the class of a label.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::categorical_generalized_cross_entropy(tf::constant([1]), tf::constant([[0.75, 0.25]]), 0.5);
    /// assert_eq!(loss.to_vec::<f32>(), [1.0]);
    /// ```
    pub fn categorical_generalized_cross_entropy, try_categorical_generalized_cross_entropy(labels, predictions, q: f64) {
        CategoricalGeneralizedCrossEntropy::new().try_q(q)?.values(labels, predictions)
    }
}
