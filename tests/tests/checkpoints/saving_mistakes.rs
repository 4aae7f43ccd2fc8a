//! Twenty mistakes around saving, each in one row with what its message must say: both sides, the file, and the user's line.
//! The tests beside it have the same mistakes in more depth.

use super::Directory;
use eagerflow as tf;
use std::path::PathBuf;
use tf::layers::{Dense, LSTM};
use tf::optim::{Adam, Optimizer, SGD};
use tf::train::{
    Checkpoint, CheckpointManager, WeightsLoader, latest_checkpoint, load_checkpoint, load_weights, save_weights,
};
use tf::{Error, Module, Sequential, Variable};

/// What fails, and its line.
type Mistake = fn(&Directory) -> (Option<Error>, u32);

/// A network of one layer for three features, built.
fn net(units: usize) -> Dense {
    let layer = Dense::new(units);
    layer.build([1, 3]);
    layer
}

/// A checkpoint of a network of five units.
fn saved(directory: &Directory) -> PathBuf {
    Checkpoint::new().with("model", net(5)).save(directory.join("ckpt")).unwrap()
}

/// The error of a mistake, with the line that made it.
macro_rules! failed {
    ($result:expr) => {
        ($result.err(), line!())
    };
}

#[rustfmt::skip]
const MISTAKES: [(&str, Mistake, &[&str]); 22] = [
    ("a prefix of which there are no files", |d| {
        saved(d);
        failed!(Checkpoint::new().with("model", net(5)).restore(d.join("ckpt-9")))
    }, &["ckpt-9", "help: "]),
    ("the prefix without the number", |d| {
        saved(d);
        failed!(Checkpoint::new().with("model", net(5)).restore(d.join("ckpt")))
    }, &["ckpt", "ckpt-1"]),
    ("the name of one of the files", |d| {
        let index = format!("{}.index", saved(d).display());
        failed!(Checkpoint::new().with("model", net(5)).restore(index))
    }, &["ckpt-1`", "help: "]),
    ("the directory", |d| {
        saved(d);
        failed!(Checkpoint::new().with("model", net(5)).restore(&d.0))
    }, &["latest_checkpoint"]),
    ("a prefix that names no files", |d| {
        failed!(Checkpoint::new().with("model", net(5)).save(format!("{}/", d.0.display())))
    }, &["has no name for the files"]),
    ("safetensors as a checkpoint", |d| {
        save_weights(&net(5), d.join("w.safetensors")).unwrap();
        failed!(Checkpoint::new().with("model", net(5)).restore(d.join("w.safetensors")))
    }, &["w.safetensors", "load_weights"]),
    ("a checkpoint as safetensors", |d| {
        let path = saved(d);
        failed!(load_weights(&net(5), path))
    }, &["ckpt-1", "is a checkpoint: restore it"]),
    ("another number of units", |d| {
        let path = saved(d);
        failed!(Checkpoint::new().with("model", net(7)).restore(path))
    }, &["model/kernel", "float32[3, 7]", "float32[3, 5]", "ckpt-1"]),
    ("another kind of layer", |d| {
        let path = saved(d);
        let other = LSTM::new(5);
        other.build([1, 2, 3]);
        let checkpoint = Checkpoint::new().with("model", &other);
        let status = checkpoint.restore(path).unwrap();
        failed!(status.try_assert_consumed())
    }, &["model/", "ckpt-1"]),
    ("a part under another name", |d| {
        let path = saved(d);
        let checkpoint = Checkpoint::new().with("network", net(5));
        let status = checkpoint.restore(path).unwrap();
        failed!(status.try_assert_existing_objects_matched())
    }, &["network", "ckpt-1", "renamed_from"]),
    ("nothing in common", |d| {
        let path = saved(d);
        let checkpoint = Checkpoint::new().with("network", net(5));
        let status = checkpoint.restore(path).unwrap();
        status.expect_partial();
        failed!(status.try_assert_nontrivial_match())
    }, &["`model`", "`network`"]),
    ("more in the file than in the program", |d| {
        let all = Checkpoint::new().with("model", net(5)).with("step", Variable::new(3.0));
        let path = all.save(d.join("ckpt")).unwrap();
        let checkpoint = Checkpoint::new().with("model", net(5));
        let status = checkpoint.restore(path).unwrap();
        failed!(status.try_assert_consumed())
    }, &["step", "ckpt-1"]),
    ("two parts of one name", |_| {
        failed!(Checkpoint::new().with("model", net(5)).try_with("model", net(4)))
    }, &["model", "same name"]),
    ("two fields of one name", |d| {
        struct Twice(Variable, Variable);
        impl Module for Twice {
            fn visit(&self, fields: &mut tf::Fields<'_>) {
                fields.field("w", &self.0);
                fields.field("w", &self.1);
            }
        }
        let twice = Twice(Variable::new(1.0), Variable::new(2.0));
        failed!(Checkpoint::new().with("m", &twice).save(d.join("c")))
    }, &["two parts of `m` have the same name", "`w`"]),
    ("one variable for two values", |d| {
        let two = Checkpoint::new().with("a", Variable::new(1.0)).with("b", Variable::new(2.0));
        let path = two.save(d.join("ckpt")).unwrap();
        let shared = Variable::new(0.0);
        failed!(Checkpoint::new().with("a", &shared).with("b", &shared).restore(path))
    }, &["`a` and `b` in the checkpoint for `a`"]),
    ("the optimizer of another kind", |d| {
        let (layer, adam) = (net(2), Adam::new(0.1));
        let variables = layer.trainable_variables();
        let zeros = |v: &Variable| tf::zeros(v.shape());
        adam.apply_gradients(&variables.iter().map(zeros).collect(), &variables);
        let path = Checkpoint::new().with("model", &layer).with("optimizer", &adam).save(d.join("ckpt")).unwrap();
        let sgd = SGD::new(0.1);
        let checkpoint = Checkpoint::new().with("model", &layer).with("optimizer", &sgd);
        let status = checkpoint.restore(path).unwrap();
        failed!(status.try_assert_consumed())
    }, &["optimizer", "ckpt-1"]),
    ("weights of a model that is not built", |d| {
        failed!(save_weights(&Dense::new(3), d.join("w.safetensors")))
    }, &["not built", "build"]),
    ("weights of a deeper model", |d| {
        let deep = Sequential::new((Dense::new(4), Dense::new(2)));
        deep.build([1, 3]);
        save_weights(&deep, d.join("w.safetensors")).unwrap();
        let flat = Sequential::new((Dense::new(4),));
        flat.build([1, 3]);
        failed!(load_weights(&flat, d.join("w.safetensors")))
    }, &["1/kernel", "w.safetensors"]),
    ("weights of another precision", |d| {
        save_weights(&net(5), d.join("w.safetensors")).unwrap();
        let double = Dense::new(5).dtype("float64");
        double.build([1, 3]);
        failed!(load_weights(&double, d.join("w.safetensors")))
    }, &["kernel", "float32", "float64", "cast"]),
    ("a name that stands for nothing", |_| {
        failed!(WeightsLoader::new().try_map("layer.{i}.weight", "layer/{j}/kernel", None))
    }, &["{j}"]),
    ("a value that the file does not have", |d| {
        let reader = load_checkpoint(saved(d)).unwrap();
        failed!(reader.get_tensor("model/kernel"))
    }, &["`model/kernel`", "`model/kernel/.ATTRIBUTES/VARIABLE_VALUE`"]),
    ("a manager that keeps none", |d| {
        let v = Variable::new(1.0);
        let checkpoint = Checkpoint::new().with("v", &v);
        let made = CheckpointManager::new(&checkpoint, &d.0, 0).map(drop);
        assert!(latest_checkpoint(&d.0).unwrap().is_none());
        (made.err(), line!() - 2)
    }, &["max_to_keep", "0"]),
];

#[test]
fn each_message_names_both_sides_and_the_line() {
    let mut faults = Vec::new();
    for (name, make, says) in MISTAKES {
        let directory = Directory::new();
        let (error, line) = make(&directory);
        let Some(text) = error.map(|error| error.to_string()) else {
            faults.push(format!("## {name}\nnobody minded"));
            continue;
        };
        let at = format!("at: {}:{line}:", file!());
        let missing: Vec<&str> =
            says.iter().copied().chain([at.as_str()]).filter(|word| !text.contains(word)).collect();
        if !missing.is_empty() {
            faults.push(format!("## {name}\n{missing:?} are not in:\n{text}"));
        }
    }
    assert!(faults.is_empty(), "{} of {} rows fall short\n\n{}", faults.len(), MISTAKES.len(), faults.join("\n\n"));
}
