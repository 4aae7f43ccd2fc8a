//! Each pipeline's elements, cardinality and error against TensorFlow's record; and the same elements in loops of graphs, over data sets
//! that are given and over those that the graph makes.

use super::cases::{Element, build};
use eagerflow::{self as tf, DType, Tensor, tf_function};
use serde_json::Value;
use std::path::Path;
use tf::data::{Cardinality, Dataset};

/// What TensorFlow recorded, by the names of the cases.
fn recorded() -> serde_json::Map<String, Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/tf_data.json");
    let all: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    all["cases"].as_object().unwrap().clone()
}

/// TensorFlow says otherwise of these: an endless data set, though its choices end.
const OTHER_CARDINALITY: [(&str, Cardinality); 1] = [("choose", Cardinality::Known(9))];

fn cardinality(number: i64) -> Cardinality {
    match number {
        -1 => Cardinality::Infinite,
        -2 => Cardinality::Unknown,
        count => Cardinality::Known(count as usize),
    }
}

/// A tensor as the record has it.
fn written(tensor: &Tensor) -> Value {
    let values: Vec<Value> = match tensor.dtype() {
        DType::String => tensor.to_strings().into_iter().map(Value::from).collect(),
        DType::F32 => tensor.to_vec::<f32>().into_iter().map(|x| Value::from(f64::from(x))).collect(),
        _ => tensor.cast(DType::I64).to_vec::<i64>().into_iter().map(Value::from).collect(),
    };
    serde_json::json!({"dtype": tensor.dtype().to_string(), "shape": tensor.shape().dims(), "values": values})
}

/// The elements up to the end or an error.
fn elements(set: &Dataset<Element>) -> (Vec<Value>, Option<tf::Error>) {
    let (mut iterator, mut all) = (set.iter(), Vec::new());
    loop {
        match iterator.try_next() {
            Ok(Some(element)) => all.push(Value::from(element.iter().map(written).collect::<Vec<_>>())),
            Ok(None) => return (all, None),
            Err(error) => return (all, Some(error)),
        }
    }
}

#[test]
fn elements_cardinalities_and_errors_are_tensorflow_s() {
    let mut wrong = Vec::new();
    for (name, record) in recorded() {
        let set = build(&name);
        let other = OTHER_CARDINALITY.iter().find(|(own, _)| *own == name).map(|(_, cardinality)| *cardinality);
        let expected = other.unwrap_or_else(|| cardinality(record["cardinality"].as_i64().unwrap()));
        if set.cardinality() != expected {
            wrong.push(format!("{name}: cardinality {}, TensorFlow {expected}", set.cardinality()));
        }
        let Some(expected) = record.get("elements") else { continue };
        let (own, error) = elements(&set);
        if Value::from(own.clone()) != *expected {
            wrong.push(format!("{name}: {}\n  TensorFlow: {expected}", Value::from(own)));
        }
        if error.is_some() != record.get("error").is_some() {
            wrong.push(format!("{name}: {error:?}, TensorFlow {:?}", record.get("error")));
        }
        if let Some(error) = error {
            let text = error.to_string();
            assert!(
                text.contains("tests/datasets/cases.rs:"),
                "{name}: the error names no line of the program: {text}"
            );
        }
    }
    assert!(wrong.is_empty(), "{} pipelines differ\n{}", wrong.len(), wrong.join("\n"));
}

/// A number for an element: its values and its sizes.
fn digest(element: &[Tensor]) -> Tensor {
    let mut sum = Tensor::from(0f64);
    for (i, tensor) in element.iter().enumerate() {
        let numbers = match tensor.dtype() {
            DType::String => tf::strings::to_hash_bucket_fast(tensor, 1000),
            _ => tensor.clone(),
        };
        let values = tf::reduce_sum(numbers.cast(DType::F64), ());
        sum = sum + (values + tf::size(tensor).cast(DType::F64) * 0.01) * (i + 1) as f64;
    }
    sum
}

fn after(total: &Tensor, element: &[Tensor]) -> Tensor {
    total * 1.25 + digest(element)
}

#[tf_function]
fn given(set: &Dataset<Element>) -> Tensor {
    let mut total = Tensor::from(0f64);
    for element in set {
        total = after(&total, &element);
    }
    total
}

#[tf_function]
fn made(name: &str) -> Tensor {
    let mut total = Tensor::from(0f64);
    for element in build(name) {
        total = after(&total, &element);
    }
    total
}

#[test]
fn loops_of_graphs_see_the_same_elements() {
    let mut wrong = Vec::new();
    for (name, record) in recorded() {
        let windows = name.starts_with("window") && name.ends_with("cardinality");
        if record.get("elements").is_none() || record.get("error").is_some() || windows {
            continue;
        }
        let total = build(&name).iter().fold(Tensor::from(0f64), |total, element| after(&total, &element));
        let total = total.item::<f64>();
        println!("{name}");
        for (how, own) in [("given", given(&build(&name))), ("made", made(&name))] {
            if own.item::<f64>() != total {
                wrong.push(format!("{name}, a data set that is {how}: {own} in the graph, {total} outside"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} pipelines differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_failing_pipeline_fails_in_a_graph_too() {
    let failed = std::panic::catch_unwind(|| given(&build("map_fails"))).unwrap_err();
    let text = failed.downcast_ref::<String>().unwrap();
    assert!(text.contains("cases.rs"), "{text}");
}
