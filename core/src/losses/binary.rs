//! Losses of predictions for yes and no: cross entropies of single probabilities or logits, and their focal form.
//! Keras's functions and objects of these names.

use super::FromLogits;
use super::checks::{EPSILON, one_minus, rows};
use super::define::{functions, loss};
use engine::Tensor;
use engine::library::options::{self, options};
use kernels::error::Result;

loss! {
    /// The cross entropy between labels 0 and 1 and predictions of the same shape, each the probability of a 1; the mean along the
    /// last axis.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::BinaryCrossentropy::new().from_logits(true).label_smoothing(0.1);
    /// let value = loss.call(tf::constant([[0.0], [1.0]]), tf::constant([[0.0], [0.0]])).item::<f32>();
    /// assert!((value - std::f32::consts::LN_2).abs() < 1e-6);
    /// ```
    pub struct BinaryCrossentropy("binary_crossentropy") {
        from_logits: bool = false,
        label_smoothing: f64 = 0.0,
        axis: isize = -1,
    }
    |this, labels, predictions| {
        let labels = binary_labels("binary_crossentropy", labels, predictions, this.label_smoothing)?;
        let entropy = match this.from_logits {
            true => engine::try_sigmoid_cross_entropy_with_logits(&labels, predictions)?,
            false => of_probabilities(&labels, predictions)?,
        };
        entropy.try_reduce_mean(this.axis)
    }
}

loss! {
    /// The binary cross entropy, in which what is predicted well already counts less: by `(1 - p)^gamma` of the probability `p` that
    /// the label has.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::BinaryFocalCrossentropy::new().apply_class_balancing(true).alpha(0.3).gamma(1.0);
    /// let value = loss.call(tf::constant([[1.0]]), tf::constant([[0.5]])).item::<f32>();
    /// assert!((value - 0.3 * 0.5 * std::f32::consts::LN_2).abs() < 1e-6);
    /// ```
    pub struct BinaryFocalCrossentropy("binary_focal_crossentropy") {
        apply_class_balancing: bool = false,
        alpha: f64 = 0.25,
        gamma: f64 = 2.0,
        from_logits: bool = false,
        label_smoothing: f64 = 0.0,
        axis: isize = -1,
    }
    |this, labels, predictions| {
        let labels = binary_labels("binary_focal_crossentropy", labels, predictions, this.label_smoothing)?;
        let (shares, entropy) = match this.from_logits {
            // The entropy of the logits themselves is exact where their sigmoid has become 0 or 1.
            true => (predictions.try_sigmoid()?, engine::try_sigmoid_cross_entropy_with_logits(&labels, predictions)?),
            false => (predictions.clone(), of_probabilities(&labels, predictions)?),
        };
        let others = one_minus(&labels)?;
        let right = labels.try_multiply(&shares)?.try_add(&others.try_multiply(&one_minus(&shares)?)?)?;
        let mut focal = one_minus(&right)?.try_pow(this.gamma)?.try_multiply(&entropy)?;
        if this.apply_class_balancing {
            let weight = labels.try_multiply(this.alpha)?.try_add(&others.try_multiply(1.0 - this.alpha)?)?;
            focal = weight.try_multiply(&focal)?;
        }
        focal.try_reduce_mean(this.axis)
    }
}

macro_rules! shared_options {
    ($($name:ident),*) => {$(
        impl $name {
            /// Whether predictions are logits, as a last layer without an activation gives: the safer and faster choice. By default
            /// they are probabilities, which are kept 1e-7 away from 0 and 1.
            #[must_use]
            pub fn from_logits(mut self, from_logits: bool) -> Self {
                self.from_logits = from_logits;
                self
            }

            /// The axis along which the mean is taken; -1, the last, by default.
            #[must_use]
            pub fn axis(mut self, axis: isize) -> Self {
                self.axis = axis;
                self
            }
        }

        options! { $name:
            /// How far labels are moved towards one half, from 0 to 1; not at all by default.
            pub fn label_smoothing, try_label_smoothing(this, smoothing: f64) {
                this.label_smoothing = options::share(stringify!($name), "label_smoothing", smoothing)?;
                Ok(this)
            }
        }
    )*};
}

shared_options!(BinaryCrossentropy, BinaryFocalCrossentropy);

impl BinaryFocalCrossentropy {
    /// Whether examples are weighed by their label: those of 1 by `alpha`, those of 0 by `1 - alpha`. Not by default.
    #[must_use]
    pub fn apply_class_balancing(mut self, apply: bool) -> Self {
        self.apply_class_balancing = apply;
        self
    }
}

options! { BinaryFocalCrossentropy:
    /// The weight of the label 1 where classes are balanced, from 0 to 1; 0.25 by default.
    pub fn alpha, try_alpha(this, alpha: f64) {
        this.alpha = options::share("BinaryFocalCrossentropy", "alpha", alpha)?;
        Ok(this)
    }

    /// How much less counts what is predicted well; 2 by default, and 0 for plain cross entropy.
    pub fn gamma, try_gamma(this, gamma: f64) {
        this.gamma = options::magnitude("BinaryFocalCrossentropy", "gamma", gamma)?;
        Ok(this)
    }
}

#[track_caller]
fn binary_labels(loss: &str, labels: &Tensor, predictions: &Tensor, smoothing: f64) -> Result<Tensor> {
    let labels = rows(loss, labels, predictions)?;
    match smoothing == 0.0 {
        true => Ok(labels),
        false => labels.try_multiply(1.0 - smoothing)?.try_add(0.5 * smoothing),
    }
}

#[track_caller]
fn of_probabilities(labels: &Tensor, shares: &Tensor) -> Result<Tensor> {
    let shares = shares.try_clip_by_value(EPSILON, 1.0 - EPSILON)?;
    let yes = labels.try_multiply(&shares.try_log()?)?;
    let no = one_minus(labels)?.try_multiply(&one_minus(&shares)?.try_log()?)?;
    yes.try_add(&no)?.try_neg()
}

functions! {
    /// The cross entropy between labels 0 and 1 and predictions of the same shape; the mean along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::losses::{FromLogits, binary_crossentropy};
    /// let loss = binary_crossentropy(tf::constant([[1, 0]]), tf::constant([[0.0, 0.0]]), FromLogits::Yes);
    /// assert!((loss.item::<f32>() - std::f32::consts::LN_2).abs() < 1e-6);
    /// ```
    pub fn binary_crossentropy, try_binary_crossentropy(labels, predictions, from_logits: FromLogits) {
        BinaryCrossentropy::new().from_logits(from_logits == FromLogits::Yes).values(labels, predictions)
    }

    /// The binary cross entropy, in which what is predicted well already counts less, with Keras's `gamma` of 2.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::losses::{FromLogits, binary_focal_crossentropy};
    /// let loss = binary_focal_crossentropy(tf::constant([[1.0]]), tf::constant([[0.5]]), FromLogits::No);
    /// assert!((loss.item::<f32>() - 0.25 * std::f32::consts::LN_2).abs() < 1e-6);
    /// ```
    pub fn binary_focal_crossentropy, try_binary_focal_crossentropy(labels, predictions, from_logits: FromLogits) {
        BinaryFocalCrossentropy::new().from_logits(from_logits == FromLogits::Yes).values(labels, predictions)
    }
}
