//! Correlations between labels and predictions: Pearson's, and the concordance, which also asks for equal means and spreads.
//! Keras's metrics of these names.

use super::wrapper::mean_metric;
use crate::losses::checks::{EPSILON, fitted};
use engine::keep_dims;

mean_metric! {
    /// The mean of the correlations between the rows of labels and predictions: from -1 to 1; NaN where one of them is constant.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::PearsonCorrelation::new();
    /// metric.update_state(tf::constant([[0.0, 1.0, 0.5], [1.0, 1.0, 0.2]]), tf::constant([[0.1, 0.9, 0.5], [1.0, 0.9, 0.2]]));
    /// assert!((metric.result().item::<f32>() - 0.996_699_6).abs() < 1e-5);
    /// ```
    pub struct PearsonCorrelation("pearson_correlation", Up) { axis: isize = -1 }
    |this, labels, predictions| {
        let (labels, predictions) = fitted("pearson_correlation", labels, predictions)?;
        let kept = || keep_dims(this.axis);
        let labels = labels.try_subtract(&labels.try_reduce_mean(kept())?)?;
        let predictions = predictions.try_subtract(&predictions.try_reduce_mean(kept())?)?;
        let labels = labels.try_divide(&engine::try_reduce_std(&labels, kept())?)?;
        let predictions = predictions.try_divide(&engine::try_reduce_std(&predictions, kept())?)?;
        Ok((labels.try_multiply(&predictions)?.try_reduce_mean(this.axis)?, None))
    }
}

mean_metric! {
    /// The mean of the concordances between the rows of labels and predictions: from -1 to 1, and 1 only where they are equal.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let metric = tf::metrics::ConcordanceCorrelation::new();
    /// metric.update_state(tf::constant([[0.0, 1.0, 0.5], [1.0, 1.0, 0.2]]), tf::constant([[0.1, 0.9, 0.5], [1.0, 0.9, 0.2]]));
    /// assert!((metric.result().item::<f32>() - 0.981_631_7).abs() < 1e-5);
    /// ```
    pub struct ConcordanceCorrelation("concordance_correlation", Up) { axis: isize = -1 }
    |this, labels, predictions| {
        let (labels, predictions) = fitted("concordance_correlation", labels, predictions)?;
        let kept = || keep_dims(this.axis);
        let (mean, predicted) = (labels.try_reduce_mean(kept())?, predictions.try_reduce_mean(kept())?);
        let spreads = [
            engine::try_reduce_variance(&labels.try_subtract(&mean)?, kept())?,
            engine::try_reduce_variance(&predictions.try_subtract(&predicted)?, kept())?,
        ];
        // Keras takes the predictions' mean from both: the mean of the product is the covariance all the same.
        let common = labels.try_subtract(&predicted)?.try_multiply(&predictions.try_subtract(&predicted)?)?;
        let apart = mean.try_squared_difference(&predicted)?;
        let norm = spreads[0].try_add(&spreads[1])?.try_add(&apart)?.try_add(EPSILON)?;
        Ok((common.try_multiply(2.0)?.try_divide(&norm)?.try_reduce_mean(this.axis)?, None))
    }
}

macro_rules! axes {
    ($($name:ident),*) => {$(
        impl $name {
            /// The axis along which the numbers lie that are compared; -1, the last, by default.
            #[must_use]
            pub fn axis(mut self, axis: isize) -> Self {
                self.axis = axis;
                self
            }
        }
    )*};
}

axes!(PearsonCorrelation, ConcordanceCorrelation);
