//! Losses of labels that are shares of the classes, as `one_hot` makes: cross entropy and its focal form.
//! Keras's functions and objects of these names.

use super::FromLogits;
use super::checks::{EPSILON, log, one_minus, rows, smoothed};
use super::define::{functions, loss};
use engine::keep_dims;
use engine::library::options::{self, options};

loss! {
    /// The cross entropy between labels that are shares of the classes, as `one_hot` makes, and predictions of the same shape.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::CategoricalCrossentropy::new().from_logits(true);
    /// let value = loss.call(tf::constant([[0.0, 1.0]]), tf::constant([[2.0, 2.0]])).item::<f32>();
    /// assert_eq!(value, 2f32.ln());
    /// ```
    pub struct CategoricalCrossentropy("categorical_crossentropy") {
        from_logits: bool = false,
        label_smoothing: f64 = 0.0,
        axis: isize = -1,
    }
    |this, labels, predictions| {
        let labels = rows("categorical_crossentropy", labels, predictions)?;
        let labels = smoothed(&labels, this.label_smoothing)?;
        if this.from_logits {
            return engine::try_softmax_cross_entropy_with_logits(&labels, predictions, this.axis);
        }
        let shares = engine::try_divide(predictions, &predictions.try_reduce_sum(keep_dims(this.axis))?)?;
        labels.try_multiply(&log(&shares)?)?.try_reduce_sum(this.axis)?.try_neg()
    }
}

loss! {
    /// The categorical cross entropy, in which what is predicted well already counts less: by `alpha * (1 - p)^gamma` of each
    /// probability `p`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::CategoricalFocalCrossentropy::new().alpha(1.0).gamma(1.0);
    /// let value = loss.call(tf::constant([[0.0, 1.0]]), tf::constant([[0.5, 0.5]])).item::<f32>();
    /// assert!((value - 0.5 * std::f32::consts::LN_2).abs() < 1e-6);
    /// ```
    pub struct CategoricalFocalCrossentropy("categorical_focal_crossentropy") {
        alpha: f64 = 0.25,
        gamma: f64 = 2.0,
        from_logits: bool = false,
        label_smoothing: f64 = 0.0,
        axis: isize = -1,
    }
    |this, labels, predictions| {
        let labels = rows("categorical_focal_crossentropy", labels, predictions)?;
        let labels = smoothed(&labels, this.label_smoothing)?;
        let shares = match this.from_logits {
            true => engine::try_softmax(predictions, this.axis)?,
            false => predictions.clone(),
        };
        let shares = engine::try_divide(&shares, &shares.try_reduce_sum(keep_dims(this.axis))?)?;
        let shares = shares.try_clip_by_value(EPSILON, 1.0 - EPSILON)?;
        let entropy = labels.try_multiply(&shares.try_log()?)?.try_neg()?;
        let weight = one_minus(&shares)?.try_pow(this.gamma)?.try_multiply(this.alpha)?;
        weight.try_multiply(&entropy)?.try_reduce_sum(this.axis)
    }
}

macro_rules! shared_options {
    ($($name:ident),*) => {$(
        impl $name {
            /// Whether predictions are logits, as a last layer without an activation gives: the safer and faster choice. By default
            /// they are probabilities, which are brought to a sum of 1 and kept 1e-7 away from 0 and 1.
            #[must_use]
            pub fn from_logits(mut self, from_logits: bool) -> Self {
                self.from_logits = from_logits;
                self
            }

            /// The axis of the classes; -1, the last, by default.
            #[must_use]
            pub fn axis(mut self, axis: isize) -> Self {
                self.axis = axis;
                self
            }
        }

        options! { $name:
            /// How far labels are moved towards an even share of all classes, from 0 to 1; not at all by default.
            pub fn label_smoothing, try_label_smoothing(this, smoothing: f64) {
                this.label_smoothing = options::share(stringify!($name), "label_smoothing", smoothing)?;
                Ok(this)
            }
        }
    )*};
}

shared_options!(CategoricalCrossentropy, CategoricalFocalCrossentropy);

options! { CategoricalFocalCrossentropy:
    /// What all is multiplied by; 0.25 by default.
    pub fn alpha, try_alpha(this, alpha: f64) {
        this.alpha = options::magnitude("CategoricalFocalCrossentropy", "alpha", alpha)?;
        Ok(this)
    }

    /// How much less counts what is predicted well; 2 by default, and 0 for plain cross entropy.
    pub fn gamma, try_gamma(this, gamma: f64) {
        this.gamma = options::magnitude("CategoricalFocalCrossentropy", "gamma", gamma)?;
        Ok(this)
    }
}

functions! {
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
        CategoricalCrossentropy::new().from_logits(from_logits == FromLogits::Yes).values(labels, predictions)
    }

    /// The categorical cross entropy, in which what is predicted well already counts less, with Keras's `alpha` of 0.25 and
    /// `gamma` of 2.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::losses::{FromLogits, categorical_focal_crossentropy};
    /// let (labels, shares) = (tf::constant([[0.0, 1.0]]), tf::constant([[0.5, 0.5]]));
    /// let loss = categorical_focal_crossentropy(&labels, &shares, FromLogits::No);
    /// assert!((loss.item::<f32>() - 2f32.ln() / 16.0).abs() < 1e-6);
    /// ```
    pub fn categorical_focal_crossentropy, try_categorical_focal_crossentropy(
        labels, predictions, from_logits: FromLogits
    ) {
        CategoricalFocalCrossentropy::new().from_logits(from_logits == FromLogits::Yes).values(labels, predictions)
    }
}
