//! Comma-separated files beside TensorFlow: records, errors, dtypes that are found, batches by name. States, and what errors say.
//! `tests/golden/tf_csv.py` has recorded what TensorFlow reads.

use super::folder::{Folder, elements};
use eagerflow::{self as tf, DType, Error, Tensor, tf_function};
use eagerflow_engine::library::SavedState;
use serde_json::{Value, json};
use std::path::Path;
use tf::data::{
    CsvColumn, CsvDataset, CsvOptions, Dataset, MakeCsvOptions, make_csv_dataset, make_labeled_csv_dataset,
};

fn recorded() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/tf_csv.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn dtype(name: &Value) -> DType {
    match name.as_str().unwrap() {
        "int32" => DType::I32,
        "int64" => DType::I64,
        "float32" => DType::F32,
        "float64" => DType::F64,
        _ => DType::String,
    }
}

fn columns(told: &Value) -> Vec<CsvColumn> {
    let column = |column: &Value| match (column.get("default"), dtype(&column["dtype"])) {
        (None, dtype) => CsvColumn::from(dtype),
        (Some(text), DType::String) => text.as_str().unwrap().into(),
        (Some(number), dtype) => {
            let number = number.as_f64().or_else(|| number[0].as_f64()).unwrap();
            Tensor::from(number).cast(dtype).into()
        }
    };
    told.as_array().unwrap().iter().map(column).collect()
}

/// A value as the record has it.
fn written(value: &Tensor) -> Value {
    let float = |x: f64| match x {
        x if x.is_nan() => json!("nan"),
        x if x.is_infinite() => json!(if x > 0.0 { "inf" } else { "-inf" }),
        x => json!(x),
    };
    match value.dtype() {
        DType::String => json!(value.item_string()),
        DType::F32 => float(f64::from(value.item::<f32>())),
        DType::F64 => float(value.item()),
        _ => json!(value.cast(DType::I64).item::<i64>()),
    }
}

#[test]
fn records_and_errors_are_tensorflows() {
    let folder = Folder::new();
    for case in recorded()["records"].as_array().unwrap() {
        let path = folder.put("x.csv", case["text"].as_str().unwrap());
        let mut options = CsvOptions::new();
        for (name, value) in case["options"].as_object().unwrap() {
            options = match name.as_str() {
                "header" => options.header(value.as_bool().unwrap()),
                "use_quote_delim" => options.use_quote_delim(value.as_bool().unwrap()),
                "na_value" => options.na_value(value.as_str().unwrap()),
                "field_delim" => options.field_delim(value.as_str().unwrap().chars().next().unwrap()),
                _ => {
                    let columns = value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize);
                    options.select_cols(columns.collect())
                }
            };
        }
        let mut iterator = CsvDataset::with(&path, columns(&case["columns"]), options).iter();
        let mut rows = Vec::new();
        loop {
            match iterator.try_next() {
                Ok(None) => break,
                Ok(Some(row)) => rows.push(Value::from(row.iter().map(written).collect::<Vec<_>>())),
                Err(error) => {
                    assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
                    rows.push(Value::Null);
                }
            }
        }
        assert_eq!(Value::from(rows), case["rows"], "{case}");
    }
}

fn values(column: &Tensor) -> Value {
    (0..column.shape()[0]).map(|row| written(&column.at(row as i64))).collect::<Vec<_>>().into()
}

#[test]
fn batches_and_dtypes_are_tensorflows() {
    for case in recorded()["batches"].as_array().unwrap() {
        let folder = Folder::new();
        for (name, text) in case["files"].as_object().unwrap() {
            folder.put(name, text.as_str().unwrap());
        }
        let told = &case["options"];
        let mut options = MakeCsvOptions::new().shuffle(false).num_epochs(1);
        for (name, value) in told.as_object().unwrap() {
            let number = || value.as_u64().unwrap() as usize;
            let texts = || value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned());
            options = match name.as_str() {
                "label_name" => options,
                "select_columns" if value[0].is_u64() => {
                    options.select_columns(value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize))
                }
                "select_columns" => options.select_columns(texts()),
                "column_names" => options.column_names(texts()),
                "column_defaults" => options.column_defaults(columns(value)),
                "num_rows_for_inference" => options.num_rows_for_inference(number()),
                "num_epochs" => options.num_epochs(number()),
                "ignore_errors" => options.ignore_errors(value.as_bool().unwrap()),
                "header" => options.header(value.as_bool().unwrap()),
                "na_value" => options.na_value(value.as_str().unwrap()),
                "field_delim" => options.field_delim(value.as_str().unwrap().chars().next().unwrap()),
                other => panic!("an option {other}"),
            };
        }
        let size = case["batch_size"].as_u64().unwrap() as usize;
        let pattern = folder.join("*.csv");
        let found: Vec<(std::collections::BTreeMap<String, Tensor>, Option<Tensor>)> = match told.get("label_name") {
            None => make_csv_dataset(&pattern, size, options).iter().take(4).map(|columns| (columns, None)).collect(),
            Some(label) => {
                let set = make_labeled_csv_dataset(&pattern, size, label.as_str().unwrap(), options);
                set.iter().take(4).map(|(columns, label)| (columns, Some(label))).collect()
            }
        };
        let batches: Vec<Value> = found
            .iter()
            .map(|(columns, label)| {
                let column = |(name, column): (&String, &Tensor)| {
                    (name.clone(), json!({"dtype": column.dtype().to_string(), "values": values(column)}))
                };
                let columns: serde_json::Map<String, Value> = columns.iter().map(column).collect();
                json!({"columns": columns, "label": label.as_ref().map(values)})
            })
            .collect();
        assert_eq!(Value::from(batches), case["batches"], "{case}");
    }
}

#[test]
fn errors_name_file_record_line_and_column() {
    let folder = Folder::new();
    let path = folder.put("people.csv", "name,age\n\"Doe,\nJ.\",41\nRoe,young\nPoe\n");
    let options = MakeCsvOptions::new().shuffle(false).num_epochs(1).column_defaults((tf::string, 0));
    let (_, error) = elements(&make_csv_dataset(&path, 5, options));
    let text = error.unwrap().to_string();
    for words in ["people.csv", "record 2 on line 4", "column 1 (`age`) is no int32", "\"young\"", "csv.rs"] {
        assert!(text.contains(words), "{words} in {text}");
    }
    let mut rows = CsvDataset::with(&path, (tf::string, 0), CsvOptions::new().header(true)).iter();
    let said: Vec<String> = (0..3).filter_map(|_| rows.try_next().err()).map(|e| e.to_string()).collect();
    assert!(said[1].contains("record 3 on line 5") && said[1].contains("number of fields"), "{}", said[1]);
    assert!(rows.try_next().unwrap().is_none());
}

#[test]
fn wrong_options_are_errors() {
    let folder = Folder::new();
    let (a, b) = (folder.put("a.csv", "x,y\n1,2\n"), folder.put("b.csv", "x,z\n1,2\n"));
    let make =
        |files: &[&Path], options: MakeCsvOptions| tf::data::try_make_csv_dataset(files, 2, options).unwrap_err();
    let plain = MakeCsvOptions::new;
    let all = [
        make(&[&a, &b], plain()),
        make(&[&folder.join("none*.csv")], plain()),
        make(&[&a], plain().select_columns(["w"])),
        make(&[&a], plain().select_columns(["x", "x"])),
        make(&[&a], plain().header(false)),
        make(&[&a], plain().column_defaults([0, 0, 0])),
        make(&[&a], plain().column_names(["x"])),
        tf::data::try_make_csv_dataset(&a, 0, plain()).unwrap_err(),
        tf::data::try_make_labeled_csv_dataset(&a, 2, "w", plain()).unwrap_err(),
        CsvDataset::try_new(&a, Vec::<CsvColumn>::new()).unwrap_err(),
        CsvDataset::try_new(&a, [DType::U8]).unwrap_err(),
        CsvDataset::try_new(&a, [tf::constant([1, 2])]).unwrap_err(),
        CsvDataset::try_with(&a, [0], CsvOptions::new().select_cols(vec![0, 1])).unwrap_err(),
        CsvOptions::new().try_select_cols(vec![1, 0]).unwrap_err(),
        CsvOptions::new().try_field_delim('"').unwrap_err(),
        CsvOptions::new().try_field_delim('é').unwrap_err(),
    ];
    for error in all {
        assert!(matches!(error, Error::InvalidArgument(_)) && error.to_string().contains("csv.rs"), "{error}");
    }
}

#[tf_function]
fn sum(set: &Dataset<Vec<Tensor>>) -> Tensor {
    let mut sum = tf::constant(0.0);
    for row in set {
        sum = sum + &row[1];
    }
    sum
}

#[test]
fn records_work_in_graphs_and_resume() {
    let folder = Folder::new();
    let path = folder.put("a.csv", "h,k\na,1\n\"b\n\",2\nc,3\nd,4\n");
    let build = || CsvDataset::with([&path, &path], (tf::string, 0.5f32), CsvOptions::new().header(true));
    assert_eq!(sum(&build()).item::<f32>(), 20.0);
    let words = |row: Vec<Tensor>| (row[0].item_string(), row[1].item::<f32>());
    let all: Vec<_> = build().iter().map(words).collect();
    let mut iterator = build().iter();
    for step in 0..=all.len() {
        let state = SavedState::save(&iterator).unwrap();
        let resumed = build().iter();
        let prepared = resumed.prepare(&state).unwrap();
        resumed.commit(prepared);
        assert_eq!(resumed.map(words).collect::<Vec<_>>(), all[step..], "step {step}");
        iterator.next();
    }
}

#[test]
fn shuffled_batches_have_no_end_unless_they_are_told() {
    let folder = Folder::new();
    let path = folder.put("a.csv", "x\n1\n2\n3\n");
    let set = make_csv_dataset(&path, 2, MakeCsvOptions::new().shuffle_seed(1));
    let all: Vec<i32> = set.iter().take(6).flat_map(|batch| batch["x"].to_vec::<i32>()).collect();
    assert_eq!((all.len(), all.iter().sum::<i32>()), (12, 24), "four passes, in full batches");
}
