//! Metrics: numbers that are gathered over the batches of an epoch, such as the mean loss and the accuracy.
//! Keras's metrics of these names; training loops update them after every step and reset them after every epoch.

mod accuracy;
mod mean;
mod metric;
mod probabilistic;
mod regression;
#[cfg(test)]
mod tests;
mod wrapper;

pub use accuracy::{
    Accuracy, BinaryAccuracy, CategoricalAccuracy, SparseCategoricalAccuracy, SparseTopKCategoricalAccuracy,
    TopKCategoricalAccuracy,
};
pub use mean::{Mean, Sum};
pub use metric::Metric;
pub use probabilistic::{
    BinaryCrossentropy, CategoricalCrossentropy, CategoricalHinge, Hinge, KLDivergence, Poisson,
    SparseCategoricalCrossentropy, SquaredHinge,
};
pub use regression::{
    CosineSimilarity, LogCoshError, MeanAbsoluteError, MeanAbsolutePercentageError, MeanSquaredError,
    MeanSquaredLogarithmicError, RootMeanSquaredError,
};
pub use wrapper::MeanMetricWrapper;
