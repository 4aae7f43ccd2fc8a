//! Metrics that are means of cross entropies, of the Kullback-Leibler divergence, of Poisson's loss, and of the hinge losses.
//! Keras's metrics of these names.

use super::regression::mean_of_loss;
use super::wrapper::mean_metric;
use crate::losses::{self, Loss};
use engine::library::options::options;

mean_of_loss! {
    /// The mean of the divergences of the predictions from the labels' distribution.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::KLDivergence::new();
    /// metric.update_state(tf::constant([[0.5, 0.5]]), tf::constant([[0.5, 0.5]]));
    /// assert_eq!(metric.result().item::<f32>(), 0.0);
    /// ```
    KLDivergence("kl_divergence") = try_kl_divergence;

    /// The mean of Poisson's losses, of predicted rates for counts.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::Poisson::new();
    /// metric.update_state(tf::constant([[0, 0]]), tf::constant([[1.0, 2.0]]));
    /// assert_eq!(metric.result().item::<f32>(), 1.5);
    /// ```
    Poisson("poisson") = try_poisson;

    /// The mean of what predictions lack to be 1 on the side of their label.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::Hinge::new();
    /// metric.update_state(tf::constant([[0.0, 1.0]]), tf::constant([[0.5, 2.0]]));
    /// assert_eq!(metric.result().item::<f32>(), 0.75);
    /// ```
    Hinge("hinge") = try_hinge;

    /// The mean of the squares of what predictions lack to be 1 on the side of their label.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::SquaredHinge::new();
    /// metric.update_state(tf::constant([[-1.0, 1.0]]), tf::constant([[0.0, -1.0]]));
    /// assert_eq!(metric.result().item::<f32>(), 2.5);
    /// ```
    SquaredHinge("squared_hinge") = try_squared_hinge;

    /// The mean of what predictions for the right class lack to be 1 above the greatest of the others.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::CategoricalHinge::new();
    /// metric.update_state(tf::constant([[0, 1]]), tf::constant([[0.75, 0.25]]));
    /// assert_eq!(metric.result().item::<f32>(), 1.5);
    /// ```
    CategoricalHinge("categorical_hinge") = try_categorical_hinge;
}

/// Writes a metric that is the mean of a loss with options, which it takes in the same words.
macro_rules! mean_of_options {
    ($($(#[$doc:meta])* $name:ident($text:literal);)*) => {$(
        mean_metric! {
            $(#[$doc])*
            pub struct $name($text, Down) { loss: losses::$name = losses::$name::new() }
            |this, labels, predictions| {
                this.loss.per_example_masked(labels, predictions)
            }
        }

        impl $name {
            /// Whether predictions are logits, and not probabilities; not by default.
            #[must_use]
            pub fn from_logits(mut self, from_logits: bool) -> Self {
                self.loss = self.loss.from_logits(from_logits);
                self
            }
        }
    )*};
}

mean_of_options! {
    /// The mean of the cross entropies between labels 0 and 1 and predictions of the same shape.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::BinaryCrossentropy::new().from_logits(true);
    /// metric.update_state(tf::constant([[0.0], [1.0]]), tf::constant([[0.0], [0.0]]));
    /// assert!((metric.result().item::<f32>() - std::f32::consts::LN_2).abs() < 1e-6);
    /// ```
    BinaryCrossentropy("binary_crossentropy");

    /// The mean of the cross entropies between labels that are shares of the classes and predictions of the same shape.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::CategoricalCrossentropy::new();
    /// metric.update_state(tf::constant([[0.0, 1.0]]), tf::constant([[0.5, 0.5]]));
    /// assert!((metric.result().item::<f32>() - std::f32::consts::LN_2).abs() < 1e-6);
    /// ```
    CategoricalCrossentropy("categorical_crossentropy");

    /// The mean of the cross entropies between integer labels and predictions `[batch, …, classes]`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::SparseCategoricalCrossentropy::new().from_logits(true);
    /// metric.update_state(tf::constant([1]), tf::constant([[3.0, 3.0]]));
    /// assert!((metric.result().item::<f32>() - std::f32::consts::LN_2).abs() < 1e-6);
    /// ```
    SparseCategoricalCrossentropy("sparse_categorical_crossentropy");
}

macro_rules! smoothing {
    ($($name:ident),*) => {$(
        options! { $name:
            /// How far labels are moved towards an even share of all classes, from 0 to 1; not at all by default.
            pub fn label_smoothing, try_label_smoothing(this, smoothing: f64) {
                this.loss = this.loss.try_label_smoothing(smoothing)?;
                Ok(this)
            }
        }
    )*};
}

smoothing!(BinaryCrossentropy, CategoricalCrossentropy);

macro_rules! axes {
    ($($name:ident),*) => {$(
        impl $name {
            /// The axis of the classes; -1, the last, by default.
            #[must_use]
            pub fn axis(mut self, axis: isize) -> Self {
                self.loss = self.loss.axis(axis);
                self
            }
        }
    )*};
}

axes!(CategoricalCrossentropy, SparseCategoricalCrossentropy);

impl SparseCategoricalCrossentropy {
    /// A label that stands for none: its examples have the loss 0, and where there are weights they are not counted. `None` by default.
    #[must_use]
    pub fn ignore_class(mut self, class: impl Into<Option<i64>>) -> Self {
        self.loss = self.loss.ignore_class(class);
        self
    }
}
