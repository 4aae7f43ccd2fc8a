//! Records, raw bytes, CSV lines, WAV files and resized images against what TensorFlow makes of them (`tests/golden/examples.py`).

use super::conformance::string;
use eagerflow::{self as tf, DType, Tensor, tf_function};
use serde_json::{Value, json};
use std::path::Path;
use tf::image::ResizeMethod;
use tf::io::{
    CsvDecoding, CsvDefault, FeatureSpec, FeatureValue, FixedLenFeature, FixedLenSequenceFeature, ParsedFeatures,
    RaggedFeature, VarLenFeature,
};
use tf::train::{Example, Feature, SequenceExample};

fn recorded() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/examples.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn bytes(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

fn values(x: &Tensor) -> Vec<Value> {
    match x.dtype() {
        DType::String => {
            x.to_byte_strings().iter().map(|s| s.iter().map(|&b| char::from(b)).collect::<String>().into()).collect()
        }
        DType::F32 => x.to_vec::<f32>().iter().map(|&v| json!(f64::from(v))).collect(),
        _ => x.cast(DType::I64).to_vec::<i64>().iter().map(|&v| json!(v)).collect(),
    }
}

fn written(x: &Tensor) -> Value {
    json!({"shape": x.shape().dims(), "values": values(x)})
}

fn all_of(parsed: &ParsedFeatures) -> Value {
    let one = |value: &FeatureValue| match value {
        FeatureValue::Dense(x) => written(x),
        FeatureValue::Sparse(x) => {
            json!({"indices": written(&x.indices), "values": written(&x.values), "dense_shape": written(&x.dense_shape)})
        }
        FeatureValue::Ragged(x) => {
            json!({"values": written(&x.values), "row_splits": x.row_splits.iter().map(values).collect::<Vec<_>>()})
        }
    };
    Value::Object(parsed.iter().map(|(name, value)| (name.to_owned(), one(value))).collect())
}

fn spec() -> Vec<(&'static str, FeatureSpec)> {
    let steps = FixedLenSequenceFeature::new(&[2], tf::int64).allow_missing(true).default_value(-1_i64);
    vec![
        ("a", FixedLenFeature::new(&[2], tf::float32).into()),
        ("n", FixedLenFeature::new(&[], tf::int64).default_value(3_i64).into()),
        ("tags", VarLenFeature::new(tf::string).into()),
        ("rows", RaggedFeature::new(tf::string).value_key("more").into()),
        ("steps", steps.into()),
    ]
}

fn strings(rows: &[Vec<u8>]) -> Tensor {
    Tensor::try_from_byte_strings(rows, [rows.len()]).unwrap()
}

#[tf_function]
fn traced(records: &Tensor) -> (Tensor, Tensor, Tensor) {
    let parsed = tf::io::parse_example(records, &spec());
    (parsed.dense("a") * 2.0, parsed.sparse("tags").values.clone(), parsed.ragged("rows").row_splits[0].clone())
}

#[test]
fn examples_are_parsed_as_tensorflow_parses_them() {
    let recorded = recorded();
    let records: Vec<Vec<u8>> = recorded["examples"].as_array().unwrap().iter().map(bytes).collect();
    assert_eq!(all_of(&tf::io::parse_example(&strings(&records), &spec())), recorded["parse_example"]);
    for (record, expected) in records.iter().zip(recorded["parse_single_example"].as_array().unwrap()) {
        assert_eq!(all_of(&tf::io::parse_single_example(&string(record), &spec())), *expected);
        let example = Example::parse(record).unwrap();
        assert_eq!(example.serialize(), *record, "a record that is read and written again");
    }
    let made = Example::of([
        ("a", Feature::float_list([1.0, 2.0])),
        ("n", Feature::int64_list([7])),
        ("tags", Feature::bytes_list(["x", "yz"])),
        ("steps", Feature::int64_list([1, 2, 3, 4])),
        ("more", Feature::bytes_list(["p", "q"])),
    ]);
    assert_eq!(made.serialize(), records[0], "TensorFlow's bytes");
    let (a, tags, splits) = traced(&strings(&records));
    assert_eq!(values(&(a / 2.0)), recorded["parse_example"]["a"]["values"].as_array().unwrap()[..]);
    assert_eq!(json!(values(&tags)), recorded["parse_example"]["tags"]["values"]["values"]);
    assert_eq!(json!(values(&splits)), recorded["parse_example"]["rows"]["row_splits"][0]);
}

#[test]
fn sequences_are_parsed_as_tensorflow_parses_them() {
    let recorded = recorded();
    let records: Vec<Vec<u8>> = recorded["sequences"].as_array().unwrap().iter().map(bytes).collect();
    let context =
        [("id", FixedLenFeature::new(&[], tf::int64).into()), ("more", VarLenFeature::new(tf::float32).into())];
    let steps = [
        ("x", FixedLenSequenceFeature::new(&[2], tf::float32).into()),
        ("words", VarLenFeature::new(tf::string).into()),
    ];
    for (record, expected) in records.iter().zip(recorded["single_sequence"].as_array().unwrap()) {
        let (own, lists) = tf::io::parse_single_sequence_example(&string(record), &context, &steps);
        assert_eq!(json!([all_of(&own), all_of(&lists)]), *expected);
        assert_eq!(SequenceExample::parse(record).unwrap().serialize(), *record);
    }
    let (own, lists, lengths) = tf::io::parse_sequence_example(&strings(&records), &context, &steps);
    assert_eq!(json!([all_of(&own), all_of(&lists)]), json!(recorded["sequence"].as_array().unwrap()[..2]));
    assert_eq!(all_of(&lengths)["x"], recorded["sequence"][2]["x"]);
    let ragged = [("words", RaggedFeature::new(tf::string).into())];
    let (_, lists, _) = tf::io::parse_sequence_example(&strings(&records), &[], &ragged);
    assert_eq!(all_of(&lists), recorded["ragged_sequence"]);
}

#[test]
fn records_that_do_not_fit_are_errors() {
    let record = Example::of([("a", Feature::float_list([1.0])), ("n", Feature::float_list([1.0]))]).serialize();
    let one = |name: &'static str, spec: FeatureSpec| {
        tf::io::try_parse_example(&strings(std::slice::from_ref(&record)), &[(name, spec)]).unwrap_err().to_string()
    };
    for (text, parts) in [
        (one("a", FixedLenFeature::new(&[2], tf::float32).into()), ["record 0", "`a`", "another number"]),
        (one("n", FixedLenFeature::new(&[], tf::int64).into()), ["record 0", "`n`", "another kind"]),
        (one("z", FixedLenFeature::new(&[], tf::int64).into()), ["record 0", "`z`", "default_value"]),
        (one("a", FixedLenFeature::new(&[], tf::int32).into()), ["`a`", "no such dtype", "float32, int64 or string"]),
        (one("a", FixedLenSequenceFeature::new(&[], tf::float32).into()), ["`a`", "allow_missing", "sequence"]),
    ] {
        assert!(parts.iter().all(|part| text.contains(part)) && text.contains("images/records.rs:"), "{text}");
    }
    let damaged =
        tf::io::try_parse_example(&strings(&[record.clone(), b"\xff\xff".to_vec()]), &spec()).unwrap_err().to_string();
    assert!(damaged.contains("record 1"), "{damaged}");
}

#[test]
fn raw_bytes_are_numbers_in_both_orders() {
    let raw: Vec<u8> = (3..19).collect();
    let back: Vec<u8> = raw.iter().rev().copied().collect();
    let x = strings(&[raw, back]);
    for (case, expected) in recorded()["raw"].as_object().unwrap() {
        let (dtype, little) = case.split_once(' ').unwrap();
        let all = [
            tf::uint8,
            tf::int8,
            tf::uint16,
            tf::int16,
            tf::int32,
            tf::int64,
            tf::float16,
            tf::float32,
            tf::float64,
            tf::complex64,
        ];
        let dtype = *all.iter().find(|of| of.to_string() == dtype).unwrap();
        let numbers = tf::io::decode_raw(&x, dtype, little == "True");
        assert_eq!(numbers.shape().dims(), [2, 16 / dtype.size()], "{case}");
        // Every dtype shows its bytes as `uint8`s.
        let shown = if dtype.is_complex() { numbers } else { tf::bitcast(&numbers, tf::uint8) };
        if dtype.is_complex() {
            let parts = tf::bitcast(tf::stack(&[tf::real(&shown), tf::imag(&shown)], -1), tf::uint8);
            assert_eq!(parts.to_vec::<u8>(), bytes(expected), "{case}");
        } else {
            assert_eq!(shown.to_vec::<u8>(), bytes(expected), "{case}");
        }
    }
    assert!(
        tf::io::try_decode_raw(tf::constant(["ab", "c"]), tf::uint8, true)
            .unwrap_err()
            .to_string()
            .contains("string 1")
    );
    assert!(tf::io::try_decode_raw("abc", tf::uint16, true).is_err());
}

fn csv_options(name: &str) -> (Vec<CsvDefault>, CsvDecoding) {
    let options = CsvDecoding::new();
    match name {
        "plain" => (vec![0.into(), 9.0_f32.into(), "none".into()], options),
        "quotes" | "quote inside" | "open quote" | "quote not doubled" => (vec![0.into(), "x".into()], options),
        "tabs" => (vec![0.into(), 0.into()], options.field_delim('\t')),
        "missing" => (vec![7.into(), 8.into()], options.na_value("NA")),
        "chosen" => (vec![0.into(), 0.into()], options.select_cols(&[1, 3])),
        "last" => (vec![0.into(), 0.into(), 6.into()], options),
        "no quotes" => (vec![0.into(), "x".into()], options.use_quote_delim(false)),
        "required" => (vec![0.into(), CsvDefault::Required(tf::int32)], options),
        "no number" => (vec![0.into()], options),
        _ => (vec![0.into(), 0.into()], options),
    }
}

#[test]
fn csv_lines_are_columns() {
    for (name, case) in recorded()["csv"].as_object().unwrap() {
        let lines: Vec<&str> = case["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        let lines = Tensor::try_from_byte_strings(&lines, [lines.len()]).unwrap();
        let (defaults, options) = csv_options(name);
        match tf::io::try_decode_csv(&lines, &defaults, options) {
            Ok(columns) => {
                assert_eq!(json!(columns.iter().map(written).collect::<Vec<_>>()), case["columns"], "{name}")
            }
            Err(error) => {
                assert!(case["error"] == true, "{name}: {error}");
                assert!(error.to_string().contains("record 0") && error.to_string().contains("records.rs:"), "{error}");
            }
        }
    }
}

#[test]
fn wav_files_are_samples() {
    let recorded = recorded();
    let file = bytes(&recorded["wav"]["file"]);
    let audio = tf::constant([[0.5, -0.25], [1.5, -2.0], [0.1, 0.99999], [-1.0, 1e-5]]);
    assert_eq!(tf::audio::encode_wav(&audio, 16_000).to_byte_strings(), std::slice::from_ref(&file));
    for channels in [-1, 1, 3] {
        for samples in [-1, 2, 6] {
            let (x, rate) =
                tf::audio::decode_wav(&string(&file), usize::try_from(channels).ok(), usize::try_from(samples).ok());
            let mut own = written(&x);
            own["rate"] = rate.item::<i32>().into();
            assert_eq!(own, recorded["wav"][format!("{channels} {samples}")]);
        }
    }
    for length in 0..file.len() {
        assert!(tf::audio::try_decode_wav(&string(&file[..length]), None, None).is_err(), "{length}");
    }
}

#[tf_function]
fn traced_resize(x: &Tensor) -> Tensor {
    tf::image::resize(x, (7, 4), ResizeMethod::Bilinear)
}

#[test]
fn images_are_resized_as_tensorflow_resizes_them() {
    let images = tf::pow(tf::range(0.0, 60.0, 1.0).cast(DType::F32), 1.5).reshape([2, 3, 5, 2]);
    let close = |own: &Tensor, expected: &Value, case: &str| {
        assert_eq!(json!(own.shape().dims()), expected["shape"], "{case}");
        for (own, expected) in own.to_vec::<f32>().iter().zip(expected["values"].as_array().unwrap()) {
            let expected = expected.as_f64().unwrap();
            assert!(
                (f64::from(*own) - expected).abs() <= 1e-5 * expected.abs().max(1.0),
                "{case}: {own}, TensorFlow {expected}"
            );
        }
    };
    for (case, expected) in recorded()["resize"].as_object().unwrap() {
        let parts: Vec<&str> = case.split(' ').collect();
        let method = if parts[2] == "nearest" { ResizeMethod::Nearest } else { ResizeMethod::Bilinear };
        let own = tf::image::resize(
            &images,
            (parts[0].parse::<usize>().unwrap(), parts[1].parse::<usize>().unwrap()),
            method,
        );
        close(&own, expected, case);
    }
    close(&traced_resize(&images), &recorded()["resize"]["7 4 bilinear"], "traced");
}
