//! `tf::image` beside real TensorFlow: values, what is refused, gradients, and the same from graphs with all sizes unknown.
//! `tests/golden/ops_image.py` has recorded what TensorFlow gives; `calls.rs` says how each operation is called here.

mod boxes;
mod calls;
mod facts;

use calls::call;
use eagerflow as tf;
use eagerflow_tests::golden::{Array, Attrs, Numbers};
use serde_json::Value;
use std::path::Path;
use tf::__testing::{Naming, record_open};
use tf::{DType, GradientTape, Tensor};

/// One call with TensorFlow's answer.
struct Case {
    op: String,
    attrs: Attrs,
    inputs: Vec<Tensor>,
    /// `None` where TensorFlow refuses it.
    outputs: Option<Vec<Array>>,
    gradients: Vec<Option<Array>>,
    text: String,
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/ops_image.json");
    let text = std::fs::read_to_string(path).unwrap();
    let arrays = |value: &Value| value.as_array().unwrap().iter().map(Array::parse).collect::<Vec<_>>();
    let parse = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let inputs = arrays(&row["inputs"]);
        let shapes: Vec<String> = inputs.iter().map(|x| format!("{}{:?}", x.dtype, x.shape)).collect();
        let gradients = row["gradients"].as_array().map_or(&[][..], |all| all);
        Case {
            op: row["op"].as_str().unwrap().to_owned(),
            attrs: Attrs(row["attrs"].clone()),
            inputs: inputs.iter().map(Array::tensor).collect(),
            outputs: row.get("outputs").map(arrays),
            gradients: gradients.iter().map(|g| (!g.is_null()).then(|| Array::parse(g))).collect(),
            text: format!("{} {} of {}", row["op"], row["attrs"], shapes.join(", ")),
        }
    };
    text.lines().map(parse).collect()
}

fn is_stateful(op: &str) -> bool {
    op.starts_with("random_")
}

/// How far results may lie from TensorFlow's: relative, and absolute.
fn bounds(op: &str, dtype: DType) -> (f64, f64) {
    match (op, dtype) {
        (_, DType::F16) => (4e-3, 4e-3),
        (_, DType::BF16) => (2e-2, 2e-2),
        // Weights that cancel, and quotients of small differences.
        ("resize" | "resize_with_pad", _) => (1e-5, 4e-6),
        ("ssim" | "ssim_map" | "ssim_multiscale", _) => (2e-4, 2e-5),
        ("rgb_to_hsv" | "adjust_hue" | "adjust_saturation", _) => (2e-5, 4e-6),
        (_, DType::F64) => (1e-7, 1e-7),
        _ => (4e-6, 2e-6),
    }
}

/// What is wrong with a result, if anything is. Integers that are made of floats may have been cut off on either side of one.
fn complaint(got: &Array, want: &Array, (relative, absolute): (f64, f64), steps: f64) -> Option<String> {
    if (got.dtype, &got.shape) != (want.dtype, &want.shape) {
        return Some(format!("got {}{:?} instead of {}{:?}", got.dtype, got.shape, want.dtype, want.shape));
    }
    let (g, w) = (got.to_f64(), want.to_f64());
    let is_close = |(g, w): (&f64, &f64)| match want.data {
        Numbers::Ints(_) => (g - w).abs() <= steps,
        Numbers::Floats(_) => g == w || g.is_nan() && w.is_nan() || (g - w).abs() <= absolute + relative * w.abs(),
    };
    let place = g.iter().zip(&w).position(|pair| !is_close(pair))?;
    let apart = g.iter().zip(&w).filter(|pair| !is_close(*pair)).count();
    Some(format!("{apart} of {} differ, at {place} {:?} instead of {:?}", g.len(), g[place], w[place]))
}

/// Steps of integers that a result may be apart, where colours are computed in floats and cut off.
fn steps(case: &Case) -> f64 {
    let largest = match case.inputs[0].dtype() {
        DType::I32 => 2048.0,
        _ => 1.0,
    };
    let is_computed =
        case.op.starts_with("adjust_") || case.op == "rgb_to_grayscale" || case.op.starts_with("stateless_");
    if is_computed && !case.op.contains("flip") && !case.op.contains("crop") { largest } else { 0.0 }
}

/// Cotangents by the recorder's formula.
fn upstream(y: &Tensor) -> Tensor {
    let count = y.shape().dims().iter().product::<usize>();
    let numbers = (0..count).map(|i| ((i * 7 % 11) as f64 - 4.0) / 4.0).collect();
    Tensor::try_from_vec(numbers, y.shape().dims().to_vec()).unwrap()
}

fn report(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn values_are_those_of_tensorflow() {
    let mut complaints = Vec::new();
    for case in cases() {
        if is_stateful(&case.op) {
            continue;
        }
        match (call(&case.op, &case.attrs, &case.inputs), &case.outputs) {
            (Ok(got), Some(want)) => {
                assert_eq!(got.len(), want.len(), "{}", case.text);
                for (got, want) in got.iter().zip(want) {
                    let fault = complaint(&Array::of(got), want, bounds(&case.op, want.dtype), steps(&case));
                    complaints.extend(fault.map(|fault| format!("{}: {fault}", case.text)));
                }
            }
            (Err(error), None) => {
                let name = case.op.trim_end_matches("_map");
                if error.report().op() != name {
                    complaints.push(format!("{}: the error names another function: {error}", case.text));
                }
            }
            (Ok(got), None) => complaints.push(format!("{}: TensorFlow refuses this; got {got:?}", case.text)),
            (Err(error), Some(_)) => complaints.push(format!("{}: {error}", case.text)),
        }
    }
    report(complaints);
}

#[test]
fn gradients_are_those_of_tensorflow() {
    let mut complaints = Vec::new();
    for case in cases() {
        if case.gradients.is_empty() {
            continue;
        }
        let mut tape = GradientTape::unwatched();
        tape.watch(&case.inputs);
        let outputs = call(&case.op, &case.attrs, &case.inputs).unwrap();
        let weighed: Vec<Tensor> = outputs
            .iter()
            .filter(|y| y.dtype().is_floating())
            .map(|y| tf::reduce_sum(y.cast(DType::F64) * upstream(y), ()))
            .collect();
        let gradients = tape.gradient(&weighed[..], &case.inputs);
        for (i, want) in case.gradients.iter().enumerate() {
            let Some(want) = want else { continue };
            let Some(got) = gradients.get(i) else {
                complaints.push(format!("{}: no gradient", case.text));
                continue;
            };
            let (relative, absolute) = bounds(&case.op, want.dtype);
            let scale = want.to_f64().iter().fold(1.0_f64, |most, v| most.max(v.abs()));
            let fault = complaint(&Array::of(&got), want, (4.0 * relative, 4.0 * absolute * scale), 0.0);
            complaints.extend(fault.map(|fault| format!("{}: gradient: {fault}", case.text)));
        }
    }
    report(complaints);
}

#[test]
fn graphs_with_unknown_sizes_give_the_same() {
    let mut complaints = Vec::new();
    for case in cases() {
        if is_stateful(&case.op) || case.outputs.is_none() {
            continue;
        }
        for naming in [Naming::BySize, Naming::Apart] {
            let run = || -> tf::Result<Option<String>> {
                let open = record_open(&case.inputs, naming, |x| call(&case.op, &case.attrs, x))?;
                if !open.pins.is_empty() {
                    return Ok(Some(format!("reads sizes: {}", open.pins.join(", "))));
                }
                let (got, want) = (open.run(&case.inputs)?, call(&case.op, &case.attrs, &case.inputs)?);
                let fault =
                    |(got, want): (&Tensor, &Tensor)| complaint(&Array::of(got), &Array::of(want), (1e-6, 1e-6), 0.0);
                Ok(got.iter().zip(&want).find_map(fault))
            };
            let fault = run().unwrap_or_else(|error| Some(error.to_string()));
            complaints.extend(fault.map(|fault| format!("{} ({naming:?}): {fault}", case.text)));
        }
    }
    report(complaints);
}

/// One test, since the global random state is one of the process.
#[test]
fn draws_of_the_global_state_are_those_of_tensorflow() {
    let mut complaints = Vec::new();
    for case in cases().iter().filter(|case| is_stateful(&case.op)) {
        tf::random::set_seed(17);
        let got = [0, 1].map(|_| call(&case.op, &case.attrs, &case.inputs).unwrap().remove(0));
        for (got, want) in got.iter().zip(case.outputs.as_ref().unwrap()) {
            let fault = complaint(&Array::of(got), want, bounds("adjust_hue", want.dtype), 0.0);
            complaints.extend(fault.map(|fault| format!("{}: {fault}", case.text)));
        }
    }
    report(complaints);
}
