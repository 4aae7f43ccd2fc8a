//! Memory over thousands of calls of decoders, parsers and operations on strings, operation by operation, with data of many sizes: what
//! they read and make goes with the tensors, and no table of the process, such as that of sizes, grows by a call.

use super::counted::{alone, growth};
use eagerflow as tf;
use tf::io::{
    CsvDecoding, CsvDefault, FeatureSpec, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, VarLenFeature,
};
use tf::train::{Example, Feature};
use tf::{DType, Tensor};

/// Enough for a loss of a hundred bytes in each call to be several times more than what is let through.
const CALLS: usize = 3_000;
/// How many inputs there are. All of them have been seen when counting begins.
const INPUTS: usize = 40;
/// Caches of threads are far smaller.
const SLACK: isize = 64 << 10;

/// One string of bytes.
fn text(bytes: impl AsRef<[u8]>) -> Tensor {
    Tensor::try_from_byte_strings(&[bytes], [0usize; 0]).expect("one string")
}

/// Asserts that calls with inputs of many sizes leave nothing behind. `call` answers how many elements came of an input, which is compared
/// with what came of it the first time.
#[track_caller]
fn level(name: &str, input: impl Fn(usize) -> Tensor, call: impl Fn(&Tensor) -> usize) {
    let inputs: Vec<Tensor> = (0..INPUTS).map(input).collect();
    let first: Vec<usize> = inputs.iter().map(&call).collect();
    assert!(first.iter().any(|&count| count != first[0]), "{name}: all inputs are of one size");
    let grown = growth(CALLS, |i| assert_eq!(call(&inputs[i % INPUTS]), first[i % INPUTS], "{name}"));
    assert!(grown < SLACK, "{name}: grew by {grown} bytes in {CALLS} calls");
}

/// What the tests of this file compare with is smaller than what they look for.
#[test]
fn a_hundred_bytes_a_call_are_seen() {
    let _alone = alone();
    let grown = growth(CALLS, |i| std::mem::forget(vec![i as u8; 100]));
    assert!(grown > 4 * SLACK, "{grown} bytes");
}

/// An image of a size and a level of its own.
fn image(i: usize) -> Tensor {
    tf::fill([1 + i % 8, 1 + i / 4, 3], (i * 5) as u8)
}

#[test]
fn images() {
    let _alone = alone();
    level("decode_png", |i| tf::io::encode_png(image(i)), |file| tf::io::decode_png(file, 3).num_elements());
    level("decode_jpeg", |i| tf::io::encode_jpeg(image(i), 90), |file| tf::io::decode_jpeg(file, 3).num_elements());
    // Files that end too early, by more and more bytes.
    let cut = |i: usize| {
        let file = tf::io::encode_png(image(39)).to_byte_strings().remove(0);
        text(&file[..file.len() - 1 - i])
    };
    level("a damaged image", cut, |file| match tf::io::try_decode_png(file, 3) {
        Ok(image) => image.num_elements() + file.to_byte_strings()[0].len(),
        Err(error) => error.to_string().len() + file.to_byte_strings()[0].len(),
    });
}

#[test]
fn bytes_and_tables() {
    let _alone = alone();
    let bytes = |i: usize| text(vec![i as u8; 4 * (i + 1)]);
    level("decode_raw", bytes, |x| tf::io::decode_raw(x, tf::float32, true).num_elements());
    let lines = |i: usize| tf::constant((0..=i).map(|n| format!("{n},line {n},{n}.5")).collect::<Vec<_>>());
    level("decode_csv", lines, |lines| {
        let columns = [CsvDefault::Required(tf::int32), "none".into(), 9.0_f32.into()];
        tf::io::decode_csv(lines, &columns, CsvDecoding::new()).iter().map(Tensor::num_elements).sum()
    });
}

/// So many records, each with lists of other lengths.
fn records(i: usize) -> Tensor {
    let record = |n: usize| {
        let features = [
            ("x", Feature::float_list([n as f32, 2.0])),
            ("tags", Feature::bytes_list((0..n % 3).map(|tag| format!("tag {tag}")))),
            ("rows", Feature::int64_list((0..n as i64 % 5).map(|row| row + 1))),
            ("steps", Feature::int64_list((0..n as i64 % 4).map(|step| step - 1))),
        ];
        Example::of(features).serialize()
    };
    let records: Vec<Vec<u8>> = (0..=i % 10).map(|n| record(n + i)).collect();
    Tensor::try_from_byte_strings(&records, [records.len()]).expect("as many strings")
}

#[test]
fn records_of_examples() {
    let _alone = alone();
    let steps = FixedLenSequenceFeature::new(&[], tf::int64).allow_missing(true);
    let spec: [(&str, FeatureSpec); 4] = [
        ("x", FixedLenFeature::new(&[2], tf::float32).into()),
        ("tags", VarLenFeature::new(tf::string).into()),
        ("rows", RaggedFeature::new(tf::int64).into()),
        ("steps", steps.into()),
    ];
    level("parse_example", records, |records| {
        let parsed = tf::io::parse_example(records, &spec);
        let (tags, rows) = (parsed.sparse("tags"), parsed.ragged("rows"));
        let lists = tags.values.num_elements() + rows.values.num_elements();
        parsed.dense("x").num_elements() + parsed.dense("steps").num_elements() + lists
    });
}

#[test]
fn tensors_as_strings() {
    let _alone = alone();
    let numbers = |i: usize| tf::io::serialize_tensor(tf::ones([1 + i % 8, 1 + i]));
    level("parse_tensor", numbers, |x| tf::io::parse_tensor(x, tf::float32).num_elements());
    level("parse_tensor_of_rank", numbers, |x| tf::io::parse_tensor_of_rank(x, tf::float32, 2).num_elements());
    let words = |i: usize| tf::io::serialize_tensor(tf::constant((0..=i).map(|n| "w".repeat(n)).collect::<Vec<_>>()));
    level("parse_tensor of strings", words, |x| tf::io::parse_tensor(x, tf::string).num_elements());
    let ones = |i: usize| tf::ones([1 + i]);
    level("serialize_tensor", ones, |x| tf::io::serialize_tensor(x).to_byte_strings()[0].len());
}

#[test]
fn strings() {
    let _alone = alone();
    let words = |i: usize| (0..=i).map(|n| format!("word{n}")).collect::<Vec<_>>();
    let bytes = |x: Tensor| x.to_byte_strings().iter().map(Vec::len).sum::<usize>();
    let line = |i: usize| text(words(i).join(" "));
    level("split", line, |x| tf::strings::split(x, " ").num_elements());
    level("regex_replace", line, |x| bytes(tf::strings::regex_replace(x, "w(o+)r", r"\1-")));
    let list = |i: usize| tf::constant(words(i));
    level("split_rows", list, |x| tf::strings::split_rows(x, "r").iter().map(Tensor::num_elements).sum());
    level("regex_full_match", list, |x| tf::strings::regex_full_match(x, "word[0-9]").num_elements());
    level("join", list, |x| bytes(tf::strings::join(&[x, x], "-")));
    level("upper", list, |x| bytes(tf::strings::upper(x)));
    level("substr", list, |x| bytes(tf::strings::substr(x, 1, 4)));
    let numbers = |i: usize| tf::constant((0..=i).map(|n| n.to_string()).collect::<Vec<_>>());
    level("to_number", numbers, |x| tf::strings::to_number(x, DType::F32).num_elements());
    level("as_string", |i| tf::range(0, i as i32 + 1, 1), |x| bytes(tf::as_string(x)));
}
