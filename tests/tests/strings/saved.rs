//! Data sets of strings and their states, checkpoints of variables of strings, and what safetensors refuse.
//! `golden/checkpoints/strings` was written by TensorFlow.

use eagerflow as tf;
use std::path::PathBuf;
use tf::data::Dataset;
use tf::train::{Checkpoint, load_checkpoint};
use tf::{DType, Tensor, Variable};

/// A directory of a test's own.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("eagerflow-strings-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn lines() -> Vec<String> {
    (0..7).map(|i| format!("line {i}")).collect()
}

#[test]
fn data_sets_slice_map_and_batch_strings() {
    let upper = |x: Tensor| tf::strings::upper(&x);
    let data = Dataset::from_tensor_slices(tf::constant(lines()));
    let batches: Vec<Vec<String>> = data.map(upper).batch(3).iter().map(|batch| batch.to_strings()).collect();
    let expected: Vec<String> = lines().iter().map(|line| line.to_uppercase()).collect();
    assert_eq!(batches, [&expected[..3], &expected[3..6], &expected[6..]]);
    let mut shuffled: Vec<String> = data.shuffle(4).batch(2).iter().flat_map(|batch| batch.to_strings()).collect();
    shuffled.sort();
    assert_eq!(shuffled, lines());
    let pairs = Dataset::from_tensor_slices((tf::constant(lines()), tf::range(0, 7, 1)));
    for (i, (line, number)) in pairs.iter().enumerate() {
        assert_eq!((line.item_string(), number.item::<i32>()), (format!("line {i}"), i as i32));
    }
}

#[tf::tf_function]
fn longest(data: &Dataset<Tensor>) -> Tensor {
    let mut best = tf::constant("");
    for line in data {
        if tf::strings::length(&line) > tf::strings::length(&best) {
            best = tf::identity(&line);
        }
    }
    best
}

#[test]
fn traced_loops_go_over_strings() {
    let data = Dataset::from_tensor_slices(tf::constant(["a", "abc", "ab"]));
    assert_eq!(longest(&data).item_string(), "abc");
}

#[test]
fn a_shuffled_pass_over_strings_goes_on_where_it_was_saved() {
    let directory = Directory::new("pass");
    let data = || Dataset::from_tensor_slices(tf::constant(lines())).map(|x: Tensor| tf::strings::upper(&x)).shuffle(4);
    let data = (data(), data());
    let mut first = data.0.iter();
    first.next();
    let path = Checkpoint::new().with("data", &first).save(directory.0.join("ckpt")).unwrap();
    let rest: Vec<String> = first.map(|x| x.item_string()).collect();
    let again = data.1.iter();
    Checkpoint::new().with("data", &again).restore(&path).unwrap().assert_consumed();
    assert_eq!(again.map(|x| x.item_string()).collect::<Vec<_>>(), rest);
}

#[test]
fn variables_of_strings_are_saved_and_restored() {
    let directory = Directory::new("variables");
    let (words, number) = (Variable::new([["a", "bc"], ["", "def"]]), Variable::new([1.0, 2.0]));
    let checkpoint = Checkpoint::new().with("words", &words).with("number", &number);
    let path = checkpoint.save(directory.0.join("ckpt")).unwrap();
    let before = words.value();
    words.assign(tf::constant([["x", "x"], ["x", "x"]]));
    number.assign(tf::constant([0.0, 0.0]));
    checkpoint.restore(&path).unwrap().assert_consumed();
    assert_eq!(words.value().to_strings(), before.to_strings());
    assert_eq!(number.value().to_vec::<f32>(), [1.0, 2.0]);
    let reader = load_checkpoint(&path).unwrap();
    let key = "words/.ATTRIBUTES/VARIABLE_VALUE";
    assert_eq!(reader.dtype_of(key), Some(tf::string));
    assert_eq!(reader.get_tensor(key).unwrap().to_string(), before.to_string());
    let narrow = Variable::new(["a"]);
    let error = Checkpoint::new().with("words", &narrow).restore(&path).unwrap_err().to_string();
    assert!(error.contains("string[1]") || error.contains("string[2, 2]"), "{error}");
    let numbers = Variable::new([[1.0, 2.0], [3.0, 4.0]]);
    assert!(Checkpoint::new().with("words", &numbers).restore(&path).is_err());
    let file = directory.0.join("words.safetensors");
    let error = tf::train::save_weights(&(words.clone(),), &file).unwrap_err().to_string();
    assert!(error.contains("string") && !file.exists(), "{error}");
}

#[test]
fn tensorflows_checkpoint_of_strings_is_read_and_written() {
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/checkpoints/strings");
    let words = Variable::with(tf::try_zeros([2, 2], DType::String).unwrap(), "Variable", false);
    let (name, step) = (Variable::new(""), Variable::new(Tensor::from(0i64)));
    let checkpoint = Checkpoint::new().with("words", &words).with("name", &name).with("step", &step);
    checkpoint.restore(&golden).unwrap().expect_partial();
    assert_eq!(words.value().to_byte_strings(), [&b"one"[..], b"two", b"", b"\xff\x00"]);
    assert_eq!(name.value().item_string(), "héllo ".repeat(40));
    let directory = Directory::new("written");
    let ours = checkpoint.write(directory.0.join("ours")).unwrap();
    let (ours, theirs) = (load_checkpoint(ours).unwrap(), load_checkpoint(&golden).unwrap());
    for key in ["words", "name", "step"].map(|name| format!("{name}/.ATTRIBUTES/VARIABLE_VALUE")) {
        let (ours, theirs) = (ours.get_tensor(&key).unwrap(), theirs.get_tensor(&key).unwrap());
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    }
}
