//! Every loss of Keras, its options changed one after the other: per example, reduced, weighted, masked, and its gradient, each also
//! within a traced function. A loss or an option without a row in `keras_losses.json` fails.

use super::numbers::{file, near, number, rows, tensor};
use eagerflow as tf;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tf::losses::{self, FromLogits, Loss, Reduction};
use tf::{GradientTape, Result, Tensor, tf_function};

type Options = serde_json::Map<String, Value>;

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
        fn made(class: &str, options: &Options) -> Box<dyn Loss> {
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

        const LOSSES: &[(&str, &[&str])] = &[$((stringify!($name), &[$($option),*])),*];
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
fn called(name: &str, y_true: &Tensor, y_pred: &Tensor, options: &Options) -> Tensor {
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
fn traced(loss: &Box<dyn Loss>, y_true: &Tensor, y_pred: &Tensor) -> (Tensor, Tensor, Tensor) {
    let mut tape = GradientTape::new();
    tape.watch(y_pred);
    let reduced = loss.call(y_true, y_pred);
    let slope = tape.gradient(&reduced, y_pred);
    (reduced, slope, loss.per_example(y_true, y_pred).unwrap())
}

#[tf_function]
fn traced_with_weights(
    loss: &Box<dyn Loss>,
    y_true: &Tensor,
    y_pred: &Tensor,
    weight: &Tensor,
    mask: &Tensor,
) -> Tensor {
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
fn of_any_batch(loss: &Box<dyn Loss>, y_true: &Tensor, y_pred: &Tensor) -> Tensor {
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

/// The names that a module of the library exports, as its `mod.rs` lists them.
pub fn public(module: &str, wanted: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let path = format!("{}/../core/src/{module}/mod.rs", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut found = BTreeSet::new();
    for part in text.split("\npub use ").skip(1) {
        let list = &part[..part.find(';').expect("an end")];
        // Second names are of what has a row under the first.
        let names = list.split(['{', '}', ',', ':']).map(str::trim).filter(|name| !name.contains(' '));
        let path = list.split("::").next().unwrap_or_default();
        found.extend(names.filter(|name| !name.is_empty() && *name != path && wanted(name)).map(str::to_owned));
    }
    assert!(found.len() > 20, "{found:?}");
    found
}

/// The structs that a macro declares in a module of the library, with their options.
pub fn declared(module: &str, macro_: &str) -> Vec<(String, Vec<String>)> {
    let folder = format!("{}/../core/src/{module}", env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for file in std::fs::read_dir(&folder).expect("the folder") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("a text");
        for part in text.split(&format!("\n{macro_}")).skip(1) {
            let Some(at) = part.find("pub struct ") else { continue };
            let rest = &part[at + "pub struct ".len()..];
            let name = rest[..rest.find('(').expect("a name")].to_owned();
            let options = &rest[rest.find('{').expect("options") + 1..rest.find('}').expect("an end")];
            let options = options.split(',').filter_map(|option| Some(option.split_once(':')?.0.trim().to_owned()));
            found.push((name, options.collect()));
        }
    }
    assert!(!found.is_empty());
    found
}

/// The message of what is refused, which is the panic's, too.
#[track_caller]
fn refused(what: Result<impl std::fmt::Debug>, words: &[&str]) {
    let message = what.expect_err("it is refused").to_string();
    for word in words {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
    assert!(message.contains("losses.rs"), "the line is the user's: {message}");
}

#[test]
fn mistakes_are_explained() {
    let (three, wide, rows) = (tf::ones([3]), tf::ones([3, 2]), tf::ones([3, 4]));
    refused(losses::try_mean_squared_error(&three, &wide), &["labels [3], predictions [3, 2]", "expand_dims"]);
    refused(losses::MeanSquaredError::new().try_call(&wide, &rows, None), &["labels [3, 2], predictions [3, 4]"]);
    let classes = tf::constant([0, 1, 2]);
    refused(
        losses::CategoricalCrossentropy::new().try_call(&classes, &rows, None),
        &["labels [3], predictions [3, 4]", "Sparse", "one_hot"],
    );
    refused(
        losses::SparseCategoricalCrossentropy::new().try_call(&rows, &rows, None),
        &["labels [3, 4], predictions [3, 4]", "without `Sparse`"],
    );
    let logits = losses::SparseCategoricalCrossentropy::new().from_logits(true);
    refused(logits.try_call(tf::constant([0, 4, 1]), &rows, None), &["0..4"]);
    refused(logits.try_call(tf::constant([true, false, true]), &rows, None), &["bool[3]", "integers from 0"]);
    refused(losses::try_hinge(&classes, &classes), &["int32[3]", "cast"]);
    let text = tf::constant(["a", "b", "c"]);
    refused(losses::Poisson::new().try_call(text, &three, None), &["string[3]", "truth values"]);
    refused(
        losses::MeanSquaredError::new().try_call(&wide, &wide, Some(&tf::ones([2]))),
        &["[2] for losses [3]", "one weight per loss"],
    );
    let deep = tf::ones([3, 2, 5]);
    refused(
        losses::MeanSquaredError::new().try_call(&deep, &deep, Some(&three)),
        &["[3] for losses [3, 2]", "expand_dims"],
    );
    refused(losses::Huber::new().try_delta(-1.0), &["`delta`", "-1", "at least 0"]);
    refused(losses::BinaryCrossentropy::new().try_label_smoothing(1.5), &["`label_smoothing`", "1.5", "from 0 to 1"]);
    refused(losses::CategoricalGeneralizedCrossEntropy::new().try_q(1.0), &["`q`", "between, and not, 0 and 1"]);
    refused(losses::MeanSquaredError::new().try_dtype(tf::DType::I32), &["`dtype`", "int32", "floating-point"]);
    refused(losses::CTC::new().try_call(&three, &deep, None), &["int[batch, length]", "float[batch, frames, classes]"]);
    refused(losses::Circle::new().try_call(&classes, &three, None), &["float[batch, features]"]);
    refused(losses::try_get("mean_square_error"), &["no loss of this name", "`mean_squared_error`"]);
    refused(losses::try_get("accuracy"), &["`accuracy`", "tf::losses"]);
    refused(losses::CategoricalGeneralizedCrossEntropy::new().try_call(tf::constant([0, 9, 1]), &rows, None), &["9"]);
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
