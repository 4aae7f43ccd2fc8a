//! The numbers that Keras gave: tensors of a JSON file by name, and how near to them ours must be.
//! The rows of every family read and compare with it.

use eagerflow as tf;
use serde_json::Value;
use tf::{DType, Shape, Tensor};

/// The file of a family, `tests/golden/keras_<family>.json`.
pub fn file(family: &str) -> Value {
    let path = format!("{}/golden/keras_{family}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The rows of a file that have a name under `key`, with it. In a process whose operations run on an emulated GPU, where each kernel is
/// compiled, those that come first under their name, unless `EAGERFLOW_HEAVY` asks for all.
pub fn rows(family: &str, key: &str) -> Vec<(String, Value)> {
    let few = std::env::var_os("EAGERFLOW_DEVICE").is_some() && std::env::var_os("EAGERFLOW_HEAVY").is_none();
    let mut seen = std::collections::BTreeSet::new();
    let file = file(family);
    let named = file.as_object().expect("rows").iter().filter_map(|(name, row)| Some((name, row, row[key].as_str()?)));
    let wanted = named.filter(|(_, _, class)| seen.insert((*class).to_owned()) || !few);
    wanted.map(|(name, row, _)| (name.clone(), row.clone())).collect()
}

/// A tensor of the form `{"dtype": "float32", "shape": [2, 3], "data": [..]}`, where nan and infinities are texts.
pub fn tensor(value: &Value) -> Tensor {
    let dtype = dtype(value["dtype"].as_str().expect("a dtype"));
    let sizes: Vec<usize> = list(&value["shape"]).iter().map(|n| n.as_u64().expect("a size") as usize).collect();
    let numbers: Vec<f64> = list(&value["data"]).iter().map(number).collect();
    let shape = Shape::new(&sizes).expect("a shape");
    tf::cast(&tf::reshape(&Tensor::from(numbers), shape), dtype)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// A number, or the text that stands for one which JSON has no word for.
pub fn number(value: &Value) -> f64 {
    match value {
        Value::Bool(truth) => f64::from(u8::from(*truth)),
        Value::String(text) => text.parse().unwrap_or_else(|_| panic!("no number: {text}")),
        other => other.as_f64().unwrap_or_else(|| panic!("no number: {other}")),
    }
}

fn dtype(name: &str) -> DType {
    [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32, DType::I64, DType::U8, DType::I8, DType::Bool]
        .into_iter()
        .find(|dtype| dtype.to_string() == name)
        .unwrap_or_else(|| panic!("no dtype of these tests: {name}"))
}

/// Fails unless shape and dtype are Keras's and every element is near: within `tolerance` of the larger of 1 and its size.
#[track_caller]
pub fn near(what: &str, ours: &Tensor, keras: &Value, tolerance: f64) {
    let right = tensor(keras);
    assert_eq!(ours.shape(), right.shape(), "{what}: shape");
    assert_eq!(ours.dtype(), right.dtype(), "{what}: dtype");
    let wide = |x: &Tensor| tf::cast(x, DType::F64).to_vec::<f64>();
    for (at, (&a, &b)) in wide(ours).iter().zip(&wide(&right)).enumerate() {
        let same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * b.abs().max(1.0);
        assert!(same, "{what}: element {at} is {a}, Keras has {b}");
    }
}

#[test]
fn numbers_are_read_and_compared() {
    let value = serde_json::json!({"dtype": "float32", "shape": [2], "data": [1.5, "NaN"]});
    near("itself", &tensor(&value), &value, 0.0);
    let other = Tensor::from([1.5f32, 2.0]);
    assert!(std::panic::catch_unwind(|| near("other", &other, &value, 1e-6)).is_err());
}
