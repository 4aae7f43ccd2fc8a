//! Metrics: numbers that are gathered over the batches of an epoch, such as the mean loss and the accuracy.
//! Keras's metrics of these names; training loops and `compile` update them after every step and reset them after every epoch.
//!
//! [`update_state`](Accuracy::update_state) takes a batch in, [`result`](Accuracy::result) answers for all batches so far, and
//! [`reset_state`](Accuracy::reset_state) forgets them. Sums are kept in `float64`, results are `float32`. The state lies in variables:
//! metrics go on inside of `#[tf_function]`, and checkpoints save them.
//!
//! ```
//! use eagerflow as tf;
//! use tf::metrics::{Mean, Precision, SparseCategoricalAccuracy};
//! #[tf::tf_function]
//! fn step(loss: &Mean, accuracy: &SparseCategoricalAccuracy, y_true: &tf::Tensor, y_pred: &tf::Tensor) {
//!     loss.update_state(tf::reduce_mean(y_pred, ()));
//!     accuracy.update_state(y_true, y_pred);
//! }
//! let (loss, accuracy) = (Mean::new("loss"), SparseCategoricalAccuracy::new());
//! step(&loss, &accuracy, &tf::constant([0, 1]), &tf::constant([[2.0, 1.0], [4.0, 3.0]]));
//! assert_eq!((loss.result().item::<f32>(), accuracy.result().item::<f32>()), (2.5, 0.5));
//! ```

mod accuracy;
mod area;
mod auc;
mod batch;
mod confusion;
mod constrained;
mod correlation;
mod counts;
mod f_score;
mod iou;
mod mean;
mod metric;
mod names;
mod probabilistic;
mod r2_score;
mod regions;
mod regression;
#[cfg(test)]
mod tests;
mod thresholds;
mod wrapper;

pub use accuracy::{
    Accuracy, BinaryAccuracy, CategoricalAccuracy, SparseCategoricalAccuracy, SparseTopKCategoricalAccuracy,
    TopKCategoricalAccuracy,
};
pub use area::{Curve, SummationMethod};
pub use auc::AUC;
pub use confusion::{Precision, Recall};
pub use constrained::{PrecisionAtRecall, RecallAtPrecision, SensitivityAtSpecificity, SpecificityAtSensitivity};
pub use correlation::{ConcordanceCorrelation, PearsonCorrelation};
pub use counts::{FalseNegatives, FalsePositives, TrueNegatives, TruePositives};
pub use f_score::{Average, F1Score, FBetaScore};
pub use iou::{BinaryIoU, IoU, MeanIoU, OneHotIoU, OneHotMeanIoU};
pub use mean::{Mean, Sum};
pub use metric::{Direction, Metric};
pub use names::{get, try_get};
pub use probabilistic::{
    BinaryCrossentropy, CategoricalCrossentropy, CategoricalHinge, Hinge, KLDivergence, Poisson,
    SparseCategoricalCrossentropy, SquaredHinge,
};
pub use r2_score::{ClassAggregation, R2Score};
pub use regression::{
    CosineSimilarity, LogCoshError, MeanAbsoluteError, MeanAbsolutePercentageError, MeanSquaredError,
    MeanSquaredLogarithmicError, RootMeanSquaredError,
};
pub use thresholds::IntoThresholds;
pub use wrapper::MeanMetricWrapper;
