//! Losses between distributions: the Kullback-Leibler divergence, and counts that follow Poisson's law.
//! Keras's functions and objects of these names.

use super::checks::{EPSILON, rows};
use super::define::{functions, loss};

loss! {
    /// How far the distribution of the labels is from that of the predictions, along the last dimension: the sum of
    /// `y_true * log(y_true / y_pred)`, both kept between 1e-7 and 1.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::KLDivergence::new();
    /// let value = loss.call(tf::constant([[0.5, 0.5]]), tf::constant([[0.25, 0.75]])).item::<f32>();
    /// assert!((value - 0.5 * (4f32 / 3.0).ln()).abs() < 1e-6);
    /// ```
    pub struct KLDivergence("kl_divergence") {}
    |_, labels, predictions| {
        let labels = rows("kl_divergence", labels, predictions)?.try_clip_by_value(EPSILON, 1.0)?;
        let predictions = predictions.try_clip_by_value(EPSILON, 1.0)?;
        labels.try_multiply(&labels.try_divide(&predictions)?.try_log()?)?.try_reduce_sum(-1)
    }
}

loss! {
    /// The loss of predicted rates for labels that are counts: `y_pred - y_true * log(y_pred)`; the mean along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::Poisson::new();
    /// assert!((loss.call(tf::constant([[3, 0]]), tf::constant([[1.0, 2.0]])).item::<f32>() - 1.5).abs() < 1e-6);
    /// ```
    pub struct Poisson("poisson") {}
    |_, labels, predictions| {
        let labels = rows("poisson", labels, predictions)?;
        let logs = predictions.try_add(EPSILON)?.try_log()?;
        predictions.try_subtract(&labels.try_multiply(&logs)?)?.try_reduce_mean(-1)
    }
}

functions! {
    /// How far the distribution of the labels is from that of the predictions, along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::kl_divergence(&tf::constant([[0.5, 0.5]]), &tf::constant([[0.5, 0.5]]));
    /// assert_eq!(loss.to_vec::<f32>(), [0.0]);
    /// ```
    pub fn kl_divergence, try_kl_divergence(labels, predictions) {
        KLDivergence::new().values(labels, predictions)
    }

    /// The loss of predicted rates for labels that are counts; the mean along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::poisson(&tf::constant([[0, 0]]), &tf::constant([[1.0, 2.0]]));
    /// assert_eq!(loss.to_vec::<f32>(), [1.5]);
    /// ```
    pub fn poisson, try_poisson(labels, predictions) {
        Poisson::new().values(labels, predictions)
    }
}
