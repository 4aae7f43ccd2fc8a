//! Mistakes with checkpoints: each is an error that names what is there and what was expected, and nothing has changed.

use super::{Directory, Net, input};
use eagerflow as tf;
use tf::layers::Dense;
use tf::train::{Checkpoint, CheckpointManager, latest_checkpoint, load_checkpoint};
use tf::{Error, Variable};

#[test]
fn restoring_into_another_architecture_names_both_sides_and_changes_nothing() {
    let directory = Directory::new();
    let net = Net::new();
    net.call(&input());
    let path = Checkpoint::new().with("model", &net).save(directory.join("ckpt")).unwrap();
    let other = (Dense::new(7), Variable::new(3.0));
    other.0.build([1, 3]);
    let before = super::values(&other.0);
    #[derive(tf::Module)]
    struct Other<'a> {
        hidden: &'a Dense,
        output: &'a Variable,
    }
    let model = Other { hidden: &other.0, output: &other.1 };
    let error = Checkpoint::new().with("model", &model).restore(&path).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::InvalidArgument(_)), "{text}");
    assert!(text.contains("`model/hidden/kernel` is float32[3, 7], in the checkpoint float32[3, 5]"), "{text}");
    assert!(text.contains("ckpt-1") && text.contains("mistakes.rs"), "{text}");
    assert_eq!(super::values(&other.0), before);
}

#[test]
fn one_value_of_another_type_is_told_with_its_path() {
    let directory = Directory::new();
    let saved = [Variable::new([1.0, 2.0]), Variable::new(3.0)];
    let path = Checkpoint::new().with("all", &saved).write(directory.join("c")).unwrap();
    // A metric of Keras 2 counts in `float32`, those here in `float64`.
    let other = [Variable::new([0.0, 0.0]), Variable::with(tf::Tensor::from(0.0f64), "total", false)];
    let text = Checkpoint::new().with("all", &other).read(&path).unwrap_err().to_string();
    assert!(text.contains("all/1") && !text.contains("all/0"), "{text}");
    assert!(text.contains("float32[] in the checkpoint") && text.contains("float64"), "{text}");
    assert_eq!(other[0].value().to_vec::<f32>(), [0.0, 0.0]);
}

#[test]
fn a_program_with_more_than_the_checkpoint_is_told_what_is_missing() {
    let directory = Directory::new();
    let v = Variable::new(1.0);
    let path = Checkpoint::new().with("v", &v).save(directory.join("ckpt")).unwrap();
    let w = Variable::new(2.0);
    let checkpoint = Checkpoint::new().with("v", &v).with("w", &w);
    let status = checkpoint.restore(&path).unwrap();
    let text = status.try_assert_existing_objects_matched().unwrap_err().to_string();
    assert!(text.contains("`w`") && text.contains("ckpt-1") && text.contains("renamed_from"), "{text}");
    let other = Checkpoint::new().with("quite", &w);
    let status = other.restore(&path).unwrap();
    let text = status.expect_partial().try_assert_nontrivial_match().unwrap_err().to_string();
    assert!(text.contains("`v`") && text.contains("`quite`"), "{text}");
}

#[test]
fn wrong_paths_and_prefixes() {
    let directory = Directory::new();
    let v = Variable::new(1.0);
    let checkpoint = Checkpoint::new().with("v", &v);
    let missing = checkpoint.restore(directory.join("ckpt-7")).unwrap_err();
    assert!(matches!(missing, Error::NotFound(_)) && missing.to_string().contains("ckpt-7"), "{missing}");
    std::fs::write(directory.join("file"), "x").unwrap();
    let below = checkpoint.save(directory.join("file/ckpt")).unwrap_err().to_string();
    assert!(below.contains("file") && below.contains("mistakes.rs"), "{below}");
    let no_name = checkpoint.save(format!("{}/", directory.0.display())).unwrap_err().to_string();
    assert!(no_name.contains("has no name for the files"), "{no_name}");
    assert_eq!(checkpoint.save_counter().value().item::<i64>(), 0);
    let text = load_checkpoint(&directory).unwrap_err().to_string();
    assert!(text.contains("no checkpoint in the directory"), "{text}");
}

#[test]
fn names_that_are_taken_or_empty() {
    let v = Variable::new(1.0);
    for (name, word) in [("", "no name"), ("save_counter", "save_counter"), ("a", "same name")] {
        let text = Checkpoint::new().with("a", &v).try_with(name, &v).unwrap_err().to_string();
        assert!(text.contains(word) && text.contains("mistakes.rs"), "{text}");
    }
    struct Twice(Variable, Variable);
    impl tf::Module for Twice {
        fn visit(&self, fields: &mut tf::Fields<'_>) {
            fields.field("w", &self.0);
            fields.field("w", &self.1);
        }
    }
    let directory = Directory::new();
    let twice = Twice(Variable::new(1.0), Variable::new(2.0));
    let text = Checkpoint::new().with("m", &twice).save(directory.join("c")).unwrap_err().to_string();
    assert!(text.contains("two parts of `m` have the same name") && text.contains("`w`"), "{text}");
    assert!(directory.files().is_empty());
}

#[test]
fn a_state_file_that_leads_out_of_its_directory() {
    let directory = Directory::new();
    for path in ["../other/ckpt-1", "/etc/passwd", "a/../../b"] {
        std::fs::write(directory.join("checkpoint"), format!("model_checkpoint_path: \"{path}\"\n")).unwrap();
        let text = latest_checkpoint(&directory).unwrap_err().to_string();
        assert!(text.contains("outside of its directory") && text.contains(path), "{text}");
        let v = Variable::new(1.0);
        let checkpoint = Checkpoint::new().with("v", &v);
        assert!(CheckpointManager::new(&checkpoint, &directory, 1).is_err());
    }
}

#[test]
fn one_variable_for_two_values_is_refused() {
    let directory = Directory::new();
    let path = Checkpoint::new().with("a", Variable::new(1.0)).with("b", Variable::new(2.0)).write(directory.join("c"));
    let shared = Variable::new(0.0);
    let error = Checkpoint::new().with("a", &shared).with("b", &shared).read(path.unwrap()).unwrap_err().to_string();
    assert!(error.contains("`a` and `b` in the checkpoint for `a`"), "{error}");
    assert_eq!(shared.value().item::<f32>(), 0.0);
}

#[test]
fn managers_refuse_options_that_make_no_sense() {
    let directory = Directory::new();
    let v = Variable::new(1.0);
    let checkpoint = Checkpoint::new().with("v", &v);
    let text = CheckpointManager::new(&checkpoint, &directory, 0).unwrap_err().to_string();
    assert!(text.contains("max_to_keep"), "{text}");
    let manager = CheckpointManager::new(&checkpoint, &directory, 1).unwrap();
    assert!(manager.save_at_interval().unwrap_err().to_string().contains("checkpoint_interval"));
}

#[test]
fn saving_while_a_function_is_traced_is_refused() {
    let directory = Directory::new();
    let path = directory.join("ckpt").display().to_string();
    #[tf::tf_function]
    fn step(v: &Variable, path: &str) -> tf::Tensor {
        let text = Checkpoint::new().with("v", v).save(path).unwrap_err().to_string();
        assert!(text.contains("while a function is traced"), "{text}");
        v.value()
    }
    step(&Variable::new(1.0), &path);
}

#[test]
fn files_of_another_kind_are_told_what_reads_them() {
    let directory = Directory::new();
    let v = Variable::new(1.0);
    let checkpoint = Checkpoint::new().with("v", &v);
    let path = checkpoint.save(directory.join("ckpt")).unwrap();
    let weights = directory.join("v.safetensors");
    tf::train::save_weights(&(v.clone(),), &weights).unwrap();
    let index = directory.join("ckpt-1.index");
    for (given, word) in [
        (&weights, "`tf::train::load_weights` loads"),
        (&index, "ckpt-1`"),
        (&directory.join("ckpt-1.data-00000-of-00001"), "without the endings"),
        (&directory.0, "latest_checkpoint"),
    ] {
        let text = checkpoint.restore(given).unwrap_err().to_string();
        assert!(text.contains(word) && text.contains("mistakes.rs"), "{text}");
    }
    for given in [&index, &path] {
        let text = tf::train::load_weights(&(v.clone(),), given).unwrap_err().to_string();
        assert!(text.contains("is a checkpoint: restore it"), "{text}");
    }
    let text = load_checkpoint(&path).unwrap().get_tensor("v/.ATTRIBUTES/VARIABLE_VALEU").unwrap_err().to_string();
    assert!(text.contains("the nearest is `v/.ATTRIBUTES/VARIABLE_VALUE`"), "{text}");
    let text = load_checkpoint(&path).unwrap().get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH").unwrap();
    assert_eq!((text.dtype(), text.rank()), (tf::string, 0));
}

#[test]
fn an_iterator_of_another_data_set() {
    let directory = Directory::new();
    let data = tf::data::Dataset::from_tensor_slices(tf::range(0, 10, 1));
    let mut saved = data.shuffle(4).batch(2).iter();
    saved.next();
    let path = Checkpoint::new().with("data", &saved).save(directory.join("ckpt")).unwrap();
    let v = Variable::new(1.0);
    let other = data.batch(3).iter();
    let text = Checkpoint::new().with("data", &other).with("v", &v).restore(&path).unwrap_err().to_string();
    assert!(text.contains("data") && text.contains("batch") && text.contains("shuffle"), "{text}");
}
