//! Layers that look terms up against Keras: the vocabulary that `adapt` finds, outputs at once, traced and in pipelines, and mistakes.
//! One test per layer, with a row for each option.

use crate::numbers::{file, near, number, tensor};
use eagerflow as tf;
use eagerflow_tests::clock::thread_seconds;
use serde_json::Value;
use tf::data::Dataset;
use tf::layers::{
    AdaptData, Hashing, IntegerLookup, Layer, LookupMode, Split, Standardize, StringLookup, TextVectorization,
};
use tf::{DType, Module, Tensor, tf_function};

const MODES: [(&str, LookupMode); 5] = [
    ("int", LookupMode::Int),
    ("one_hot", LookupMode::OneHot),
    ("multi_hot", LookupMode::MultiHot),
    ("count", LookupMode::Count),
    ("tf_idf", LookupMode::TfIdf),
];

/// Numbers, or texts.
fn given(value: &Value) -> Tensor {
    if value["dtype"] != "string" {
        return tensor(value);
    }
    let list = |key: &str| value[key].as_array().expect("a list").clone();
    let texts: Vec<String> = list("data").iter().map(|text| text.as_str().expect("a text").to_owned()).collect();
    let sizes: Vec<usize> = list("shape").iter().map(|size| size.as_u64().expect("a size") as usize).collect();
    tf::reshape(&tf::constant(texts), tf::Shape::new(&sizes).unwrap())
}

/// Equal texts, or numbers as near as sums of floats are. Rows are floats, as Keras's documentation says; it gives them as integers.
fn same(what: &str, ours: &Tensor, keras: &Value) {
    if keras["dtype"] == "string" {
        assert_eq!(ours.to_strings(), given(keras).to_strings(), "{what}");
        assert_eq!(ours.shape(), given(keras).shape(), "{what}");
        return;
    }
    let mut keras = keras.clone();
    if keras["dtype"] == "int64" && ours.dtype() == DType::F32 {
        keras["dtype"] = "float32".into();
    }
    near(what, ours, &keras, 1e-6);
}

#[tf_function]
fn traced(layer: &dyn Layer, x: &Tensor) -> Tensor {
    layer.try_call(x, false).unwrap()
}

#[track_caller]
fn check(rows: &Value, name: &str, layer: &dyn Layer) {
    let (x, row) = (given(&rows[name]["input"]), &rows[name]["output"]);
    let y = layer.try_call(&x, false).unwrap_or_else(|e| panic!("{name}: {e}"));
    same(name, &y, row);
    same(&format!("{name}, traced"), &traced(layer, &x), row);
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
}

/// Adapts, and compares what was found.
macro_rules! adapted {
    ($rows:expr, $name:expr, $layer:expr, $data:expr) => {{
        let (layer, name): (_, &str) = ($layer, $name);
        layer.adapt($data);
        let found: Vec<String> = layer.get_vocabulary().iter().map(ToString::to_string).collect();
        assert_eq!(found, texts(&$rows[name]["vocabulary"]), "{name}");
        check($rows, name, &layer);
        layer
    }};
}

fn words() -> Tensor {
    tf::constant([["red", "blue", "red"], ["green", "", "blue"], ["red", "pink", "pink"]])
}

fn long<const N: usize>(numbers: [i32; N]) -> Tensor {
    tf::cast(tf::constant(numbers), DType::I64)
}

#[test]
fn strings() {
    let rows = &file("layers_lookup");
    for (mode_name, mode) in MODES {
        let new = || StringLookup::new().output_mode(mode);
        adapted!(rows, &format!("string_{mode_name}"), new(), words());
        let masked = new().max_tokens(6).num_oov_indices(2).mask_token("");
        let masked = adapted!(rows, &format!("string_mask_{mode_name}"), masked, &words());
        assert_eq!(masked.terms(), texts(&rows[&format!("string_mask_{mode_name}")]["terms"]));
        assert_eq!(masked.vocabulary_size(), masked.get_vocabulary().len());
        if mode != LookupMode::Int {
            let padded = new().max_tokens(9).pad_to_max_tokens();
            adapted!(rows, &format!("string_padded_{mode_name}"), padded, words());
            adapted!(rows, &format!("string_row_{mode_name}"), new(), words());
            let one = new();
            one.adapt(words());
            let name = format!("string_scalar_{mode_name}");
            let flat = |x: &Tensor| tf::reshape(x, [-1]).to_vec::<f32>();
            let keras: Vec<f32> =
                rows[&name]["output"]["data"].as_array().unwrap().iter().map(|n| number(n) as f32).collect();
            assert_eq!(flat(&one.call(tf::constant("blue"))), keras, "{name}");
        }
    }
    let told = || StringLookup::new().vocabulary(["a", "b"]);
    let special = StringLookup::new().mask_token("").vocabulary(["", "[UNK]", "a", "b"]);
    check(rows, "string_one_hot_column", &told().output_mode(LookupMode::OneHot));
    check(rows, "string_scalar", &told());
    check(rows, "string_told", &StringLookup::new().vocabulary(["a", "b", "c"]));
    check(rows, "string_told_special", &special);
    check(rows, "string_salt", &told().num_oov_indices(7).salt([3, 9]));
    check(rows, "string_inverse", &told().mask_token("<m>").invert());
    check(rows, "string_idf", &StringLookup::new().vocabulary_with_idf(["a", "b"], [0.5, 2.0]));
    let padded = StringLookup::new().max_tokens(5).pad_to_max_tokens();
    check(rows, "string_idf_padded", &padded.vocabulary_with_idf(["[UNK]", "a", "b"], [0.25, 0.5, 2.0]));
    let batches = Dataset::from_tensor_slices(tf::constant(["b", "a", "b", "c", "c", "a", "b"])).batch(3);
    adapted!(rows, "string_batches", StringLookup::new(), &batches);
    adapted!(rows, "string_batches_tf_idf", StringLookup::new().output_mode(LookupMode::TfIdf), &batches);
}

#[test]
fn integers() {
    let rows = &file("layers_lookup");
    let numbers = tf::reshape(&long([12, 36, 12, -5, 7, 36, 0, 12, 1138]), [3, 3]);
    for (mode_name, mode) in MODES {
        let new = || IntegerLookup::new().output_mode(mode);
        adapted!(rows, &format!("integer_{mode_name}"), new(), &numbers);
        let masked = new().mask_token(0).num_oov_indices(3);
        adapted!(rows, &format!("integer_mask_{mode_name}"), masked, &numbers);
    }
    let told = || IntegerLookup::new().vocabulary([12, 36]);
    check(rows, "integer_inverse", &told().invert());
    check(rows, "integer_hash", &told().num_oov_indices(5).oov_by_hash());
    check(rows, "integer_salt", &told().num_oov_indices(5).salt(11));
    check(rows, "integer_small", &told());
}

#[test]
fn vectorized() {
    let rows = &file("layers_lookup");
    let all = ["The quick, brown fox!", "jumps over  the lazy dog.", "", "The Dog-house; it's über 3.14 THE"];
    let new = TextVectorization::new;
    for (mode_name, mode) in MODES.into_iter().filter(|(_, mode)| *mode != LookupMode::OneHot) {
        adapted!(rows, &format!("text_{mode_name}"), new().output_mode(mode), all);
        let pairs = new().output_mode(mode).max_tokens(5).ngrams(2);
        adapted!(rows, &format!("text_column_{mode_name}"), pairs, all.to_vec());
    }
    for (name, standardize) in
        [("none", Standardize::None), ("lower", Standardize::Lower), ("strip", Standardize::StripPunctuation)]
    {
        adapted!(rows, &format!("text_{name}"), new().standardize(standardize), all);
    }
    adapted!(rows, "text_characters", new().split(Split::Character), all);
    adapted!(rows, "text_whole", new().split(Split::None), all);
    let pairs = tf::constant([["a", "b"], ["b", "b"]]);
    let whole = || new().split(Split::None);
    adapted!(rows, "text_whole_count", whole().output_mode(LookupMode::Count), &pairs);
    adapted!(rows, "text_tokens", whole().output_sequence_length(3), &pairs);
    adapted!(rows, "text_long", new().output_sequence_length(7), all);
    adapted!(rows, "text_short", new().output_sequence_length(2), all);
    adapted!(rows, "text_ngrams", new().ngrams_of([3, 1]), all);
    adapted!(rows, "text_scalar", new(), all);
    let functions = new()
        .standardize(Standardize::by(|x| tf::strings::regex_replace(x, "[aeiou]", "")))
        .split(Split::by(|x| tf::strings::split_ragged(x, ",")));
    adapted!(rows, "text_functions", functions, ["ab,cd,ab", "e,cd"]);
    check(rows, "text_told", &new().vocabulary_with_idf(["a", "b"], [1.0, 3.0]));
}

#[test]
fn hashed() {
    let rows = &file("layers_lookup");
    for (mode_name, mode) in MODES.into_iter().filter(|(name, _)| !["int", "tf_idf"].contains(name)) {
        check(rows, &format!("hashing_{mode_name}"), &Hashing::new(5).output_mode(mode));
        check(rows, &format!("hashing_column_{mode_name}"), &Hashing::new(5).output_mode(mode));
    }
    check(rows, "hashing", &Hashing::new(3));
    check(rows, "hashing_mask", &Hashing::new(3).mask_value(""));
    check(rows, "hashing_salt", &Hashing::new(3).salt([133, 137]));
    check(rows, "hashing_integers", &Hashing::new(11).mask_value(7));
    check(rows, "hashing_floats", &Hashing::new(11));
    check(rows, "hashing_one_bin", &Hashing::new(1).mask_value(7));
}

#[tf_function]
fn rows_of(layer: &TextVectorization, texts: &Tensor) -> Tensor {
    layer.call(texts) * 2
}

/// A new vocabulary is another graph, another batch is not; copies keep what they had.
#[test]
fn a_vocabulary_is_part_of_the_signature() {
    let layer = TextVectorization::new();
    layer.adapt(["a b"]);
    let (copy, clone) = (tf::Duplicate::duplicate(&layer), layer.clone());
    // The second number of texts makes one trace for all numbers.
    for texts in [&["a", "b b b"][..], &["b a", "a", "c"], &["a"; 5], &["b b"; 7]] {
        let texts = tf::constant(texts.to_vec());
        assert_eq!(rows_of(&layer, &texts).to_vec::<i64>(), (layer.call(&texts) * 2).to_vec::<i64>());
    }
    let traces = tf::function(rows_of).trace_count();
    assert!(traces <= 2, "{:?}", tf::function(rows_of).reasons());
    layer.adapt(["c c a"]);
    let c = tf::constant(["c"]);
    assert_eq!(rows_of(&layer, &c).to_vec::<i64>(), [4]);
    assert_eq!(tf::function(rows_of).trace_count(), traces + 1);
    assert_eq!((copy.call(&c).to_vec::<i64>(), clone.call(&c).to_vec::<i64>()), (vec![1], vec![2]));
}

/// In functions of pipelines, serial and parallel, and in a loop of a graph over one.
#[test]
fn in_pipelines() {
    let layer = StringLookup::new().vocabulary(["a", "b", "c"]);
    let words = Dataset::from_tensor_slices(tf::constant(["c", "a", "x", "b"]));
    let looked_up = layer.clone();
    let numbers = words.map(move |word| looked_up.call(&word));
    let list = |set: &Dataset| set.iter().map(|n| n.item::<i64>()).collect::<Vec<_>>();
    assert_eq!(list(&numbers), [3, 1, 0, 2]);
    let looked_up = layer.clone();
    let parallel = words.map_with(2, move |word: Tensor| looked_up.call(&word));
    assert_eq!(list(&parallel), [3, 1, 0, 2]);

    #[tf_function]
    fn sum(layer: &StringLookup, words: &Dataset) -> Tensor {
        let mut sum = tf::cast(tf::constant(0), DType::I64);
        for word in words {
            sum = sum + layer.call(&word);
        }
        sum
    }
    assert_eq!(sum(&layer, &words).item::<i64>(), 6);
}

/// A checkpoint holds what was found; what was told is the program's.
#[test]
fn checkpoints_hold_vocabularies() {
    #[derive(Module)]
    struct Tables {
        words: StringLookup,
        numbers: IntegerLookup,
        told: StringLookup,
    }
    let new = || Tables {
        words: StringLookup::new().output_mode(LookupMode::TfIdf),
        numbers: IntegerLookup::new(),
        told: StringLookup::new().vocabulary(["x"]),
    };
    let (first, second) = (new(), new());
    first.words.adapt(words());
    first.numbers.adapt(long([5, 5, -3]));
    let prefix = std::env::temp_dir().join(format!("eagerflow-lookup-{}", std::process::id()));
    let saved = tf::train::Checkpoint::new().with("tables", &first).write(&prefix).unwrap();
    tf::train::Checkpoint::new().with("tables", &second).read(&saved).unwrap().assert_consumed();
    for end in [".index", ".data-00000-of-00001"] {
        std::fs::remove_file(format!("{}{end}", prefix.display())).unwrap();
    }
    assert_eq!(second.words.get_vocabulary(), first.words.get_vocabulary());
    assert_eq!(second.words.idf_weights(), first.words.idf_weights());
    assert_eq!(second.numbers.get_vocabulary(), [-1, 5, -3]);
    assert_eq!(second.words.call(words()).to_vec::<f32>(), first.words.call(words()).to_vec::<f32>());
    assert_eq!(second.told.get_vocabulary(), ["[UNK]", "x"]);
}

#[track_caller]
fn refused<T>(result: tf::Result<T>, words: &[&str]) {
    let text = result.err().expect("an error").to_string();
    for word in words.iter().chain(&["layers_lookup.rs"]) {
        assert!(text.contains(word), "`{word}` in: {text}");
    }
}

#[test]
fn mistakes_are_named() {
    let new = StringLookup::new;
    refused(new().name("words").try_call(tf::constant("a"), false), &["words", "not known yet", "adapt"]);
    refused(new().try_max_tokens(1), &["max_tokens", "2 or more"]);
    refused(new().try_vocabulary(["a", "b", "a"]), &["twice", "\"a\" at 0 and 2"]);
    refused(new().try_vocabulary(Vec::<&str>::new()), &["empty"]);
    refused(new().mask_token("m").try_vocabulary(["a", "m"]), &["\"m\" at 1", "mask_token"]);
    refused(new().max_tokens(2).try_vocabulary(["a", "b"]), &["larger than `max_tokens`", "3"]);
    refused(new().try_vocabulary_with_idf(["a", "b"], [1.0]), &["a weight for each term"]);
    refused(new().vocabulary(["a"]).try_output_mode(LookupMode::TfIdf), &["vocabulary_with_idf"]);
    refused(new().vocabulary(["a"]).try_adapt(["b"]), &["told"]);
    refused(new().try_adapt(Vec::<&str>::new()), &["no terms"]);
    refused(new().try_adapt(Dataset::from_tensors(tf::constant("a")).repeat(None)), &["no end", "take"]);
    refused(new().try_adapt(tf::constant([1, 2])), &["string"]);
    refused(new().invert().try_output_mode(LookupMode::Count), &["not rows"]);
    refused(new().try_vocabulary_file("/nowhere/words.txt"), &["/nowhere/words.txt"]);
    refused(new().vocabulary(["a"]).try_call(tf::constant([1]), false), &["expected", "strings", "int32"]);
    let none = new().num_oov_indices(0).vocabulary(["a"]);
    let lost = tf::constant(["a", "b", "c", "d", "e", "f", "g"]);
    refused(none.try_call(lost, false), &["\"b\", \"c\"", "and 1 more", "num_oov_indices(1)"]);
    refused(IntegerLookup::new().vocabulary([1]).try_call(tf::constant([1.5]), false), &["integers"]);
    refused(Hashing::try_new(0), &["num_bins", "at least 1"]);
    refused(Hashing::new(2).try_output_mode(LookupMode::TfIdf), &["no weights"]);
    refused(Hashing::new(2).mask_value("x").try_call(tf::constant([1]), false), &["`mask_value` is a string"]);
    let text = TextVectorization::new;
    refused(text().try_output_mode(LookupMode::OneHot), &["several tokens"]);
    refused(text().try_ngrams(0), &["ngrams", "at least 1"]);
    refused(text().try_output_sequence_length(0), &["output_sequence_length"]);
    refused(text().output_mode(LookupMode::Count).try_output_sequence_length(3), &["mode Int"]);
    refused(text().vocabulary(["a"]).try_call(tf::constant([["a", "b"]]), false), &["too many axes", "[batch, 1]"]);
    refused(text().vocabulary(["a"]).try_call(tf::constant([1]), false), &["texts are strings"]);
    let path = std::env::temp_dir().join(format!("eagerflow-terms-{}", std::process::id()));
    std::fs::write(&path, "7\nseven\n").unwrap();
    refused(IntegerLookup::new().try_vocabulary_file(&path), &["line 2", "\"seven\""]);
    std::fs::write(&path, "7\n9\n").unwrap();
    let found = IntegerLookup::new().try_vocabulary_file(&path).unwrap().get_vocabulary();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(found, [-1, 7, 9]);
}

/// What `adapt` costs grows with the data, not with its square.
#[test]
fn adapting_grows_with_the_data() {
    let of = |count: usize| {
        let words: Vec<String> = (0..count).map(|n| format!("w{}", n % (count / 2))).collect();
        let text = words.join(" ");
        let layer = TextVectorization::new();
        let start = thread_seconds();
        layer.adapt([text.as_str()]);
        layer.call(tf::constant([text.as_str()]));
        thread_seconds() - start
    };
    of(1000);
    let (few, many) =
        ((0..3).map(|_| of(4000)).fold(f64::MAX, f64::min), (0..3).map(|_| of(64_000)).fold(f64::MAX, f64::min));
    assert!(many < few * 16.0 * 6.0, "16 times the words took {} times the time", many / few);
}

#[allow(dead_code, reason = "only that it compiles")]
fn all_kinds_of_data(set: Dataset, list: Vec<String>) -> [Box<dyn AdaptData>; 4] {
    [Box::new(set), Box::new(list), Box::new(tf::constant("a")), Box::new(["a", "b"])]
}
