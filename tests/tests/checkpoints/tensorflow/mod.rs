//! Checkpoints of real TensorFlow and Keras restore here, and theirs are made of ours: files in `tests/golden/checkpoints` that
//! `tests/python/checkpoints.py` made, and both directions anew where `EAGERFLOW_PYTHON` names a Python with TensorFlow.

mod programs;

use super::Directory;
use eagerflow as tf;
use programs::{Program, Values};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use tf::data::Dataset;
use tf::layers::Dense;
use tf::train::{Checkpoint, latest_checkpoint, load_checkpoint};
use tf::{Module, Variable};

/// The programs that both languages save and restore, and those that only TensorFlow saves whole.
const BOTH: [&str; 9] =
    ["subclass", "plain", "convolutions", "sequential", "functional", "shared", "modules", "containers", "pipelines"];
const OLDER: [&str; 4] = ["keras_2_adam", "keras_2_sgd", "keras_2_sequential", "keras_2_functional"];

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/checkpoints")
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("python/checkpoints.py")
}

/// What `values.json` has for the programs.
fn expected(directory: &Path) -> Value {
    let text = std::fs::read_to_string(directory.join("values.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["programs"].take()
}

fn values(expected: &Value, name: &str, when: &str) -> Values {
    serde_json::from_value(expected[name][when].clone()).unwrap()
}

/// The values that there are are those; `all` says that none may be missing.
#[track_caller]
fn compare(what: &str, program: &Program, expected: &Values, all: bool, tolerance: f64) {
    // Keras's files have no states of random numbers.
    let got = program.values().into_iter().filter(|(name, _)| !name.ends_with("seed_generator"));
    let got: Values = got.collect();
    if all {
        let (got, expected): (Vec<_>, Vec<_>) = (got.keys().collect(), expected.keys().collect());
        assert_eq!(got, expected, "{what}");
    }
    for (name, numbers) in &got {
        let wanted = expected.get(name).unwrap_or_else(|| panic!("{what}: {name} is not expected"));
        let close = |(a, b): (&serde_json::Number, &serde_json::Number)| match (a.as_f64(), b.as_f64()) {
            (Some(x), Some(y)) if tolerance > 0.0 && a.is_f64() => (x - y).abs() <= tolerance * (1.0 + y.abs()),
            _ => a == b,
        };
        let same = numbers.len() == wanted.len() && numbers.iter().zip(wanted).all(close);
        assert!(same, "{what}: {name} is {numbers:?}, not {wanted:?}");
    }
}

/// Restores a program, whose variables are there or are made later, and goes on.
fn restored(name: &str, directory: &Path, expected: &Value, built: bool) {
    let what = format!("{name}, {}", if built { "built" } else { "not built" });
    let (before, after) = (values(expected, name, "before"), values(expected, name, "after"));
    let program = Program::named(name);
    if built {
        program.build();
        program.step();
    }
    let checkpoint = program.checkpoint();
    let status = checkpoint.restore(directory.join(format!("{name}-1"))).unwrap_or_else(|e| panic!("{what}: {e}"));
    program.build();
    // Slots that are not made yet are made by the step.
    compare(&what, &program, &before, built, 0.0);
    status.assert_existing_objects_matched();
    program.step();
    compare(&format!("{what}, one step later"), &program, &after, true, 1e-5);
    status.assert_consumed();
}

fn all_restored(directory: &Path) {
    let expected = expected(directory);
    for name in BOTH.iter().chain(OLDER.iter().filter(|name| expected.get(name).is_some())) {
        [true, false].into_iter().for_each(|built| restored(name, directory, &expected, built));
    }
}

#[test]
fn checkpoints_of_tensorflow_restore_and_training_goes_on() {
    all_restored(&golden());
}

#[test]
fn the_newest_checkpoint_of_a_directory_of_tensorflows_is_found() {
    assert_eq!(latest_checkpoint(golden()).unwrap(), Some(golden().join("keras_2_functional-1")));
}

#[test]
fn slots_of_keras_belong_to_their_variables_whatever_the_order() {
    let after = values(&expected(&golden()), "subclass", "after");
    for early in [true, false] {
        let program = Program::named("subclass, output first");
        if early {
            program.build();
            program.step();
        }
        let checkpoint = program.checkpoint();
        let status = checkpoint.restore(golden().join("subclass-1")).unwrap();
        program.build();
        program.step();
        status.assert_consumed();
        let got = program.values();
        // The kernel of the output has four slots before it in the file, and none here.
        assert_eq!(got["optimizer/slots/0/m"].len(), after["optimizer/slots/2/m"].len());
        for (name, numbers) in after.iter().filter(|(name, _)| name.starts_with("model/")) {
            for (a, b) in got[name].iter().zip(numbers) {
                assert!((a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-5, "{name}: {a}, not {b}");
            }
        }
    }
}

#[test]
fn a_keras_model_restores_into_fields_that_say_where_they_were() {
    #[derive(Module)]
    struct Net {
        #[module(renamed_from = "_functional/_operations/1")]
        hidden: Dense,
        #[module(renamed_from = "_functional/_operations/3")]
        head: Dense,
    }
    let net = Net { hidden: Dense::new(4).activation("tanh"), head: Dense::new(1) };
    let checkpoint = Checkpoint::new().with("model", &net);
    let status = checkpoint.restore(golden().join("sequential-1")).unwrap();
    net.head.call(net.hidden.call(tf::ones([1, 3])));
    status.expect_partial().assert_existing_objects_matched();
    let expected = values(&expected(&golden()), "sequential", "before");
    let kernel: Vec<f64> = expected["model/2/kernel"].iter().filter_map(serde_json::Number::as_f64).collect();
    assert_eq!(net.head.kernel().unwrap().value().cast(tf::DType::F64).to_vec::<f64>(), kernel);
    // What is left is the optimizer's.
    let text = status.try_assert_consumed().unwrap_err().to_string();
    assert!(text.contains("`optimizer/_iterations`") && !text.contains("`model"), "{text}");
}

#[test]
fn optimizers_of_tensorflow_1_give_the_slots_that_mean_the_same() {
    let expected = expected(&golden());
    let (before, after) = (values(&expected, "older_adam", "before"), values(&expected, "older_adam", "after"));
    // It has no steps and no rate; the steps follow from the powers of its betas, which are not looked at.
    let program = Program::named("older_adam");
    let checkpoint = program.checkpoint();
    let status = checkpoint.restore(golden().join("older_adam-1")).unwrap();
    let text = status.try_assert_existing_objects_matched().unwrap_err().to_string();
    assert!(text.contains("`optimizer/iterations`") && text.contains("`optimizer/learning_rate`"), "{text}");
    let own: Values = program.values().into_iter().filter(|(name, _)| before.contains_key(name)).collect();
    assert_eq!(own, before.iter().filter(|(n, _)| own.contains_key(*n)).map(|(n, v)| (n.clone(), v.clone())).collect());
    let variables = program.parts[0].1.variables();
    variables[0].assign(tf::Tensor::from(2i64));
    program.step();
    let got = program.values();
    for (name, numbers) in &after {
        for (a, b) in got[name].iter().zip(numbers) {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{name}: {a}, not {b}");
        }
    }

    // Its momentum is a sum of gradients, that of `SGD` one of steps: to take it would be wrong.
    let program = Program::named("older_momentum");
    program.step();
    let checkpoint = program.checkpoint();
    let status = checkpoint.restore(golden().join("older_momentum-1")).unwrap();
    let text = status.expect_partial().try_assert_existing_objects_matched().unwrap_err().to_string();
    assert!(text.contains("`optimizer/slots/0/momentum`"), "{text}");
}

#[test]
fn names_of_tensorflow_1_are_read_one_by_one() {
    let path = golden().join("names");
    let reader = load_checkpoint(&path).unwrap();
    assert_eq!(reader.names().collect::<Vec<_>>(), ["layer/kernel", "rows", "step"]);
    assert_eq!(reader.shape_of("rows"), Some(vec![5, 2]));
    let expected = values(&expected(&golden()), "names", "before");
    for (name, numbers) in &expected {
        let got = reader.get_tensor(name).unwrap().cast(tf::DType::F64).to_vec::<f64>();
        assert_eq!(got, numbers.iter().filter_map(serde_json::Number::as_f64).collect::<Vec<_>>(), "{name}");
    }
    let v = Variable::new(0.0);
    let error = Checkpoint::new().with("v", &v).restore(&path).unwrap_err();
    assert!(
        matches!(error, tf::Error::FailedPrecondition(_)) && error.to_string().contains("load_checkpoint"),
        "{error}"
    );
}

#[test]
fn an_iterator_of_tensorflow_is_no_iterator_here_and_that_is_told() {
    let v = Variable::new([0.0, 0.0]);
    let iterator = Dataset::from_tensor_slices(tf::zeros([5])).iter();
    let checkpoint = Checkpoint::new().with("v", &v).with("iterator", &iterator);
    let status = checkpoint.restore(golden().join("pipelines-1")).unwrap();
    let text = status.expect_partial().try_assert_existing_objects_matched().unwrap_err().to_string();
    assert!(text.contains("`iterator`") && !text.contains("`v`"), "{text}");
    assert_eq!(v.value().to_vec::<f32>(), [1.0, 2.0]);
}

#[test]
fn the_same_objects_are_the_same_bytes() {
    let directory = Directory::new();
    let program = Program::named("containers");
    program.checkpoint().save(directory.join("containers")).unwrap();
    for ending in [".index", ".data-00000-of-00001"] {
        let name = format!("containers-1{ending}");
        let (ours, theirs) =
            (std::fs::read(directory.join(&name)).unwrap(), std::fs::read(golden().join(&name)).unwrap());
        assert!(ours == theirs, "{name} has {} bytes, TensorFlow's {}", ours.len(), theirs.len());
    }
}

/// Saves what Python restores: the programs after two steps, with `values.json`.
fn save_all(directory: &Path) {
    let mut found = serde_json::Map::new();
    // What only this library reads lies beside the rest.
    let dataset = Dataset::from_tensor_slices(tf::zeros([5])).shuffle(5);
    let (iterator, global) = (dataset.iter(), tf::random::global());
    for name in BOTH {
        let program = Program::named(name);
        program.build();
        (0..2).for_each(|_| program.step());
        let mut checkpoint = program.checkpoint();
        if name == "pipelines" {
            checkpoint = checkpoint.with("dataset", &dataset).with("iterator", &iterator).with("random", &global);
        }
        checkpoint.save(directory.join(name)).unwrap();
        let before = program.values();
        program.step();
        found.insert(name.into(), json!({"before": before, "after": program.values()}));
    }
    std::fs::write(directory.join("values.json"), json!({"programs": found}).to_string()).unwrap();
}

#[test]
fn both_directions_with_tensorflow_itself() {
    let Some(python) = std::env::var_os("EAGERFLOW_PYTHON") else {
        eprintln!("skipped: EAGERFLOW_PYTHON names no Python that has TensorFlow and Keras");
        return;
    };
    let run = |mode: &str, directory: &Path| {
        let output = Command::new(&python).arg(script()).arg(mode).arg(directory).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{mode}:\n{out}\n{}", &err[err.len().saturating_sub(4000)..]);
        eprintln!("{out}");
    };
    let (ours, theirs) = (Directory::new(), Directory::new());
    save_all(ours.as_ref());
    run("restore", ours.as_ref());
    run("save", theirs.as_ref());
    all_restored(theirs.as_ref());
}
