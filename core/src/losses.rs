//! Losses: how far predictions are from their labels, one number per example.
//! Keras's functions of these names; training loops take the mean over the batch and differentiate it.

use engine::Tensor;
use engine::library::Typed;
use engine::{AsTensor, keep_dims};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// Whether predictions are logits, as a last layer without an activation gives, or probabilities.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FromLogits {
    /// Logits: any numbers, of which softmax or sigmoid would make probabilities. The safer and faster choice.
    Yes,
    /// Probabilities; Keras's default. They are kept 1e-7 away from 0 and 1.
    #[default]
    No,
}

/// How far probabilities are kept from 0 and 1 before their logarithm is taken: Keras's `epsilon()`.
const EPSILON: f64 = 1e-7;

/// Writes a loss and its `try_` twin.
macro_rules! losses {
    ($(
        $(#[$doc:meta])*
        pub fn $name:ident, $try_name:ident($labels:ident, $predictions:ident $(, $arg:ident: $ty:ty)*) $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($try_name), "`] answers an error.")]
        #[track_caller]
        pub fn $name(labels: impl AsTensor, predictions: impl AsTensor $(, $arg: $ty)*) -> Tensor {
            $try_name(labels, predictions $(, $arg)*).or_fail()
        }

        #[doc = concat!("[`", stringify!($name), "`] that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// InvalidArgument for shapes that do not fit each other, predictions that are not floating-point, or labels
        /// that are no classes.
        #[track_caller]
        pub fn $try_name(labels: impl AsTensor, predictions: impl AsTensor $(, $arg: $ty)*) -> Result<Tensor> {
            // A function lets the caller's location through to the tensors it makes.
            #[track_caller]
            fn body($labels: &Tensor, $predictions: &Tensor $(, $arg: $ty)*) -> Result<Tensor> $body
            let here = Location::caller();
            body(&labels.as_tensor(), &predictions.as_tensor() $(, $arg)*).map_err(|e| e.at(here))
        }
    )*};
}

losses! {
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
        floating("sparse_categorical_crossentropy", predictions)?;
        let labels = class_numbers(labels, predictions)?;
        match from_logits {
            FromLogits::Yes => engine::try_sparse_softmax_cross_entropy_with_logits(&labels, predictions),
            FromLogits::No => engine::try_sparse_softmax_cross_entropy_with_logits(&labels, &log(predictions)?),
        }
    }

    /// The cross entropy between labels that are shares of the classes, as `one_hot` makes, and predictions of the same
    /// shape `[batch, …, classes]`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::losses::{FromLogits, categorical_crossentropy};
    /// let (labels, shares) = (tf::constant([[0.0, 1.0]]), tf::constant([[0.5, 0.5]]));
    /// let loss = categorical_crossentropy(&labels, &shares, FromLogits::No);
    /// assert_eq!(loss.to_vec::<f32>(), [2f32.ln()]);
    /// ```
    pub fn categorical_crossentropy, try_categorical_crossentropy(labels, predictions, from_logits: FromLogits) {
        floating("categorical_crossentropy", predictions)?;
        let labels = engine::library::cast_to(labels, predictions.dtype())?;
        same_shape("categorical_crossentropy", &labels, predictions)?;
        if from_logits == FromLogits::Yes {
            return engine::try_softmax_cross_entropy_with_logits(&labels, predictions, -1);
        }
        let shares = engine::try_divide(predictions, &predictions.try_reduce_sum(keep_dims(-1))?)?;
        labels.try_multiply(&log(&shares)?)?.try_reduce_sum(-1)?.try_neg()
    }

    /// The mean of the squared differences along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::mean_squared_error(&tf::constant([[1.0, 2.0]]), &tf::constant([[1.0, 4.0]]));
    /// assert_eq!(loss.to_vec::<f32>(), [2.0]);
    /// ```
    pub fn mean_squared_error, try_mean_squared_error(labels, predictions) {
        floating("mean_squared_error", predictions)?;
        same_shape("mean_squared_error", labels, predictions)?;
        let labels = engine::library::cast_to(labels, predictions.dtype())?;
        predictions.try_squared_difference(&labels)?.try_reduce_mean(-1)
    }

    /// The mean of the absolute differences along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::mean_absolute_error(&tf::constant([[1.0, 2.0]]), &tf::constant([[1.0, 4.0]]));
    /// assert_eq!(loss.to_vec::<f32>(), [1.0]);
    /// ```
    pub fn mean_absolute_error, try_mean_absolute_error(labels, predictions) {
        floating("mean_absolute_error", predictions)?;
        same_shape("mean_absolute_error", labels, predictions)?;
        let labels = engine::library::cast_to(labels, predictions.dtype())?;
        predictions.try_subtract(&labels)?.try_abs()?.try_reduce_mean(-1)
    }
}

fn floating(loss: &str, predictions: &Tensor) -> Result<()> {
    match predictions.dtype().is_floating() && predictions.rank() > 0 {
        true => Ok(()),
        false => Err(Error::invalid_argument(loss, "the predictions are no rows of floating-point numbers")
            .got(predictions.ty())
            .expected("float[batch, …, classes]")),
    }
}

/// Labels and predictions are never broadcast: `[batch]` against `[batch, 1]` would be a silent `[batch, batch]`.
fn same_shape(loss: &str, labels: &Tensor, predictions: &Tensor) -> Result<()> {
    let (a, b) = (labels.shape(), predictions.shape());
    match a.rank() == b.rank() && a.iter().zip(b.iter()).all(|(a, b)| a.can_equal(b)) {
        true => Ok(()),
        false => Err(Error::invalid_argument(loss, "labels and predictions have different shapes")
            .got(format!("labels {a}, predictions {b}"))
            .expected("one shape for both")
            .help("`reshape` or `squeeze` one of them")),
    }
}

/// Labels of any integer type (or of whole floats, as data files have them) as the class numbers of each row.
#[track_caller]
fn class_numbers(labels: &Tensor, predictions: &Tensor) -> Result<Tensor> {
    let wide = matches!(labels.dtype(), DType::I32 | DType::I64);
    let labels = if wide { labels.clone() } else { engine::library::cast_to(labels, DType::I64)? };
    let rows = predictions.shape().remove(predictions.rank() - 1);
    let column = labels.rank() == predictions.rank() && labels.shape().dim(rows.rank()).known_value() == Some(1);
    if column { engine::library::reshape_to(&labels, &labels.shape().remove(rows.rank())) } else { Ok(labels) }
}

/// The logarithm of probabilities, kept away from those of 0 and 1.
#[track_caller]
fn log(shares: &Tensor) -> Result<Tensor> {
    shares.try_minimum(1.0 - EPSILON)?.try_maximum(EPSILON)?.try_log()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as tf;

    /// Numbers of Keras 3 (TensorFlow 2.21) for these very rows.
    fn rows() -> Tensor {
        tf::constant([[0.5, -1.0, 2.0], [0.1, 0.2, 0.3], [-4.0, 4.0, 0.0]])
    }

    fn close(got: &Tensor, right: &[f32]) {
        let got = got.to_vec::<f32>();
        let near =
            got.len() == right.len() && got.iter().zip(right).all(|(a, b)| (a - b).abs() <= 2e-6 * b.abs().max(1.0));
        assert!(near, "{got:?} is not {right:?}");
    }

    #[test]
    fn keras_numbers() {
        let logits = [0.241_311_33, 1.201_942_9, 0.018_479_329];
        let (labels, dense) = (tf::constant([2, 0, 1]), tf::constant([[0, 0, 1], [1, 0, 0], [0, 1, 0]]));
        close(&sparse_categorical_crossentropy(&labels, &rows(), FromLogits::Yes), &logits);
        close(&categorical_crossentropy(&dense, &rows(), FromLogits::Yes), &logits);
        // The first row adds up to 0.9.
        let shares = tf::constant([[0.2, 0.3, 0.4], [0.1, 0.0, 0.9], [0.5, 0.25, 0.25]]);
        let right = [0.810_930_2, std::f32::consts::LN_10, 1.386_294_4];
        close(&sparse_categorical_crossentropy(&labels, &shares, FromLogits::No), &right);
        close(&categorical_crossentropy(&dense, &shares, FromLogits::No), &right);
        close(&mean_squared_error(&dense, &rows()), &[0.75, 0.94 / 3.0, 25.0 / 3.0]);
        close(&mean_absolute_error(&dense, &rows()), &[2.5 / 3.0, 1.4 / 3.0, 7.0 / 3.0]);
    }

    #[test]
    fn gradients_by_the_predictions() {
        let x = rows();
        let mut tape = tf::GradientTape::new();
        tape.watch(&x);
        let loss = sparse_categorical_crossentropy(&tf::constant([2, 0, 1]), &x, FromLogits::Yes).mean();
        let slope = tape.gradient(&loss, &x);
        let shares = tf::softmax(&x, -1);
        let right = (&shares - tf::constant([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])) / 3.0;
        close(&slope, &right.to_vec::<f32>());
    }

    #[test]
    fn labels_in_any_form() {
        let right = sparse_categorical_crossentropy(&tf::constant([2, 0, 1]), &rows(), FromLogits::Yes);
        for labels in [Tensor::from([2u8, 0, 1]), Tensor::from([[2i64], [0], [1]]), tf::constant([2.0, 0.0, 1.0])] {
            close(&sparse_categorical_crossentropy(&labels, &rows(), FromLogits::Yes), &right.to_vec::<f32>());
        }
        let dense = tf::constant([[0, 0, 1], [1, 0, 0], [0, 1, 0]]);
        close(&categorical_crossentropy(&dense, &rows(), FromLogits::Yes), &right.to_vec::<f32>());
        let shares = tf::softmax(&rows(), -1);
        close(&categorical_crossentropy(&dense, &shares, FromLogits::No), &right.to_vec::<f32>());
        close(
            &sparse_categorical_crossentropy(&tf::constant([2, 0, 1]), &shares, FromLogits::No),
            &right.to_vec::<f32>(),
        );
    }

    #[test]
    fn sure_and_wrong_stays_finite() {
        let (labels, sure) = (tf::constant([1]), tf::constant([[1.0, 0.0]]));
        let loss = sparse_categorical_crossentropy(&labels, &sure, FromLogits::No).item::<f32>();
        assert!((16.0..16.2).contains(&loss), "{loss}");
    }

    #[test]
    fn what_does_not_fit() {
        let text = |result: Result<Tensor>| result.unwrap_err().to_string();
        let (three, column) = (tf::ones([3]), tf::ones([3, 1]));
        let wrong = text(try_mean_squared_error(&three, &column));
        assert!(wrong.contains("[3], predictions [3, 1]") && wrong.contains("losses.rs"), "{wrong}");
        let logits = FromLogits::Yes;
        assert!(
            text(try_sparse_categorical_crossentropy(&tf::constant([3]), &tf::ones([1, 3]), logits)).contains("0..3")
        );
        assert!(try_sparse_categorical_crossentropy(&tf::constant([0, 1]), &tf::ones([3, 3]), logits).is_err());
        assert!(
            text(try_categorical_crossentropy(&three, &tf::constant([1, 2, 3]), logits)).contains("floating-point")
        );
    }
}
