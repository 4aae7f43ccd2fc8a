//! Hinge losses: predictions with a margin around 0 between two classes, or between the right class and the others.
//! Keras's functions and objects of these names; labels 0 and 1 count as -1 and 1.

use super::checks::{one_minus, rows};
use super::define::{functions, loss};
use engine::Tensor;
use kernels::error::Result;

loss! {
    /// What a prediction lacks to be 1 on the side of its label, -1 or 1; the mean along the last dimension.
    ///
    /// Labels 0 and 1 become -1 and 1 if there are no others among them.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::Hinge::new();
    /// assert_eq!(loss.call(tf::constant([[0.0, 1.0]]), tf::constant([[0.5, 2.0]])).item::<f32>(), 0.75);
    /// ```
    pub struct Hinge("hinge") {}
    |_, labels, predictions| {
        lacking("hinge", labels, predictions)?.try_reduce_mean(-1)
    }
}

loss! {
    /// The square of what a prediction lacks to be 1 on the side of its label, -1 or 1; the mean along the last dimension.
    ///
    /// Labels 0 and 1 become -1 and 1 if there are no others among them.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::SquaredHinge::new();
    /// assert_eq!(loss.call(tf::constant([[-1.0, 1.0]]), tf::constant([[0.0, -1.0]])).item::<f32>(), 2.5);
    /// ```
    pub struct SquaredHinge("squared_hinge") {}
    |_, labels, predictions| {
        lacking("squared_hinge", labels, predictions)?.try_square()?.try_reduce_mean(-1)
    }
}

loss! {
    /// What the prediction for the right class lacks to be 1 above the greatest of the others, along the last dimension.
    ///
    /// Labels are 1 for the right class and 0 for the others.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::CategoricalHinge::new();
    /// assert_eq!(loss.call(tf::constant([[0.0, 1.0]]), tf::constant([[0.75, 0.25]])).item::<f32>(), 1.5);
    /// ```
    pub struct CategoricalHinge("categorical_hinge") {}
    |_, labels, predictions| {
        let labels = rows("categorical_hinge", labels, predictions)?;
        let right = labels.try_multiply(predictions)?.try_reduce_sum(-1)?;
        let others = one_minus(&labels)?.try_multiply(predictions)?.try_reduce_max(-1)?;
        others.try_subtract(&right)?.try_add(1.0)?.try_maximum(0.0)
    }
}

/// What each prediction lacks to be 1 on the side of its label.
#[track_caller]
fn lacking(loss: &str, labels: &Tensor, predictions: &Tensor) -> Result<Tensor> {
    let labels = rows(loss, labels, predictions)?;
    let binary = engine::try_logical_or(labels.try_equal(0.0)?, labels.try_equal(1.0)?)?;
    let sides = labels.try_multiply(2.0)?.try_subtract(1.0)?;
    let sides = engine::try_reduce_all(&binary, ())?.try_select(&sides, &labels)?;
    one_minus(&sides.try_multiply(predictions)?)?.try_maximum(0.0)
}

functions! {
    /// What a prediction lacks to be 1 on the side of its label, -1 or 1; the mean along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::hinge(&tf::constant([[-1.0, 1.0]]), &tf::constant([[0.5, 2.0]]));
    /// assert_eq!(loss.to_vec::<f32>(), [0.75]);
    /// ```
    pub fn hinge, try_hinge(labels, predictions) {
        Hinge::new().values(labels, predictions)
    }

    /// The square of what a prediction lacks to be 1 on the side of its label; the mean along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::squared_hinge(&tf::constant([[-1.0, 1.0]]), &tf::constant([[0.0, -1.0]]));
    /// assert_eq!(loss.to_vec::<f32>(), [2.5]);
    /// ```
    pub fn squared_hinge, try_squared_hinge(labels, predictions) {
        SquaredHinge::new().values(labels, predictions)
    }

    /// What the prediction for the right class lacks to be 1 above the greatest of the others, along the last dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let loss = tf::losses::categorical_hinge(&tf::constant([[0, 1]]), &tf::constant([[0.75, 0.25]]));
    /// assert_eq!(loss.to_vec::<f32>(), [1.5]);
    /// ```
    pub fn categorical_hinge, try_categorical_hinge(labels, predictions) {
        CategoricalHinge::new().values(labels, predictions)
    }
}
