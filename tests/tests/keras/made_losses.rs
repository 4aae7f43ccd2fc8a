//! The losses of the rows: each by the name of its class with the options of a row, and by the name of its function.
//! `losses.rs` compares them with Keras's numbers.

use super::numbers::number;
use eagerflow as tf;
use serde_json::Value;
use tf::Tensor;
use tf::losses::{self, FromLogits, Loss, Reduction};

pub type Options = serde_json::Map<String, Value>;

fn reduction(value: &Value) -> Reduction {
    match value.as_str() {
        Some("sum_over_batch_size") => Reduction::SumOverBatchSize,
        Some("sum") => Reduction::Sum,
        Some("mean") => Reduction::Mean,
        Some("mean_with_sample_weight") => Reduction::MeanWithSampleWeight,
        None => Reduction::None,
        Some(other) => panic!("no reduction: {other}"),
    }
}

fn axis(value: &Value) -> isize {
    value.as_i64().expect("an axis") as isize
}

fn axes(value: &Value) -> Vec<isize> {
    value.as_array().map_or_else(|| vec![axis(value)], |list| list.iter().map(axis).collect())
}

/// Writes a loss with the options of a row, and the list of the options that each loss can have here.
macro_rules! losses {
    ($($name:ident { $($option:literal => |$value:ident| $set:ident($read:expr)),* $(,)? })*) => {
        pub fn made(class: &str, options: &Options) -> Box<dyn Loss> {
            match class {
                $(stringify!($name) => {
                    let mut loss = losses::$name::new();
                    for (option, value) in options {
                        loss = match option.as_str() {
                            "name" => loss.name(value.as_str().expect("a name")),
                            "reduction" => loss.reduction(reduction(value)),
                            "dtype" => loss.dtype(tf::DType::F64),
                            $($option => {
                                let $value = value;
                                loss.$set($read)
                            })*
                            other => panic!("{class} has no option {other} here"),
                        };
                    }
                    Box::new(loss)
                })*
                other => panic!("no loss {other} here"),
            }
        }

        pub const LOSSES: &[(&str, &[&str])] = &[$((stringify!($name), &[$($option),*])),*];
    };
}

losses! {
    MeanSquaredError {}
    MeanAbsoluteError {}
    MeanAbsolutePercentageError {}
    MeanSquaredLogarithmicError {}
    CosineSimilarity { "axis" => |v| axis(axis(v)) }
    Huber { "delta" => |v| delta(number(v)) }
    LogCosh {}
    KLDivergence {}
    Poisson {}
    BinaryCrossentropy {
        "from_logits" => |v| from_logits(v == true),
        "label_smoothing" => |v| label_smoothing(number(v)),
        "axis" => |v| axis(axis(v)),
    }
    BinaryFocalCrossentropy {
        "apply_class_balancing" => |v| apply_class_balancing(v == true),
        "alpha" => |v| alpha(number(v)),
        "gamma" => |v| gamma(number(v)),
        "from_logits" => |v| from_logits(v == true),
        "label_smoothing" => |v| label_smoothing(number(v)),
        "axis" => |v| axis(axis(v)),
    }
    CategoricalCrossentropy {
        "from_logits" => |v| from_logits(v == true),
        "label_smoothing" => |v| label_smoothing(number(v)),
        "axis" => |v| axis(axis(v)),
    }
    CategoricalFocalCrossentropy {
        "alpha" => |v| alpha(number(v)),
        "gamma" => |v| gamma(number(v)),
        "from_logits" => |v| from_logits(v == true),
        "label_smoothing" => |v| label_smoothing(number(v)),
        "axis" => |v| axis(axis(v)),
    }
    SparseCategoricalCrossentropy {
        "from_logits" => |v| from_logits(v == true),
        "ignore_class" => |v| ignore_class(v.as_i64()),
        "axis" => |v| axis(axis(v)),
    }
    Hinge {}
    SquaredHinge {}
    CategoricalHinge {}
    CTC {}
    Dice { "axis" => |v| axis(axes(v)) }
    Tversky {
        "alpha" => |v| alpha(number(v)),
        "beta" => |v| beta(number(v)),
        "axis" => |v| axis(axes(v)),
    }
    Circle {
        "gamma" => |v| gamma(number(v)),
        "margin" => |v| margin(number(v)),
        "remove_diagonal" => |v| remove_diagonal(v == true),
    }
    CategoricalGeneralizedCrossEntropy { "q" => |v| q(number(v)) }
}

fn logits(options: &Options) -> FromLogits {
    if options.get("from_logits").is_some_and(|v| v == true) { FromLogits::Yes } else { FromLogits::No }
}

/// A loss by the name of its function.
pub fn called(name: &str, y_true: &Tensor, y_pred: &Tensor, options: &Options) -> Tensor {
    let at = |option: &str| number(&options[option]);
    match name {
        "mean_squared_error" => losses::mean_squared_error(y_true, y_pred),
        "mean_absolute_error" => losses::mean_absolute_error(y_true, y_pred),
        "mean_absolute_percentage_error" => losses::mean_absolute_percentage_error(y_true, y_pred),
        "mean_squared_logarithmic_error" => losses::mean_squared_logarithmic_error(y_true, y_pred),
        "cosine_similarity" => losses::cosine_similarity(y_true, y_pred, at("axis") as isize),
        "huber" => losses::huber(y_true, y_pred, at("delta")),
        "log_cosh" => losses::log_cosh(y_true, y_pred),
        "kl_divergence" => losses::kl_divergence(y_true, y_pred),
        "poisson" => losses::poisson(y_true, y_pred),
        "binary_crossentropy" => losses::binary_crossentropy(y_true, y_pred, logits(options)),
        "binary_focal_crossentropy" => losses::binary_focal_crossentropy(y_true, y_pred, logits(options)),
        "categorical_crossentropy" => losses::categorical_crossentropy(y_true, y_pred, logits(options)),
        "categorical_focal_crossentropy" => losses::categorical_focal_crossentropy(y_true, y_pred, logits(options)),
        "sparse_categorical_crossentropy" => losses::sparse_categorical_crossentropy(y_true, y_pred, logits(options)),
        "hinge" => losses::hinge(y_true, y_pred),
        "squared_hinge" => losses::squared_hinge(y_true, y_pred),
        "categorical_hinge" => losses::categorical_hinge(y_true, y_pred),
        "ctc" => losses::ctc(y_true, y_pred),
        "dice" => losses::dice(y_true, y_pred),
        "tversky" => losses::tversky(y_true, y_pred, at("alpha"), at("beta")),
        "circle" => losses::circle(y_true, y_pred),
        "categorical_generalized_cross_entropy" => {
            losses::categorical_generalized_cross_entropy(y_true, y_pred, at("q"))
        }
        other => panic!("no function {other} here"),
    }
}
