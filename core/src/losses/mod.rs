//! Losses: how far predictions are from their labels, one number per example, or reduced to one number that training differentiates.
//! Keras's losses, as functions and as objects with options; training loops and `compile` call them.
//!
//! A function, such as [`mean_squared_error`], answers one number per example. An object, such as [`Huber`], has Keras's options as
//! methods, and [`call`](Huber::call) takes the mean, or what [`Reduction`] says, with weights if need be. Both have Keras's formulas;
//! labels and predictions are never broadcast.
//!
//! ```
//! use eagerflow as tf;
//! use tf::losses::{BinaryCrossentropy, Loss, Reduction, binary_crossentropy, FromLogits};
//! let (y_true, logits) = (tf::constant([[1.0], [0.0]]), tf::constant([[2.0], [-2.0]]));
//! let loss = BinaryCrossentropy::new().from_logits(true).reduction(Reduction::Sum);
//! let sum = tf::reduce_sum(binary_crossentropy(&y_true, &logits, FromLogits::Yes), ());
//! assert_eq!(loss.call(&y_true, &logits).item::<f32>(), sum.item::<f32>());
//! let weighted = loss.call_weighted(&y_true, &logits, tf::constant([1.0, 0.0]));
//! assert!(weighted.item::<f32>() < sum.item::<f32>());
//! ```

mod binary;
mod categorical;
pub(crate) mod checks;
mod define;
mod from_fn;
mod hinge;
mod loss;
mod names;
mod overlap;
mod probabilistic;
pub(crate) mod reduce;
mod regression;
mod sequence;
mod similarity;
mod sparse;
#[cfg(test)]
mod tests;

pub use binary::{
    BinaryCrossentropy, BinaryFocalCrossentropy, binary_crossentropy, binary_focal_crossentropy,
    try_binary_crossentropy, try_binary_focal_crossentropy,
};
pub use categorical::{
    CategoricalCrossentropy, CategoricalFocalCrossentropy, categorical_crossentropy, categorical_focal_crossentropy,
    try_categorical_crossentropy, try_categorical_focal_crossentropy,
};
pub(crate) use from_fn::identity_of;
pub use from_fn::{FromFn, LossValue, from_fn};
pub use hinge::{
    CategoricalHinge, Hinge, SquaredHinge, categorical_hinge, hinge, squared_hinge, try_categorical_hinge, try_hinge,
    try_squared_hinge,
};
pub use loss::{Loss, Reduction};
pub(crate) use names::nearest;
pub use names::{get, try_get};
pub use overlap::{Dice, Tversky, dice, try_dice, try_tversky, tversky};
pub use probabilistic::{KLDivergence, Poisson, kl_divergence, poisson, try_kl_divergence, try_poisson};
pub(crate) use regression::cosine;
pub use regression::{
    CosineSimilarity, Huber, LogCosh, MeanAbsoluteError, MeanAbsolutePercentageError, MeanSquaredError,
    MeanSquaredLogarithmicError, cosine_similarity, huber, log_cosh, mean_absolute_error,
    mean_absolute_percentage_error, mean_squared_error, mean_squared_logarithmic_error, try_cosine_similarity,
    try_huber, try_log_cosh, try_mean_absolute_error, try_mean_absolute_percentage_error, try_mean_squared_error,
    try_mean_squared_logarithmic_error,
};
pub use sequence::{CTC, ctc, try_ctc};
pub use similarity::{Circle, circle, try_circle};
pub use sparse::{
    CategoricalGeneralizedCrossEntropy, SparseCategoricalCrossentropy, categorical_generalized_cross_entropy,
    sparse_categorical_crossentropy, try_categorical_generalized_cross_entropy, try_sparse_categorical_crossentropy,
};

#[doc(no_inline)]
pub use {
    binary_crossentropy as bce, kl_divergence as kld, log_cosh as logcosh, mean_absolute_error as mae,
    mean_absolute_percentage_error as mape, mean_squared_error as mse, mean_squared_logarithmic_error as msle,
};

/// Whether predictions are logits, as a last layer without an activation gives, or probabilities.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FromLogits {
    /// Logits: any numbers, of which softmax or sigmoid would make probabilities. The safer and faster choice.
    Yes,
    /// Probabilities; Keras's default. They are kept 1e-7 away from 0 and 1.
    #[default]
    No,
}
