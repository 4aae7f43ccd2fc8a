//! Losses of numbers: squared, absolute, relative and logarithmic differences, and the angle between rows.
//! Keras's functions and objects of these names; labels and predictions become equal in rank first, as there.

use super::checks::{EPSILON, fitted};
use super::define::{functions, loss};
use engine::library::options::options;

loss! {
    /// The mean of the squared differences along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::MeanSquaredError::new();
    /// assert_eq!(loss.call(tf::constant([[0.0, 1.0]]), tf::constant([[1.0, 3.0]])).item::<f32>(), 2.5);
    /// ```
    pub struct MeanSquaredError("mean_squared_error") {}
    |_, labels, predictions| {
        let (labels, predictions) = fitted("mean_squared_error", labels, predictions)?;
        predictions.try_squared_difference(&labels)?.try_reduce_mean(-1)
    }
}

loss! {
    /// The mean of the absolute differences along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::MeanAbsoluteError::new();
    /// assert_eq!(loss.call(tf::constant([[0.0, 1.0]]), tf::constant([[1.0, 3.0]])).item::<f32>(), 1.5);
    /// ```
    pub struct MeanAbsoluteError("mean_absolute_error") {}
    |_, labels, predictions| {
        let (labels, predictions) = fitted("mean_absolute_error", labels, predictions)?;
        predictions.try_subtract(&labels)?.try_abs()?.try_reduce_mean(-1)
    }
}

loss! {
    /// 100 times the mean of the absolute differences as shares of the labels, which count as 1e-7 at least.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::MeanAbsolutePercentageError::new();
    /// assert_eq!(loss.call(tf::constant([[2.0, 4.0]]), tf::constant([[1.0, 3.0]])).item::<f32>(), 37.5);
    /// ```
    pub struct MeanAbsolutePercentageError("mean_absolute_percentage_error") {}
    |_, labels, predictions| {
        let (labels, predictions) = fitted("mean_absolute_percentage_error", labels, predictions)?;
        let shares = labels.try_subtract(&predictions)?.try_divide(&labels.try_abs()?.try_maximum(EPSILON)?)?;
        shares.try_abs()?.try_reduce_mean(-1)?.try_multiply(100.0)
    }
}

loss! {
    /// The mean of the squared differences of the logarithms of 1 more than each number, which count as 1e-7 at least.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::MeanSquaredLogarithmicError::new();
    /// let value = loss.call(tf::constant([[0.0]]), tf::constant([[1.0]])).item::<f32>();
    /// assert!((value - std::f32::consts::LN_2.powi(2)).abs() < 1e-6);
    /// ```
    pub struct MeanSquaredLogarithmicError("mean_squared_logarithmic_error") {}
    |_, labels, predictions| {
        let (labels, predictions) = fitted("mean_squared_logarithmic_error", labels, predictions)?;
        let first = predictions.try_maximum(EPSILON)?.try_add(1.0)?.try_log()?;
        let second = labels.try_maximum(EPSILON)?.try_add(1.0)?.try_log()?;
        first.try_squared_difference(&second)?.try_reduce_mean(-1)
    }
}

loss! {
    /// The negative cosine of the angle between labels and predictions: -1 for the same direction, 0 for a right angle.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::CosineSimilarity::new();
    /// let (y_true, y_pred) = (tf::constant([[0.0, 2.0], [1.0, 0.0]]), tf::constant([[0.0, 3.0], [0.0, 1.0]]));
    /// assert!((loss.call(&y_true, &y_pred).item::<f32>() + 0.5).abs() < 1e-6);
    /// ```
    pub struct CosineSimilarity("cosine_similarity") { axis: isize = -1 }
    |this, labels, predictions| {
        let (labels, predictions) = fitted("cosine_similarity", labels, predictions)?;
        cosine(&labels, &predictions, this.axis)?.try_neg()
    }
}

impl CosineSimilarity {
    /// The axis along which the vectors lie; -1, the last, by default.
    #[must_use]
    pub fn axis(mut self, axis: isize) -> Self {
        self.axis = axis;
        self
    }
}

/// The cosine of the angle between vectors along an axis.
#[track_caller]
pub(crate) fn cosine(a: &engine::Tensor, b: &engine::Tensor, axis: isize) -> kernels::error::Result<engine::Tensor> {
    // A length below 1e-7 counts as that.
    let least = EPSILON * EPSILON;
    let (a, b) = (engine::try_l2_normalize(a, axis, least)?, engine::try_l2_normalize(b, axis, least)?);
    a.try_multiply(&b)?.try_reduce_sum(axis)
}

loss! {
    /// Half the squared difference up to `delta`, and a straight line of its slope there beyond; the mean along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::Huber::new().delta(2.0);
    /// assert_eq!(loss.call(tf::constant([[0.0, 0.0]]), tf::constant([[1.0, 4.0]])).item::<f32>(), 3.25);
    /// ```
    pub struct Huber("huber_loss") { delta: f64 = 1.0 }
    |this, labels, predictions| {
        let (labels, predictions) = fitted("huber", labels, predictions)?;
        let error = predictions.try_subtract(&labels)?;
        let size = error.try_abs()?;
        let line = size.try_multiply(this.delta)?.try_subtract(0.5 * this.delta * this.delta)?;
        let bowl = error.try_square()?.try_multiply(0.5)?;
        size.try_less_equal(this.delta)?.try_select(&bowl, &line)?.try_reduce_mean(-1)
    }
}

options! { Huber:
    /// Up to which difference the loss is a square; 1 by default.
    pub fn delta, try_delta(this, delta: f64) {
        this.delta = engine::library::options::magnitude("Huber", "delta", delta)?;
        Ok(this)
    }
}

loss! {
    /// The logarithm of the hyperbolic cosine of the differences, about half the square of small and the size of large ones; the
    /// mean along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::LogCosh::new();
    /// let value = loss.call(tf::constant([[0.0]]), tf::constant([[2.0]])).item::<f32>();
    /// assert!((value - 2f32.cosh().ln()).abs() < 1e-6);
    /// ```
    pub struct LogCosh("log_cosh") {}
    |_, labels, predictions| {
        let (labels, predictions) = fitted("log_cosh", labels, predictions)?;
        let x = predictions.try_subtract(&labels)?;
        let fold = x.try_multiply(-2.0)?.try_softplus()?;
        x.try_add(&fold)?.try_subtract(std::f64::consts::LN_2)?.try_reduce_mean(-1)
    }
}

functions! {
    /// The mean of the squared differences along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::mean_squared_error(&tf::constant([[1.0, 2.0]]), &tf::constant([[1.0, 4.0]]));
    /// assert_eq!(loss.to_vec::<f32>(), [2.0]);
    /// ```
    pub fn mean_squared_error, try_mean_squared_error(labels, predictions) {
        MeanSquaredError::new().values(labels, predictions)
    }

    /// The mean of the absolute differences along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::mean_absolute_error(&tf::constant([[1.0, 2.0]]), &tf::constant([[1.0, 4.0]]));
    /// assert_eq!(loss.to_vec::<f32>(), [1.0]);
    /// ```
    pub fn mean_absolute_error, try_mean_absolute_error(labels, predictions) {
        MeanAbsoluteError::new().values(labels, predictions)
    }

    /// 100 times the mean of the absolute differences as shares of the labels, along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::mean_absolute_percentage_error(&tf::constant([[2.0, 4.0]]), &tf::constant([[1.0, 3.0]]));
    /// assert_eq!(loss.to_vec::<f32>(), [37.5]);
    /// ```
    pub fn mean_absolute_percentage_error, try_mean_absolute_percentage_error(labels, predictions) {
        MeanAbsolutePercentageError::new().values(labels, predictions)
    }

    /// The mean of the squared differences of the logarithms of 1 more than each number, along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::mean_squared_logarithmic_error(&tf::constant([[3.0]]), &tf::constant([[3.0]]));
    /// assert_eq!(loss.to_vec::<f32>(), [0.0]);
    /// ```
    pub fn mean_squared_logarithmic_error, try_mean_squared_logarithmic_error(labels, predictions) {
        MeanSquaredLogarithmicError::new().values(labels, predictions)
    }

    /// The negative cosine of the angle between labels and predictions along an axis.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::cosine_similarity(&tf::constant([[0.0, 1.0]]), &tf::constant([[1.0, 0.0]]), -1);
    /// assert_eq!(loss.to_vec::<f32>(), [0.0]);
    /// ```
    pub fn cosine_similarity, try_cosine_similarity(labels, predictions, axis: isize) {
        CosineSimilarity::new().axis(axis).values(labels, predictions)
    }

    /// Half the squared difference up to `delta` (Keras's default is 1), and a straight line beyond; the mean along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::huber(&tf::constant([[0.0, 0.0]]), &tf::constant([[1.0, 4.0]]), 2.0);
    /// assert_eq!(loss.to_vec::<f32>(), [3.25]);
    /// ```
    pub fn huber, try_huber(labels, predictions, delta: f64) {
        Huber::new().try_delta(delta)?.values(labels, predictions)
    }

    /// The logarithm of the hyperbolic cosine of the differences; the mean along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::log_cosh(&tf::constant([[2.0]]), &tf::constant([[2.0]]));
    /// assert!(loss.item::<f32>().abs() < 1e-6);
    /// ```
    pub fn log_cosh, try_log_cosh(labels, predictions) {
        LogCosh::new().values(labels, predictions)
    }
}
