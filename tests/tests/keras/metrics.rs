//! Every metric of Keras over several batches, its options changed one after the other, with weights and without, each also within
//! a traced function. A metric or an option without a row in `keras_metrics.json` fails.

use super::declared::public;
use super::made_metrics::{Boxed, METRICS, Then, with};
use super::numbers::{file, near, tensor};
use eagerflow as tf;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tf::metrics::{self, Metric};
use tf::{Duplicate, Result, Tensor, tf_function};

/// One of any type, as a traced function takes it.
type Held = Box<dyn Metric>;

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

type Update<'a> = &'a dyn Fn(&Held, &Tensor, &Tensor, Option<&Tensor>) -> Result<()>;

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
fn traced(metric: &Held, y_true: &Tensor, y_pred: &Tensor) -> Tensor {
    metric.update_state(y_true, y_pred);
    metric.result()
}

#[tf_function]
fn traced_with_weights(metric: &Held, y_true: &Tensor, y_pred: &Tensor, weight: &Tensor) {
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
fn counted(metric: &Held, y_true: &Tensor, y_pred: &Tensor) -> Tensor {
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
    let others = ["Average", "ClassAggregation", "Curve", "Direction", "IntoThresholds", "Metric", "SummationMethod"];
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
