//! Every metric of Keras over several batches, its options changed one after the other, with weights and without, each also within
//! a traced function. A metric or an option without a row in `keras_metrics.json` fails.

use super::losses::public;
use super::numbers::{file, near, number, tensor};
use eagerflow as tf;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tf::metrics::{self, Average, ClassAggregation, Curve, Metric, SummationMethod};
use tf::{Duplicate, Result, Tensor, tf_function};

type Options = serde_json::Map<String, Value>;

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
        fn with<R>(class: &str, options: &Options, then: impl Then<R>) -> R {
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

        const METRICS: &[(&str, &[&str])] = &[$((stringify!($name), &[$($arg,)* $($option),*])),*];
    };
}

/// What is done with a metric of any type.
trait Then<R> {
    fn then<M: Metric + Duplicate + 'static>(self, metric: M) -> R;
}

struct Boxed;

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

const TOLERANCE: f64 = 3e-6;

/// The rows of metrics of labels and predictions.
fn rows() -> Vec<(String, Value)> {
    super::numbers::rows("metrics", "class")
}

/// The metric of a row. Options come in the order of the alphabet: `multi_label` before the number of labels, which needs it.
fn made(row: &Value) -> Box<dyn Metric> {
    with(row["class"].as_str().expect("a class"), row["options"].as_object().expect("options"), Boxed)
}

/// A batch of a row: labels and predictions.
fn batch(row: &Value, at: usize) -> (Tensor, Tensor) {
    let batch = &row["batches"][at];
    (tensor(&batch["y_true"]), tensor(&batch["y_pred"]))
}

type Update<'a> = &'a dyn Fn(&Box<dyn Metric>, &Tensor, &Tensor, Option<&Tensor>) -> Result<()>;

/// Takes all batches of all rows in by a way to update, and compares after each.
fn compare(how: &str, update: Update<'_>) {
    for (name, row) in rows() {
        let metric = made(&row);
        let steps = row["batches"].as_array().expect("batches");
        for (at, step) in steps.iter().enumerate() {
            let (y_true, y_pred) = batch(&row, at);
            update(&metric, &y_true, &y_pred, None).unwrap_or_else(|e| panic!("{name}: {e}"));
            near(&format!("{name}, batch {at} {how}"), &metric.result(), &step["result"], TOLERANCE);
        }
        for (kind, steps) in row["weighted"].as_object().expect("weights") {
            metric.reset_state();
            for (at, step) in steps.as_array().expect("batches").iter().enumerate() {
                let (y_true, y_pred) = batch(&row, at);
                let weight = tensor(&step["weight"]);
                update(&metric, &y_true, &y_pred, Some(&weight)).unwrap_or_else(|e| panic!("{name}, {kind}: {e}"));
                near(&format!("{name}, batch {at} with {kind} {how}"), &metric.result(), &step["result"], TOLERANCE);
            }
        }
    }
}

#[test]
fn numbers_of_keras() {
    compare("by single operations", &|metric, y_true, y_pred, weight| metric.try_update_state(y_true, y_pred, weight));
}

/// The same numbers on a GPU.
#[test]
fn numbers_on_a_gpu() {
    eagerflow_tests::child::run_in_turn_on_a_gpu(&["metrics::numbers_of_keras"]);
}

#[tf_function]
fn traced(metric: &Box<dyn Metric>, y_true: &Tensor, y_pred: &Tensor) -> Tensor {
    metric.update_state(y_true, y_pred);
    metric.result()
}

#[tf_function]
fn traced_with_weights(metric: &Box<dyn Metric>, y_true: &Tensor, y_pred: &Tensor, weight: &Tensor) {
    metric.update_state_weighted(y_true, y_pred, weight);
}

#[test]
fn a_graph_gives_what_single_operations_give() {
    compare("in a graph", &|metric, y_true, y_pred, weight| {
        match weight {
            Some(weight) => traced_with_weights(metric, y_true, y_pred, weight),
            None => drop(traced(metric, y_true, y_pred)),
        }
        Ok(())
    });
}

/// As [`traced`], for one test alone, which counts the traces.
#[tf_function]
fn counted(metric: &Box<dyn Metric>, y_true: &Tensor, y_pred: &Tensor) -> Tensor {
    metric.update_state(y_true, y_pred);
    metric.result()
}

/// Batches of other sizes are no reason to trace again and again.
#[test]
fn batches_of_any_size_share_a_trace() {
    let mut seen = BTreeSet::new();
    for (name, row) in rows() {
        // The first axis of these is no batch.
        let axis_0 = row["options"]["axis"] == 0;
        if axis_0 || !seen.insert(row["class"].as_str().expect("a class").to_owned()) {
            continue;
        }
        tf::function(counted).clear();
        let before = tf::function(counted).trace_count();
        let metric = made(&row);
        for at in [0, 1, 2, 0, 2, 1] {
            let (y_true, y_pred) = batch(&row, at);
            counted(&metric, &y_true, &y_pred);
        }
        let count = tf::function(counted).trace_count() - before;
        assert!(count <= 2, "{name}: {count} traces: {:?}", tf::function(counted).reasons());
    }
    assert_eq!(seen.len(), METRICS.len());
}

#[test]
fn means_and_sums_of_values() {
    for (name, row) in file("metrics").as_object().expect("rows") {
        let Some(kind) = row["values_of"].as_str() else { continue };
        let (mean, sum) = (metrics::Mean::new("mean"), metrics::Sum::new("sum"));
        for step in row["steps"].as_array().expect("steps") {
            let (values, weight) = (tensor(&step["values"]), step.get("weight").map(tensor));
            let ours = match kind {
                "Mean" => {
                    mean.try_update_state(&values, weight.as_ref()).unwrap_or_else(|e| panic!("{name}: {e}"));
                    mean.result()
                }
                _ => {
                    sum.try_update_state(&values, weight.as_ref()).unwrap_or_else(|e| panic!("{name}: {e}"));
                    sum.result()
                }
            };
            near(name, &ours, &step["result"], TOLERANCE);
        }
    }
}

struct Copied<'a>(&'a Value);

impl Then<()> for Copied<'_> {
    /// A copy goes on from the state of its original, which stays; forgetting brings back the beginning.
    fn then<M: Metric + Duplicate + 'static>(self, metric: M) {
        let row = self.0;
        let (first, second) = (batch(row, 0), batch(row, 1));
        let update = |m: &M, b: &(Tensor, Tensor)| m.try_update_state(&b.0, &b.1, None).unwrap();
        update(&metric, &first);
        let before = metric.try_result().unwrap();
        let copy = metric.duplicate();
        update(&copy, &second);
        near("the copy", &copy.try_result().unwrap(), &row["batches"][1]["result"], TOLERANCE);
        let same = |a: &Tensor, b: &Tensor| {
            a.to_vec::<f32>().iter().map(|x| x.to_bits()).eq(b.to_vec::<f32>().iter().map(|x| x.to_bits()))
        };
        assert!(same(&before, &metric.try_result().unwrap()), "{}", metric.name());
        metric.reset_state();
        update(&metric, &first);
        assert!(same(&before, &metric.try_result().unwrap()), "{}", metric.name());
        assert!(metric.trainable_variables().is_empty() && !metric.variables().is_empty(), "{}", metric.name());
    }
}

#[test]
fn copies_go_their_own_ways() {
    for (_, row) in rows() {
        with(row["class"].as_str().expect("a class"), row["options"].as_object().expect("options"), Copied(&row));
    }
}

/// A metric that is restored goes on as the one that was saved, also where its variables are made with the first batch.
#[test]
fn checkpoints_hold_the_state() {
    let folder = std::env::temp_dir().join(format!("eagerflow-keras-metrics-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut seen = BTreeSet::new();
    for (name, row) in rows() {
        if !seen.insert(row["class"].as_str().expect("a class").to_owned()) {
            continue;
        }
        let path = folder.join(format!("{}", seen.len()));
        let (saved, restored) = (made(&row), made(&row));
        let (first, second) = (batch(&row, 0), batch(&row, 1));
        saved.update_state(&first.0, &first.1);
        tf::train::Checkpoint::new().with("metric", &saved).write(&path).unwrap();
        tf::train::Checkpoint::new().with("metric", &restored).read(&path).unwrap();
        restored.update_state(&second.0, &second.1);
        near(&name, &restored.result(), &row["batches"][1]["result"], TOLERANCE);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn every_metric_and_every_option_has_a_row() {
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, row) in rows() {
        let options = row["options"].as_object().expect("options").keys().cloned();
        used.entry(row["class"].as_str().expect("a class").to_owned()).or_default().extend(options);
    }
    let others = ["Average", "ClassAggregation", "Curve", "IntoThresholds", "Metric", "SummationMethod"];
    // Those of values are above, the one of a function below.
    let elsewhere = ["Mean", "Sum", "MeanMetricWrapper"];
    for class in public("metrics", |name| name.starts_with(char::is_uppercase)) {
        let known = others.contains(&class.as_str()) || elsewhere.contains(&class.as_str());
        assert!(known || used.contains_key(&class), "no row for {class}");
    }
    for (class, options) in METRICS {
        for option in *options {
            assert!(used[*class].contains(*option), "no row of {class} with {option}");
        }
    }
}

#[test]
fn functions_of_the_users_own() {
    let far = metrics::MeanMetricWrapper::new("far", |a: &Tensor, b: &Tensor| (a - b).abs());
    far.update_state(tf::constant([0.0, 0.0]), tf::constant([1.0, 3.0]));
    assert_eq!((far.result().item::<f32>(), Metric::name(&far)), (2.0, "far"));
    let boxed: Box<dyn Metric> = Box::new(far.duplicate());
    far.reset();
    assert_eq!(traced(&boxed, &tf::constant([0.0, 0.0]), &tf::constant([5.0, 7.0])).item::<f32>(), 4.0);
    let other: Box<dyn Metric> =
        Box::new(metrics::MeanMetricWrapper::new("near", |a: &Tensor, b: &Tensor| a.try_add(b)));
    assert_eq!(traced(&other, &tf::constant([1.0, 2.0]), &tf::constant([5.0, 7.0])).item::<f32>(), 7.5);
    assert_eq!(metrics::Accuracy::new().call(tf::constant([1, 2]), tf::constant([1, 3])).item::<f32>(), 0.5);
    assert_eq!(metrics::Mean::new("m").call(tf::constant([1.0, 2.0])).item::<f32>(), 1.5);
}

/// What Keras has no numbers for, or other ones: empty batches, predictions that are no numbers, labels of all ones.
#[test]
fn edges() {
    let (none, rows) = (tf::zeros([0]), tf::zeros([0, 3]));
    let empty: [(&dyn Metric, &Tensor, f32); 5] = [
        (&metrics::MeanSquaredError::new(), &rows, 0.0),
        (&metrics::BinaryAccuracy::new(), &rows, 0.0),
        (&metrics::Precision::new(), &none, 0.0),
        (&metrics::AUC::new(), &none, 0.0),
        (&metrics::MeanIoU::new(2), &none, 0.0),
    ];
    for (metric, x, result) in empty {
        metric.try_update_state(x, x, None).unwrap();
        assert_eq!(metric.try_result().unwrap().item::<f32>(), result, "{}", metric.name());
    }
    let odd = tf::constant([f32::NAN, 0.9, 0.1]);
    for thresholds in [vec![0.5], vec![0.2, 0.7], vec![0.0, 0.25, 0.5, 0.75, 1.0]] {
        let found = metrics::TruePositives::new().thresholds(thresholds.clone());
        let missed = metrics::FalseNegatives::new().thresholds(thresholds);
        for metric in [&found as &dyn Metric, &missed] {
            metric.try_update_state(&tf::ones([3]), &odd, None).unwrap();
        }
        let sums = found.result() + missed.result();
        assert!(sums.to_vec::<f32>().iter().all(|&n| n == 3.0), "what is no number is above no threshold");
    }
    let mean = metrics::Mean::new("mean");
    mean.update_state(tf::constant([1.0, f32::NAN]));
    assert!(mean.result().item::<f32>().is_nan());
    // Long sums lose nothing.
    let count = metrics::TruePositives::new();
    count.update_state_weighted(tf::ones([2]), tf::ones([2]), tf::constant([16_777_216.0, 1.0]));
    count.update_state_weighted(tf::ones([1]), tf::ones([1]), tf::constant([3.0]));
    assert_eq!(count.result().item::<f32>(), 16_777_220.0);
}

/// The message of what is refused, which is the panic's, too.
#[track_caller]
fn refused(what: Result<impl std::fmt::Debug>, words: &[&str]) {
    let message = what.expect_err("it is refused").to_string();
    for word in words {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
    assert!(message.contains("keras/metrics.rs"), "the line is the user's: {message}");
}

#[test]
fn mistakes_are_explained() {
    let (two, three, rows) = (tf::ones([2]), tf::ones([3]), tf::ones([3, 4]));
    refused(metrics::Accuracy::new().try_update(&two, &three), &["labels [2], predictions [3]"]);
    refused(metrics::CategoricalAccuracy::new().try_update(tf::constant([0, 1, 2]), &rows), &["Sparse", "one_hot"]);
    refused(metrics::SparseCategoricalAccuracy::new().try_update(&rows, &rows), &["labels [3, 4]", "without `Sparse`"]);
    refused(metrics::Precision::new().try_thresholds([0.5, 1.5]), &["`thresholds`", "[0.5, 1.5]", "from 0 to 1"]);
    refused(metrics::Precision::new().try_thresholds(vec![]), &["`thresholds`", "at least one"]);
    refused(metrics::Recall::new().class_id(4).try_update(&rows, &rows), &["class 4 of predictions [3, 4]"]);
    refused(metrics::Recall::new().class_id(0).try_update(&three, &three), &["[batch, classes]"]);
    refused(metrics::Recall::new().try_top_k(0), &["`top_k`", "at least 1"]);
    refused(
        metrics::TruePositives::new().try_update_state(&three, &three, Some(&two)),
        &["weights [2], predictions [3]", "one weight per example"],
    );
    refused(metrics::Mean::new("m").try_update_state(&three, Some(&two)), &["weights [2], values [3]"]);
    refused(metrics::MeanSquaredError::new().try_update_state(&rows, &rows, Some(&two)), &["weights [2], values [3]"]);
    refused(metrics::PrecisionAtRecall::try_new(1.2), &["`recall`", "1.2", "from 0 to 1"]);
    refused(metrics::AUC::new().try_num_thresholds(1), &["`num_thresholds`", "at least 2"]);
    refused(metrics::AUC::new().try_num_labels(3), &["`multi_label(true)`"]);
    let many = metrics::AUC::new().multi_label(true);
    refused(many.try_result(), &["no batch yet", "`num_labels`"]);
    refused(many.try_update(&three, &three), &["[batch, labels]"]);
    many.update_state(&rows, &rows);
    refused(many.try_update(tf::ones([3, 2]), tf::ones([3, 2])), &["another number of labels"]);
    refused(metrics::F1Score::new().try_result(), &["no batch yet"]);
    refused(metrics::F1Score::new().try_update(&three, &three), &["[batch, classes]"]);
    refused(metrics::F1Score::new().try_update_state(&rows, &rows, Some(&rows)), &["one weight per example"]);
    refused(metrics::FBetaScore::new().try_beta(0.0), &["`beta`", "above 0"]);
    refused(metrics::FBetaScore::new().try_threshold(0.0), &["`threshold`", "above 0, up to 1"]);
    refused(metrics::IoU::try_new(2, [2]), &["`target_class_ids`", "[2]", "not, 2"]);
    refused(metrics::MeanIoU::try_new(0), &["`num_classes`", "at least 1"]);
    refused(
        metrics::MeanIoU::new(4).try_update(&three, &rows),
        &["labels [3], predictions [3, 4]", "sparse_y_pred(false)"],
    );
    refused(metrics::R2Score::new().try_update(&three, &three), &["[batch, outputs]"]);
    refused(metrics::try_get("acuracy"), &["no metric of this name", "`accuracy`"]);
}

#[test]
fn names_find_metrics() {
    for (name, class) in [("accuracy", "accuracy"), ("MSE", "mean_squared_error"), ("AUC", "auc"), ("mean", "mean")] {
        assert_eq!(metrics::get(name).name(), class);
    }
    for (class, options) in METRICS {
        // Those that need a number have no name alone.
        let needs = ["num_classes", "recall", "precision", "specificity", "sensitivity"];
        assert_eq!(metrics::try_get(class).is_ok(), !options.iter().any(|o| needs.contains(o)), "{class}");
    }
}
