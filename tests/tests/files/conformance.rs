//! Records, lines and pieces of files that TensorFlow wrote or that were made by hand: what it reads of them is read here, eager and in loops
//! of graphs over data sets that are given and over those that the graph makes.

use super::folder::{Folder, bytes, elements};
use eagerflow::{self as tf, DType, Tensor, tf_function};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tf::data::{
    Compression, Dataset, FileOptions, FixedLengthOptions, FixedLengthRecordDataset, IntoFiles, TFRecordDataset,
    TextLineDataset,
};

/// Base64 with padding, as Python writes it.
pub fn of_base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> = text.bytes().filter(|&c| c != b'=').map(|c| u32::from(digit(c))).collect();
    let mut all = Vec::new();
    for four in digits.chunks(4) {
        let word = four.iter().fold(0, |word, digit| word << 6 | digit) << (6 * (4 - four.len()));
        all.extend(&word.to_be_bytes()[1..four.len()]);
    }
    all
}

fn recorded() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/tf_files.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The data set of a case.
fn build(case: &Value, files: impl IntoFiles) -> Dataset {
    let options = &case["options"];
    let number = |name: &str| options[name].as_u64().unwrap_or(0) as usize;
    let compression = match options["compression"].as_str().unwrap() {
        "GZIP" => Compression::Gzip,
        "ZLIB" => Compression::Zlib,
        _ => Compression::None,
    };
    let reading = FileOptions::new().compression(compression).num_parallel_reads(number("num_parallel_reads").max(1));
    match case["source"].as_str().unwrap() {
        "TFRecord" => TFRecordDataset::with(files, reading),
        "TextLine" => TextLineDataset::with(files, reading),
        _ => {
            let layout = FixedLengthOptions::new().header_bytes(number("header")).footer_bytes(number("footer"));
            FixedLengthRecordDataset::with(files, number("record"), layout.files(reading))
        }
    }
}

/// Cases that TensorFlow ends without an error, and that are errors here. None of them is in the record.
#[test]
fn elements_and_errors_are_tensorflows() {
    let folder = Folder::new();
    let record = recorded();
    for (name, data) in record["files"].as_object().unwrap() {
        folder.put(name, of_base64(data.as_str().unwrap()));
    }
    let cases = record["cases"].as_array().unwrap();
    assert!(cases.len() > 30);
    for case in cases {
        let files: Vec<PathBuf> =
            case["files"].as_array().unwrap().iter().map(|name| folder.join(name.as_str().unwrap())).collect();
        let expected: Vec<Vec<u8>> =
            case["elements"].as_array().unwrap().iter().map(|e| of_base64(e.as_str().unwrap())).collect();
        let set = build(case, &files);
        let (found, error) = elements(&set);
        let kind = error.as_ref().map(|e| e.to_string().split(':').next().unwrap().to_owned());
        assert_eq!(kind.as_deref(), case["error"].as_str(), "{case}\n{error:?}");
        assert_eq!(found.iter().map(bytes).collect::<Vec<_>>(), expected, "{case}");
        assert_eq!(set.element_spec().unwrap()[0].to_string(), "string[]");
        if error.is_some() {
            continue;
        }
        // The same in a loop of a graph, over this data set and over one that the graph makes.
        let total: usize = expected.iter().map(Vec::len).sum();
        let (count, length) = measured(&set);
        assert_eq!((count.item::<i32>(), length.item::<i32>()), (expected.len() as i32, total as i32), "{case}");
    }
}

/// The number of elements and of their bytes.
#[tf_function]
fn measured(set: &Dataset) -> (Tensor, Tensor) {
    let (mut count, mut length) = (tf::constant(0), tf::constant(0));
    for record in set {
        count += 1;
        length = length + tf::strings::length(record);
    }
    (count, length)
}

/// As [`measured`], of a data set that the graph makes of names.
#[tf_function]
fn made(names: &Tensor) -> (Tensor, Tensor) {
    let (mut count, mut length) = (tf::constant(0), tf::constant(0));
    for line in &TextLineDataset::new(names).filter(|line| tf::not_equal(tf::strings::length(line), 0)) {
        count += 1;
        length = length + tf::strings::length(line);
    }
    (count, length)
}

#[tf_function]
fn interleaved(pattern: &Tensor) -> Tensor {
    let names = Dataset::list_files(pattern, false, None);
    let mut all = tf::constant("");
    for line in &names.interleave(2, 1, |name| TextLineDataset::new(name)) {
        all = tf::strings::join(&[&all, &line], "");
    }
    all
}

#[test]
fn graphs_make_data_sets_of_names() {
    let folder = Folder::new();
    let (a, b) = (folder.put("a.txt", "one\n\nthree"), folder.put("b.txt", "4\n5\n"));
    let names = |paths: &[&Path]| tf::constant(paths.iter().map(|p| p.to_str().unwrap()).collect::<Vec<_>>());
    let numbers = |(count, length): (Tensor, Tensor)| (count.item::<i32>(), length.item::<i32>());
    assert_eq!(numbers(made(&names(&[&a, &b]))), (4, 10));
    assert_eq!(numbers(made(&names(&[&b, &a]))), (4, 10));
    assert_eq!(tf::function(made).trace_count(), 1);
    let pattern = tf::constant(folder.join("*.txt").to_str().unwrap());
    assert_eq!(interleaved(&pattern).item_string(), "one45three");
}

#[test]
fn files_are_named_in_many_forms() {
    let folder = Folder::new();
    let (a, b) = (folder.put("a", "1\n"), folder.put("b", "2\n"));
    let (text, both) = (a.to_str().unwrap().to_owned(), [a.clone(), b.clone()]);
    let all = |set: Dataset| super::folder::strings(&set).concat();
    assert_eq!(all(TextLineDataset::new(text.as_str())), "1");
    assert_eq!(all(TextLineDataset::new(text.clone())), "1");
    assert_eq!(all(TextLineDataset::new(&text)), "1");
    assert_eq!(all(TextLineDataset::new(&a)), "1");
    assert_eq!(all(TextLineDataset::new(a.as_path())), "1");
    assert_eq!(all(TextLineDataset::new(a.clone())), "1");
    assert_eq!(all(TextLineDataset::new(&both)), "12");
    assert_eq!(all(TextLineDataset::new(&both[..])), "12");
    assert_eq!(all(TextLineDataset::new(both.to_vec())), "12");
    assert_eq!(all(TextLineDataset::new([b.to_str().unwrap(), &text])), "21");
    let names = tf::constant([[text.as_str()], [b.to_str().unwrap()]]);
    assert_eq!(all(TextLineDataset::new(&names)), "12");
    assert_eq!(all(TextLineDataset::new(names.clone())), "12");
    let listed = Dataset::from_tensor_slices(names);
    assert_eq!(all(TextLineDataset::new(&listed)), "12");
    assert_eq!(all(TextLineDataset::new(listed)), "12");
    assert_eq!(all(TextLineDataset::new(Vec::<PathBuf>::new())), "");
    let error = TextLineDataset::try_new(tf::constant(1)).unwrap_err();
    assert!(matches!(error, tf::Error::InvalidArgument(_)), "{error}");
    let error = TextLineDataset::try_new(Dataset::range(2)).unwrap_err();
    assert!(matches!(error, tf::Error::InvalidArgument(_)), "{error}");
    assert!(error.to_string().contains("conformance.rs"), "{error}");
}

#[test]
fn options_out_of_range_are_errors_where_they_are_written() {
    for error in [
        FileOptions::new().try_buffer_size(10).unwrap_err(),
        FileOptions::new().try_num_parallel_reads(0).unwrap_err(),
        FixedLengthRecordDataset::try_new("a", 0).unwrap_err(),
        tf::io::TFRecordOptions::new().try_compression_level(10).unwrap_err(),
        tf::data::SaveOptions::new().try_shards(0).unwrap_err(),
        tf::data::SaveOptions::new().try_shards(10_001).unwrap_err(),
    ] {
        assert!(matches!(error, tf::Error::InvalidArgument(_)), "{error}");
        assert!(error.to_string().contains("conformance.rs"), "{error}");
    }
}

#[test]
fn lists_of_files_are_sorted_or_shuffled_with_a_seed() {
    let folder = Folder::new();
    for number in 0..8 {
        folder.put(&format!("{number}.txt"), "");
    }
    let pattern = folder.join("*.txt").to_str().unwrap().to_owned();
    let sorted = super::folder::strings(&Dataset::list_files(&pattern, false, None));
    assert!(sorted.len() == 8 && sorted.is_sorted());
    let shuffled = |seed: i64| Dataset::list_files(&pattern, true, seed);
    let (one, same) = (shuffled(3), shuffled(3));
    let passes = |set: &Dataset| [super::folder::strings(set), super::folder::strings(set)];
    let both = passes(&one);
    assert_eq!(both, passes(&same));
    assert!(both[0] != both[1] && both[0] != sorted, "each pass has an order of its own");
    let mut again = both[0].clone();
    again.sort();
    assert_eq!(again, sorted);
    // Several patterns, and what matches none.
    let names = tf::constant([folder.join("7*").to_str().unwrap(), folder.join("[01].txt").to_str().unwrap()]);
    assert_eq!(Dataset::list_files(&names, false, None).cardinality(), 3);
    let error = Dataset::try_list_files(folder.join("none*").to_str().unwrap(), true, None).unwrap_err();
    assert!(matches!(error, tf::Error::InvalidArgument(_)) && error.to_string().contains("none*"), "{error}");
    assert_eq!(tf::io::matching_files("no/such/folder/*").num_elements(), 0);
    assert_eq!(tf::io::matching_files("no/such/folder/*").dtype(), DType::String);
}
