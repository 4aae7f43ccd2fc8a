//! Metrics by their names, as Keras takes them in `compile(metrics=["accuracy"])`: classes, their other spelling, and short names.
//! [`get`] finds them.

use super::*;
use crate::losses::nearest;
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// The metric with Keras's name: that of its class, the same in small letters, or a short one such as `"mse"`. It has Keras's
/// defaults.
///
/// Metrics that need a number, as [`MeanIoU`] that of the classes, have no name here.
///
/// ```
/// use eagerflow as tf;
/// let metric = tf::metrics::get("accuracy");
/// metric.update_state(tf::constant([1, 2]), tf::constant([1, 3]));
/// assert_eq!(metric.result().item::<f32>(), 0.5);
/// let error = tf::metrics::try_get("acuracy").unwrap_err().to_string();
/// assert!(error.contains("`accuracy`"));
/// ```
///
/// # Panics
/// As [`try_get`] fails, at the caller's line.
#[track_caller]
pub fn get(name: &str) -> Box<dyn Metric> {
    try_get(name).or_fail()
}

/// The metric with Keras's name.
///
/// # Errors
/// NotFound for another name, with those that are near.
#[track_caller]
pub fn try_get(name: &str) -> Result<Box<dyn Metric>> {
    let found = METRICS.iter().find(|(names, _)| names.contains(&name));
    match found {
        Some((_, make)) => Ok(make()),
        None => {
            let names = METRICS.iter().flat_map(|(names, _)| names.iter().copied());
            Err(nearest("metrics::get", "metric", name, names).at(Location::caller()))
        }
    }
}

type Made = (&'static [&'static str], fn() -> Box<dyn Metric>);

macro_rules! metrics {
    ($($name:ident: $($text:literal),*;)*) => {
        /// Every metric that needs no number, with its names.
        const METRICS: &[Made] = &[$((&[stringify!($name), $($text),*], || Box::new(<$name>::default()))),*];
    };
}

metrics! {
    AUC: "auc";
    Accuracy: "accuracy";
    BinaryAccuracy: "binary_accuracy";
    BinaryCrossentropy: "binary_crossentropy", "bce", "BCE";
    BinaryIoU: "binary_io_u";
    CategoricalAccuracy: "categorical_accuracy";
    CategoricalCrossentropy: "categorical_crossentropy";
    CategoricalHinge: "categorical_hinge";
    ConcordanceCorrelation: "concordance_correlation";
    CosineSimilarity: "cosine_similarity";
    F1Score: "f1_score";
    FBetaScore: "f_beta_score", "fbeta_score";
    FalseNegatives: "false_negatives";
    FalsePositives: "false_positives";
    Hinge: "hinge";
    KLDivergence: "kl_divergence";
    LogCoshError: "log_cosh_error", "logcosh";
    Mean: "mean";
    MeanAbsoluteError: "mean_absolute_error", "mae", "MAE";
    MeanAbsolutePercentageError: "mean_absolute_percentage_error", "mape", "MAPE";
    MeanSquaredError: "mean_squared_error", "mse", "MSE";
    MeanSquaredLogarithmicError: "mean_squared_logarithmic_error", "msle", "MSLE";
    PearsonCorrelation: "pearson_correlation";
    Poisson: "poisson";
    Precision: "precision";
    R2Score: "r2_score";
    Recall: "recall";
    RootMeanSquaredError: "root_mean_squared_error";
    SparseCategoricalAccuracy: "sparse_categorical_accuracy";
    SparseCategoricalCrossentropy: "sparse_categorical_crossentropy";
    SparseTopKCategoricalAccuracy: "sparse_top_k_categorical_accuracy";
    SquaredHinge: "squared_hinge";
    Sum: "sum";
    TopKCategoricalAccuracy: "top_k_categorical_accuracy";
    TrueNegatives: "true_negatives";
    TruePositives: "true_positives";
}
