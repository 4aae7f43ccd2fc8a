//! The metrics of the rows: each by the name of its class with the arguments and options of a row.
//! `metrics.rs` compares them with Keras's numbers.

use super::numbers::number;
use eagerflow as tf;
use serde_json::Value;
use tf::Duplicate;
use tf::metrics::{self, Average, ClassAggregation, Curve, Metric, SummationMethod};

pub type Options = serde_json::Map<String, Value>;

fn list(value: &Value) -> Vec<f64> {
    value.as_array().map_or_else(|| vec![number(value)], |list| list.iter().map(number).collect())
}

fn counts(value: &Value) -> Vec<usize> {
    list(value).into_iter().map(|n| n as usize).collect()
}

fn count(value: &Value) -> usize {
    number(value) as usize
}

fn axis(value: &Value) -> isize {
    number(value) as isize
}

fn average(value: &Value) -> Average {
    match value.as_str() {
        Some("micro") => Average::Micro,
        Some("macro") => Average::Macro,
        Some("weighted") => Average::Weighted,
        _ => Average::None,
    }
}

fn aggregation(value: &Value) -> ClassAggregation {
    match value.as_str() {
        Some("variance_weighted_average") => ClassAggregation::VarianceWeightedAverage,
        Some(_) => ClassAggregation::UniformAverage,
        None => ClassAggregation::None,
    }
}

fn curve(value: &Value) -> Curve {
    match value.as_str() {
        Some("PR") => Curve::PR,
        Some("PRGAIN") => Curve::PRGAIN,
        _ => Curve::ROC,
    }
}

fn method(value: &Value) -> SummationMethod {
    match value.as_str() {
        Some("minoring") => SummationMethod::Minoring,
        Some("majoring") => SummationMethod::Majoring,
        _ => SummationMethod::Interpolation,
    }
}

/// Writes a metric with the arguments and options of a row, and the list of the options that each can have here.
macro_rules! metrics {
    ($($name:ident($($arg:literal $take:ident),*) {
        $($option:literal => |$value:ident| $set:ident($read:expr)),* $(,)?
    })*) => {
        pub fn with<R>(class: &str, options: &Options, then: impl Then<R>) -> R {
            match class {
                $(stringify!($name) => {
                    let mut metric = metrics::$name::new($($take(&options[$arg])),*);
                    for (option, value) in options {
                        let arguments: &[&str] = &[$($arg),*];
                        metric = match option.as_str() {
                            "name" => metric.name(value.as_str().expect("a name")),
                            option if arguments.contains(&option) => metric,
                            $($option => {
                                let $value = value;
                                metric.$set($read)
                            })*
                            other => panic!("{class} has no option {other} here"),
                        };
                    }
                    then.then(metric)
                })*
                other => panic!("no metric {other} here"),
            }
        }

        pub const METRICS: &[(&str, &[&str])] = &[$((stringify!($name), &[$($arg,)* $($option),*])),*];
    };
}

/// What is done with a metric of any type.
pub trait Then<R> {
    fn then<M: Metric + Duplicate + 'static>(self, metric: M) -> R;
}

/// Behind a pointer, whatever its type.
pub struct Boxed;

impl Then<Box<dyn Metric>> for Boxed {
    fn then<M: Metric + Duplicate + 'static>(self, metric: M) -> Box<dyn Metric> {
        Box::new(metric)
    }
}

metrics! {
    MeanSquaredError() {}
    MeanAbsoluteError() {}
    MeanAbsolutePercentageError() {}
    MeanSquaredLogarithmicError() {}
    LogCoshError() {}
    RootMeanSquaredError() {}
    CosineSimilarity() { "axis" => |v| axis(axis(v)) }
    PearsonCorrelation() { "axis" => |v| axis(axis(v)) }
    ConcordanceCorrelation() { "axis" => |v| axis(axis(v)) }
    R2Score() {
        "class_aggregation" => |v| class_aggregation(aggregation(v)),
        "num_regressors" => |v| num_regressors(count(v)),
    }
    KLDivergence() {}
    Poisson() {}
    BinaryCrossentropy() {
        "from_logits" => |v| from_logits(v == true),
        "label_smoothing" => |v| label_smoothing(number(v)),
    }
    CategoricalCrossentropy() {
        "from_logits" => |v| from_logits(v == true),
        "label_smoothing" => |v| label_smoothing(number(v)),
        "axis" => |v| axis(axis(v)),
    }
    SparseCategoricalCrossentropy() {
        "from_logits" => |v| from_logits(v == true),
        "ignore_class" => |v| ignore_class(v.as_i64()),
        "axis" => |v| axis(axis(v)),
    }
    Hinge() {}
    SquaredHinge() {}
    CategoricalHinge() {}
    Accuracy() {}
    BinaryAccuracy() { "threshold" => |v| threshold(number(v)) }
    CategoricalAccuracy() {}
    SparseCategoricalAccuracy() {}
    TopKCategoricalAccuracy() { "k" => |v| k(count(v)) }
    SparseTopKCategoricalAccuracy() {
        "k" => |v| k(count(v)),
        "from_sorted_ids" => |v| from_sorted_ids(v == true),
    }
    F1Score() { "average" => |v| average(average(v)), "threshold" => |v| threshold(number(v)) }
    FBetaScore() {
        "average" => |v| average(average(v)),
        "beta" => |v| beta(number(v)),
        "threshold" => |v| threshold(number(v)),
    }
    IoU("num_classes" count, "target_class_ids" counts) {
        "ignore_class" => |v| ignore_class(v.as_i64()),
        "sparse_y_true" => |v| sparse_y_true(v == true),
        "sparse_y_pred" => |v| sparse_y_pred(v == true),
        "axis" => |v| axis(axis(v)),
    }
    MeanIoU("num_classes" count) {
        "ignore_class" => |v| ignore_class(v.as_i64()),
        "sparse_y_true" => |v| sparse_y_true(v == true),
        "sparse_y_pred" => |v| sparse_y_pred(v == true),
        "axis" => |v| axis(axis(v)),
    }
    BinaryIoU() {
        "threshold" => |v| threshold(number(v)),
        "target_class_ids" => |v| target_class_ids(counts(v)),
    }
    OneHotIoU("num_classes" count, "target_class_ids" counts) {
        "ignore_class" => |v| ignore_class(v.as_i64()),
        "sparse_y_pred" => |v| sparse_y_pred(v == true),
        "axis" => |v| axis(axis(v)),
    }
    OneHotMeanIoU("num_classes" count) {
        "ignore_class" => |v| ignore_class(v.as_i64()),
        "sparse_y_pred" => |v| sparse_y_pred(v == true),
        "axis" => |v| axis(axis(v)),
    }
    TruePositives() { "thresholds" => |v| thresholds(list(v)) }
    FalsePositives() { "thresholds" => |v| thresholds(list(v)) }
    TrueNegatives() { "thresholds" => |v| thresholds(list(v)) }
    FalseNegatives() { "thresholds" => |v| thresholds(list(v)) }
    Precision() {
        "thresholds" => |v| thresholds(list(v)),
        "top_k" => |v| top_k(count(v)),
        "class_id" => |v| class_id(count(v)),
    }
    Recall() {
        "thresholds" => |v| thresholds(list(v)),
        "top_k" => |v| top_k(count(v)),
        "class_id" => |v| class_id(count(v)),
    }
    PrecisionAtRecall("recall" number) {
        "num_thresholds" => |v| num_thresholds(count(v)),
        "class_id" => |v| class_id(count(v)),
    }
    RecallAtPrecision("precision" number) {
        "num_thresholds" => |v| num_thresholds(count(v)),
        "class_id" => |v| class_id(count(v)),
    }
    SensitivityAtSpecificity("specificity" number) {
        "num_thresholds" => |v| num_thresholds(count(v)),
        "class_id" => |v| class_id(count(v)),
    }
    SpecificityAtSensitivity("sensitivity" number) {
        "num_thresholds" => |v| num_thresholds(count(v)),
        "class_id" => |v| class_id(count(v)),
    }
    AUC() {
        "num_thresholds" => |v| num_thresholds(count(v)),
        "curve" => |v| curve(curve(v)),
        "summation_method" => |v| summation_method(method(v)),
        "thresholds" => |v| thresholds(list(v)),
        "multi_label" => |v| multi_label(v == true),
        "num_labels" => |v| num_labels(count(v)),
        "label_weights" => |v| label_weights(list(v)),
        "from_logits" => |v| from_logits(v == true),
    }
}
