//! Every loss of Keras, its options changed one after the other: per example, reduced, weighted, masked, and its gradient, each also
//! within a traced function. A loss or an option without a row in `keras_losses.json` fails.

use super::declared::{declared, public};
use super::made_losses::{LOSSES, Options, called, made};
use super::numbers::{file, near, rows, tensor};
use eagerflow as tf;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tf::losses::{self, Loss, Reduction};
use tf::{GradientTape, Result, Tensor, tf_function};

/// One of any type, as a traced function takes it.
type Held = Box<dyn Loss>;

const TOLERANCE: f64 = 2e-6;

/// What a row says of its loss, by name.
type Numbers = BTreeMap<&'static str, Tensor>;

/// All that a row asks, of one loss.
fn asked(loss: &dyn Loss, row: &Value, y_true: &Tensor, y_pred: &Tensor) -> Result<Numbers> {
    let mut all = Numbers::new();
    let given = |name: &str| row.get(name).map(tensor);
    let mut tape = GradientTape::new();
    tape.watch(y_pred);
    let reduced = loss.try_compute(y_true, y_pred, None, None)?;
    all.insert("slope", tape.gradient(&reduced, y_pred));
    all.insert("loss", reduced);
    all.insert("each", loss.per_example(y_true, y_pred)?);
    if let (Some(weight), Some(mask)) = (given("weight"), given("mask")) {
        all.insert("weighted", loss.try_compute(y_true, y_pred, Some(&weight), None)?);
        all.insert("masked", loss.try_compute(y_true, y_pred, None, Some(&mask))?);
        all.insert("both", loss.try_compute(y_true, y_pred, Some(&weight), Some(&mask))?);
    }
    if let Some(narrow) = given("narrow") {
        all.insert("narrowly", loss.try_compute(y_true, y_pred, Some(&narrow), None)?);
    }
    Ok(all)
}

#[test]
fn numbers_of_keras() {
    for (name, row) in rows("losses", "class") {
        let class = row["class"].as_str().expect("a class");
        let (y_true, y_pred) = (tensor(&row["y_true"]), tensor(&row["y_pred"]));
        let loss = made(class, row["options"].as_object().expect("options"));
        let ours = asked(&*loss, &row, &y_true, &y_pred).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (what, value) in &ours {
            // The gradient is one of larger numbers, where probabilities are small.
            let tolerance = if *what == "slope" { 5e-6 } else { TOLERANCE };
            near(&format!("{name}, {what}"), value, &row[*what], tolerance);
        }
    }
}

#[test]
fn functions_of_keras() {
    let mut seen = BTreeSet::new();
    for (name, row) in rows("losses", "function") {
        let function = row["function"].as_str().expect("a function");
        let options = row["options"].as_object().expect("options");
        let ours = called(function, &tensor(&row["y_true"]), &tensor(&row["y_pred"]), options);
        near(&name, &ours, &row["each"], TOLERANCE);
        seen.insert(function.to_owned());
    }
    let public = public("losses", |name| name.starts_with(char::is_lowercase) && !name.starts_with("try_"));
    let helpers = ["from_fn", "get"].map(str::to_owned);
    let missing: Vec<_> = public.iter().filter(|name| !seen.contains(*name) && !helpers.contains(name)).collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
}

#[test]
fn references_of_the_circle_loss() {
    for remove in [true, false] {
        let row = &file("losses")[format!("references {}", if remove { "True" } else { "False" })];
        let at = |name: &str| tensor(&row[name]);
        let loss = losses::Circle::new().remove_diagonal(remove);
        let ours = loss.try_against(&at("y_true"), &at("y_pred"), &at("ref_labels"), &at("ref_embeddings")).unwrap();
        near("references", &ours, &row["each"], TOLERANCE);
    }
}

/// The loss, its gradient, and the losses of the examples, in a graph.
#[tf_function]
fn traced(loss: &Held, y_true: &Tensor, y_pred: &Tensor) -> (Tensor, Tensor, Tensor) {
    let mut tape = GradientTape::new();
    tape.watch(y_pred);
    let reduced = loss.call(y_true, y_pred);
    let slope = tape.gradient(&reduced, y_pred);
    (reduced, slope, loss.per_example(y_true, y_pred).unwrap())
}

#[tf_function]
fn traced_with_weights(loss: &Held, y_true: &Tensor, y_pred: &Tensor, weight: &Tensor, mask: &Tensor) -> Tensor {
    loss.try_compute(y_true, y_pred, Some(weight), Some(mask)).unwrap()
}

#[test]
fn a_graph_gives_what_single_operations_give() {
    for (name, row) in rows("losses", "class") {
        let class = row["class"].as_str().expect("a class");
        let (y_true, y_pred) = (tensor(&row["y_true"]), tensor(&row["y_pred"]));
        let loss = made(class, row["options"].as_object().expect("options"));
        let ours = traced(&loss, &y_true, &y_pred);
        near(&format!("{name}, loss in a graph"), &ours.0, &row["loss"], TOLERANCE);
        near(&format!("{name}, slope in a graph"), &ours.1, &row["slope"], 5e-6);
        near(&format!("{name}, each in a graph"), &ours.2, &row["each"], TOLERANCE);
        if let Some(both) = row.get("both") {
            let ours = traced_with_weights(&loss, &y_true, &y_pred, &tensor(&row["weight"]), &tensor(&row["mask"]));
            near(&format!("{name}, weighted and masked in a graph"), &ours, both, TOLERANCE);
        }
    }
}

#[tf_function]
fn of_any_batch(loss: &Held, y_true: &Tensor, y_pred: &Tensor) -> Tensor {
    loss.call(y_true, y_pred)
}

/// A batch of another size is no reason to trace again and again, and an empty one has the loss 0.
#[test]
fn batches_of_any_size() {
    let loss: Box<dyn Loss> = Box::new(losses::SparseCategoricalCrossentropy::new().from_logits(true).ignore_class(-1));
    for size in [4, 3, 5, 7, 2, 9] {
        let (y_true, y_pred) = (tf::cast(tf::ones([size]), tf::DType::I32), tf::ones([size, 3]));
        let value = of_any_batch(&loss, &y_true, &y_pred);
        assert!((value.item::<f32>() - 3f32.ln()).abs() < 1e-6);
    }
    assert!(tf::function(of_any_batch).trace_count() <= 2, "{:?}", tf::function(of_any_batch).reasons());
    for class in ["MeanSquaredError", "Hinge", "BinaryCrossentropy", "CategoricalCrossentropy", "KLDivergence"] {
        let loss = made(class, &Options::new());
        let none = tf::zeros([0, 3]);
        for value in [loss.call(&none, &none), of_any_batch(&loss, &none, &none)] {
            assert_eq!(value.item::<f32>(), 0.0, "{class}");
        }
        assert_eq!(loss.per_example(&none, &none).unwrap().shape(), [0], "{class}");
    }
}

/// A function of the user's counts as itself in traces; pointers to losses are losses.
#[test]
fn functions_of_the_users_own() {
    let twice: Box<dyn Loss> = Box::new(losses::from_fn("twice", |a: &Tensor, b: &Tensor| (a - b) * 2.0));
    let fails = losses::from_fn("fails", |a: &Tensor, b: &Tensor| a.try_add(b)).reduction(Reduction::Sum);
    let (a, b) = (tf::constant([3.0, 5.0]), tf::constant([1.0, 1.0]));
    assert_eq!(of_any_batch(&twice, &a, &b).item::<f32>(), 6.0);
    let held = 3.0;
    let thrice: Box<dyn Loss> = Box::new(losses::from_fn("thrice", move |a: &Tensor, b: &Tensor| (a - b) * held));
    assert_eq!(of_any_batch(&thrice, &a, &b).item::<f32>(), 9.0);
    assert_eq!(fails.call(&a, &b).item::<f32>(), 10.0);
    assert!(fails.try_compute(&a, &tf::ones([3]), None, None).is_err());
    let shared: std::sync::Arc<dyn Loss> = std::sync::Arc::new(losses::Huber::new());
    assert_eq!(Loss::name(&shared), "huber_loss");
}

/// Objects compute in `float32` at least, or in the dtype that they are given; functions in that of the predictions.
#[test]
fn dtypes_of_predictions() {
    for dtype in [tf::DType::F16, tf::DType::BF16, tf::DType::F32, tf::DType::F64] {
        let (y_true, y_pred) =
            (tf::constant([[1, 0], [0, 1]]), tf::cast(tf::constant([[0.25, 0.75], [0.5, 0.5]]), dtype));
        for class in
            ["MeanSquaredError", "CategoricalCrossentropy", "Hinge", "Dice", "KLDivergence", "CosineSimilarity"]
        {
            let loss = made(class, &Options::new()).call(&y_true, &y_pred);
            let wide = if dtype == tf::DType::F64 { dtype } else { tf::DType::F32 };
            assert_eq!(loss.dtype(), wide, "{class}");
            let right = made(class, &Options::new()).call(&y_true, tf::cast(&y_pred, tf::DType::F64));
            let (a, b) = (tf::cast(loss, tf::DType::F64).item::<f64>(), right.item::<f64>());
            assert!((a - b).abs() < 1e-6, "{class} of {dtype}: {a}, {b}");
        }
        assert_eq!(losses::mean_squared_error(&y_true, &y_pred).dtype(), dtype);
        let narrow = losses::MeanSquaredError::new().dtype(tf::DType::F16);
        assert_eq!(narrow.call(&y_true, &y_pred).dtype(), tf::DType::F16);
    }
}

/// The gradient stays finite where a row has no pair, where vectors are zero, and where probabilities are certain.
#[test]
fn gradients_stay_finite() {
    let slope = |loss: &dyn Loss, y_true: Tensor, y_pred: Tensor| {
        let mut tape = GradientTape::new();
        tape.watch(&y_pred);
        tape.gradient(&loss.call(&y_true, &y_pred), &y_pred).to_vec::<f32>()
    };
    let rows = tf::constant([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]);
    let sure = tf::constant([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]);
    let all = [
        slope(&losses::Circle::new(), tf::constant([0, 1, 2]), rows.clone()),
        slope(&losses::Circle::new(), tf::constant([0, 0, 0]), rows.clone()),
        slope(&losses::CosineSimilarity::new(), rows.clone(), tf::zeros([3, 2])),
        slope(&losses::BinaryCrossentropy::new(), rows.clone(), sure.clone()),
        slope(&losses::CategoricalCrossentropy::new(), rows.clone(), sure.clone()),
        slope(&losses::BinaryFocalCrossentropy::new().from_logits(true), rows.clone(), &sure * 1000.0),
    ];
    for (i, slope) in all.iter().enumerate() {
        assert!(slope.iter().all(|x| x.is_finite()), "{i}: {slope:?}");
    }
}

/// The same numbers on a GPU.
#[test]
fn numbers_on_a_gpu() {
    eagerflow_tests::child::run_in_turn_on_a_gpu(&["losses::numbers_of_keras"]);
}

#[test]
fn every_loss_and_every_option_has_a_row() {
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, row) in rows("losses", "class") {
        if let Some(class) = row["class"].as_str() {
            used.entry(class.to_owned())
                .or_default()
                .extend(row["options"].as_object().expect("options").keys().cloned());
        }
    }
    let others = ["FromFn", "FromLogits", "Loss", "LossValue", "Reduction"].map(str::to_owned);
    for class in public("losses", |name| name.starts_with(char::is_uppercase)) {
        assert!(others.contains(&class) || used.contains_key(&class), "no row for {class}");
    }
    for (class, options) in LOSSES {
        for option in *options {
            assert!(used[*class].contains(*option), "no row of {class} with {option}");
        }
    }
    // What the sources declare is what is asked for here.
    for (class, declared) in declared("losses", "loss! {") {
        let known =
            LOSSES.iter().find(|(name, _)| *name == class).unwrap_or_else(|| panic!("{class} is not made here"));
        for option in declared {
            assert!(known.1.contains(&option.as_str()), "{class}: the option {option} is not set here");
        }
    }
}

#[test]
fn names_find_losses() {
    for (name, class) in [("mse", "mean_squared_error"), ("MAE", "mean_absolute_error"), ("kld", "kl_divergence")] {
        assert_eq!(losses::get(name).name(), class);
    }
    for (class, _) in LOSSES {
        let by_class = losses::get(class);
        assert_eq!(made(class, &Options::new()).name(), by_class.name());
    }
    for function in public("losses", |name| name.starts_with(char::is_lowercase) && !name.starts_with("try_")) {
        if !["from_fn", "get"].contains(&function.as_str()) {
            losses::get(&function);
        }
    }
}
