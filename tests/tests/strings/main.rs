//! Operations on strings against real TensorFlow's answers in `golden/ops_strings.json`: as they are, on strided inputs, and recorded
//! with all sizes unknown. What moves strings, traced functions, data sets and files of strings have tests beside it.

mod parsed;
mod saved;
mod traced;

use eagerflow as tf;
use serde_json::Value;
use tf::__testing::{Naming, record_open};
use tf::strings::{AsStringOptions, StringUnit};
use tf::{DType, Error, Result, Tensor};

struct Record {
    op: String,
    attrs: Value,
    inputs: Vec<Tensor>,
    /// TensorFlow's outputs, or the name of its error.
    answer: std::result::Result<Vec<Tensor>, String>,
}

fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).expect("a byte")).collect()
}

fn tensor(array: &Value) -> Tensor {
    let shape: Vec<usize> = array["shape"].as_array().unwrap().iter().map(|d| d.as_u64().unwrap() as usize).collect();
    let data = array["data"].as_array().unwrap();
    let float = |v: &Value| v.as_str().map_or_else(|| v.as_f64().unwrap(), |text| text.parse().unwrap());
    match array["dtype"].as_str().unwrap() {
        "string" => {
            let strings: Vec<Vec<u8>> = data.iter().map(|v| bytes(v.as_str().unwrap())).collect();
            Tensor::try_from_byte_strings(&strings, shape).unwrap()
        }
        "bool" => Tensor::try_from_vec(data.iter().map(|v| v.as_bool().unwrap()).collect(), shape).unwrap(),
        "uint64" => {
            Tensor::try_from_vec(data.iter().map(|v| v.as_u64().unwrap()).collect::<Vec<u64>>(), shape).unwrap()
        }
        name => {
            let dtype = DType::from_name(name).unwrap();
            let wide = match dtype.is_floating() {
                true => Tensor::try_from_vec(data.iter().map(float).collect::<Vec<f64>>(), shape),
                false => Tensor::try_from_vec(data.iter().map(|v| v.as_i64().unwrap()).collect::<Vec<i64>>(), shape),
            };
            tf::cast(&wide.unwrap(), dtype)
        }
    }
}

fn records() -> Vec<Record> {
    let text = include_str!("../../golden/ops_strings.json");
    let record = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        let list = |key: &str| record[key].as_array().unwrap().iter().map(tensor).collect();
        Record {
            op: record["op"].as_str().unwrap().to_owned(),
            attrs: record["attrs"].clone(),
            inputs: list("inputs"),
            answer: match record.get("error") {
                Some(error) => Err(error.as_str().unwrap().to_owned()),
                None => Ok(list("outputs")),
            },
        }
    };
    text.lines().skip(1).map(record).collect()
}

fn unit(a: &Value) -> StringUnit {
    if a["unit"] == "UTF8_CHAR" { StringUnit::Utf8Char } else { StringUnit::Byte }
}

fn options(a: &Value) -> AsStringOptions {
    AsStringOptions {
        precision: a["precision"].as_u64().map(|n| n as usize),
        scientific: a["scientific"] == true,
        shortest: a["shortest"] == true,
        width: a["width"].as_u64().unwrap_or(0) as usize,
        fill: a["fill"].as_str().and_then(|fill| fill.chars().next()),
    }
}

/// Calls what a record is about.
fn call(op: &str, a: &Value, x: &[Tensor]) -> Result<Vec<Tensor>> {
    let text = |key: &str| a[key].as_str().unwrap().to_owned();
    let int = |key: &str| a[key].as_i64().unwrap();
    let refs: Vec<&Tensor> = x.iter().collect();
    let most = || usize::try_from(int("most")).unwrap_or(0);
    let dtype = || DType::from_name(&text("to")).unwrap();
    let [first, second] = [x.first(), x.get(1)].map(|x| x.cloned().unwrap_or_else(|| tf::constant(0)));
    match op {
        "unique" => return tf::try_unique(&first).map(|(values, numbers)| vec![values, numbers]),
        "unique_with_counts" => return tf::try_unique_with_counts(&first).map(|all| vec![all.0, all.1, all.2]),
        "dynamic_partition" => return tf::try_dynamic_partition(&first, &second, 3),
        _ => {}
    }
    Ok(vec![match op {
        "repeat" => tf::try_repeat(&x[0], &x[1], 1)?,
        "dynamic_stitch" => tf::try_dynamic_stitch(&x[..2], &x[2..])?,
        "length" => tf::strings::try_length_in(&x[0], unit(a))?,
        "substr" => tf::strings::try_substr_in(&x[0], int("at") as i32, int("len") as i32, unit(a))?,
        "substr_each" => tf::strings::try_substr(&x[0], &x[1], &x[2])?,
        "lower" if a["encoding"] == "utf-8" => tf::strings::try_lower_utf8(&x[0])?,
        "lower" => tf::strings::try_lower(&x[0])?,
        "upper" if a["encoding"] == "utf-8" => tf::strings::try_upper_utf8(&x[0])?,
        "upper" => tf::strings::try_upper(&x[0])?,
        "strip" => tf::strings::try_strip(&x[0])?,
        "regex_replace" if a["first"] == true => {
            tf::strings::try_regex_replace_first(&x[0], &text("pattern"), &text("rewrite"))?
        }
        "regex_replace" => tf::strings::try_regex_replace(&x[0], &text("pattern"), &text("rewrite"))?,
        "regex_full_match" => tf::strings::try_regex_full_match(&x[0], &text("pattern"))?,
        "to_number" => tf::strings::try_to_number(&x[0], dtype())?,
        "to_hash_bucket_fast" => tf::strings::try_to_hash_bucket_fast(&x[0], int("buckets"))?,
        "to_hash_bucket_strong" => {
            let key = a["key"].as_array().expect("a key").iter().map(|word| word.as_u64().expect("a word"));
            let key: Vec<u64> = key.collect();
            tf::strings::try_to_hash_bucket_strong(&x[0], int("buckets"), [key[0], key[1]])?
        }
        "to_hash_bucket" => tf::strings::try_to_hash_bucket(&x[0], int("buckets"))?,
        "split" => {
            let rows = tf::reshape(&x[0], [-1]);
            let (parts, starts) = match most() {
                0 => tf::strings::try_split_ragged(&rows, &text("separator"))?,
                most => {
                    let one = |i| tf::strings::try_split_with(rows.at(i), &text("separator"), most);
                    let all = (0..rows.shape()[0]).map(one).collect::<Result<Vec<_>>>()?;
                    let ends = all.iter().scan(0, |end, row| {
                        *end += row.shape()[0] as i64;
                        Some(*end)
                    });
                    let starts: Vec<i64> = std::iter::once(0).chain(ends).collect();
                    (tf::try_concat(&all, 0)?, Tensor::from(starts))
                }
            };
            return Ok(vec![parts, starts]);
        }
        "split_one" => tf::strings::try_split_with(&x[0], &text("separator"), most())?,
        "join" => tf::strings::try_join(&refs, &text("separator"))?,
        "reduce_join" => {
            let axes: Vec<isize> = a["axes"].as_array().unwrap().iter().map(|v| v.as_i64().unwrap() as isize).collect();
            tf::strings::try_reduce_join_with(&x[0], &axes, &text("separator"), a["keep"] == true)?
        }
        "reduce_join_all" => tf::strings::try_reduce_join(&x[0], &text("separator"))?,
        "unsorted_segment_join" => {
            tf::strings::try_unsorted_segment_join(&x[0], &x[1], int("segments") as isize, &text("separator"))?
        }
        "as_string" if a.as_object().unwrap().is_empty() => tf::try_as_string(&x[0])?,
        "as_string" => tf::strings::try_as_string_with(&x[0], &options(a))?,
        "serialize_tensor" => {
            let sizes = a["shape"].as_array().unwrap();
            let shape: Vec<usize> = sizes.iter().map(|v| v.as_u64().unwrap() as usize).collect();
            let made = match shape[0] {
                0 => tf::try_zeros(&shape[..], dtype())?,
                _ => tf::try_reshape(&tf::cast(&tf::constant([1, 0]), dtype()), &shape[..])?,
            };
            tf::io::try_serialize_tensor(&made)?
        }
        "serialize_strings" => tf::io::try_serialize_tensor(&x[0])?,
        "equal" => tf::try_equal(&x[0], &x[1])?,
        "not_equal" => tf::try_not_equal(&x[0], &x[1])?,
        "where" => tf::try_where(&x[0], &x[1], &x[2])?,
        "pad" => tf::try_pad(&x[0], [[1, 0], [0, 2]], tf::PadMode::Constant)?,
        "gather" => tf::try_gather(&x[0], &x[1], 1)?,
        "concat" => tf::try_concat(&refs, 0)?,
        "reverse" => tf::try_reverse(&x[0], 1)?,
        "tile" => tf::try_tile(&x[0], [1, 2])?,
        "transpose" => tf::try_transpose(&x[0], [])?,
        "update" => tf::try_tensor_scatter_nd_update(&x[0], &x[1], &x[2])?,
        "mask" => tf::try_boolean_mask(&x[0], &x[1], 0)?,
        "one_hot" => tf::try_one_hot(&x[0], 3, &x[1], &x[2], -1)?,
        "zeros_like" => tf::try_zeros_like(&x[0])?,
        other => panic!("no call of `{other}`"),
    }])
}

/// Whether two tensors are the same, nan included.
fn same(a: &Tensor, b: &Tensor) -> bool {
    a.dtype() == b.dtype()
        && a.shape() == b.shape()
        && match a.dtype() {
            DType::String => a.to_byte_strings() == b.to_byte_strings(),
            _ => tf::as_string(a).to_strings() == tf::as_string(b).to_strings() && bits(a) == bits(b),
        }
}

fn bits(x: &Tensor) -> Vec<u64> {
    match x.dtype().is_floating() {
        // All bits but those of nan.
        true => {
            tf::cast(x, DType::F64).to_vec::<f64>().iter().map(|v| if v.is_nan() { 1 } else { v.to_bits() }).collect()
        }
        false => tf::cast(x, DType::I64).to_vec::<i64>().iter().map(|v| *v as u64).collect(),
    }
}

/// The same tensor as a view that walks backwards through another.
fn strided(x: &Tensor) -> Tensor {
    match x.rank() {
        0 => x.clone(),
        _ => tf::reverse(x, 0).at(tf::s![..;-1]),
    }
}

fn complain(record: &Record, got: &Result<Vec<Tensor>>, how: &str) -> Option<String> {
    let fits = match (&record.answer, got) {
        (Ok(expected), Ok(got)) => expected.len() == got.len() && expected.iter().zip(got).all(|(a, b)| same(a, b)),
        (Err(_), Err(Error::InvalidArgument(_) | Error::OutOfRange(_))) => true,
        _ => false,
    };
    let Record { op, attrs, inputs, answer } = record;
    (!fits).then(|| format!("{op} {attrs} {how} of {inputs:?}\n  got {got:?}\n  not {answer:?}"))
}

#[test]
fn answers_are_tensorflows() {
    let mut complaints = Vec::new();
    for record in records() {
        let got = call(&record.op, &record.attrs, &record.inputs);
        complaints.extend(complain(&record, &got, ""));
        let turned: Vec<Tensor> = record.inputs.iter().map(strided).collect();
        if got.is_ok() {
            complaints.extend(complain(&record, &call(&record.op, &record.attrs, &turned), "strided"));
        }
    }
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn recorded_with_unknown_sizes_they_answer_the_same() {
    let mut complaints = Vec::new();
    for record in records().iter().filter(|r| r.answer.is_ok() && r.op != "split") {
        for naming in [Naming::BySize, Naming::Apart] {
            let open = record_open(&record.inputs, naming, |x| call(&record.op, &record.attrs, x));
            let got = open.and_then(|open| {
                assert!(open.pins.is_empty(), "{} reads a size: {:?}", record.op, open.pins);
                open.run(&record.inputs)
            });
            complaints.extend(complain(record, &got, "recorded"));
        }
    }
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}
