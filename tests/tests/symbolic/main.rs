//! No function of the library reads a symbolic size: every operation, layer, loss, metric and optimizer is recorded with
//! all sizes unknown, forward and its gradients of both orders, and the list gives the eager results for other sizes too.

mod arrays;
mod complex;
mod conv;
mod diagonals;
mod elementwise;
mod layers;
mod layers_conv;
mod library;
mod linalg;
mod linear;
mod norms;
mod random;
mod segments;
mod sequences;
mod shapes;
mod signal;
mod sorting;
mod spaces;
mod special;

use eagerflow as tf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::__testing::{Naming, operations as files, record_open};
use tf::{DType, GradientTape, Result, Tensor};

/// The sizes of one call: distinct ones, and none below 3, so that each can be a symbol of its own.
#[derive(Clone, Copy)]
struct Sizes {
    a: usize,
    b: usize,
    c: usize,
}

/// The sizes of the recorded call, and those of another one for which the same list must do.
const CALLS: [Sizes; 2] = [Sizes { a: 4, b: 3, c: 5 }, Sizes { a: 6, b: 7, c: 9 }];

type Body = dyn Fn(&[Tensor]) -> Result<Vec<Tensor>>;

/// A function to record.
struct Sample {
    /// The file in `ops/` that it is about, or another name.
    name: &'static str,
    inputs: fn(Sizes) -> Vec<Tensor>,
    body: Box<Body>,
    /// Why the function needs a size as a number, if it does.
    pins: Option<&'static str>,
    /// What is beyond this test, with the reason.
    leave_out: Without,
}

/// What a sample leaves out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Without {
    Nothing,
    /// The list holds for the sizes of the recorded call alone, because the sample's attributes or inputs do.
    OtherSizes,
}

impl Sample {
    fn new(
        name: &'static str,
        inputs: fn(Sizes) -> Vec<Tensor>,
        body: impl Fn(&[Tensor]) -> Result<Vec<Tensor>> + 'static,
    ) -> Self {
        Self { name, inputs, body: Box::new(body), pins: None, leave_out: Without::Nothing }
    }

    fn pinning(self, why: &'static str) -> Self {
        Self { pins: Some(why), leave_out: Without::OtherSizes, ..self }
    }

    fn of_one_size(self) -> Self {
        Self { leave_out: Without::OtherSizes, ..self }
    }
}

/// Numbers in f64 between -1 and 1, the same at every run.
fn x(dims: &[usize]) -> Tensor {
    let seed = dims.iter().fold(7, |h: u64, &d| h * 31 + d as u64);
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    let count = dims.iter().product();
    Tensor::try_from_vec((0..count).map(|_| next()).collect::<Vec<f64>>(), dims.to_vec()).unwrap()
}

/// Numbers above zero.
fn positive(dims: &[usize]) -> Tensor {
    x(dims).square() + 0.5
}

/// Integers from 0 to 2.
fn small(dims: &[usize]) -> Tensor {
    (x(dims) * 1.49 + 1.5).cast(DType::I32)
}

/// Truth values.
fn flags(dims: &[usize]) -> Tensor {
    tf::greater(x(dims), 0.1)
}

/// One result as a list.
fn one(y: Result<Tensor>) -> Result<Vec<Tensor>> {
    y.map(|y| vec![y])
}

/// The body's outputs, then the gradients of their squares by the inputs, then the gradients of those gradients.
fn with_gradients(body: &Body, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let sources: Vec<Tensor> = inputs.iter().filter(|t| t.dtype().is_floating()).cloned().collect();
    let mut outer = GradientTape::unwatched();
    outer.watch(&sources);
    let mut inner = GradientTape::unwatched();
    inner.watch(&sources);
    let mut all = body(inputs)?;
    // There is nothing to take a gradient by.
    if sources.is_empty() {
        return Ok(all);
    }
    let mut targets = Vec::new();
    for y in all.iter().filter(|y| y.dtype().is_floating()) {
        targets.push(tf::try_square(y)?);
    }
    let first = inner.try_gradient(&targets[..], &sources)?;
    let first: Vec<Tensor> = (0..sources.len()).filter_map(|i| first.get(i)).collect();
    let second = outer.try_gradient(&first[..], &sources)?;
    all.extend((0..sources.len()).filter_map(|i| second.get(i)));
    all.extend(first);
    Ok(all)
}

/// What is wrong with a sample under a naming of sizes, if anything is.
fn complaint(sample: &Sample, naming: Naming) -> Option<String> {
    let run = || -> std::result::Result<(), String> {
        let inputs = CALLS.map(sample.inputs);
        let body = |x: &[Tensor]| with_gradients(&*sample.body, x);
        let traced = record_open(&inputs[0], naming, body).map_err(|e| format!("{e}"))?;
        match (traced.pins.is_empty(), sample.pins) {
            (true, Some(why)) => return Err(format!("reads no size after all ({why})")),
            (false, None) => return Err(format!("{} pins: {}", traced.pins.len(), traced.pins.join(", "))),
            _ => {}
        }
        let calls = if sample.leave_out == Without::OtherSizes { &inputs[..1] } else { &inputs[..] };
        for (call, inputs) in calls.iter().enumerate() {
            let got = traced.run(inputs).map_err(|e| format!("call {call}: {e}"))?;
            let want = body(inputs).map_err(|e| format!("eager call {call}: {e}"))?;
            if got.len() != want.len() {
                return Err(format!("{} results instead of {}", got.len(), want.len()));
            }
            for (i, (got, want)) in got.iter().zip(&want).enumerate() {
                if !same(got, want) {
                    return Err(format!("call {call}, result {i}: {got:?} instead of {want:?}"));
                }
            }
        }
        Ok(())
    };
    let found = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(text.unwrap_or_else(|| panic.downcast_ref::<&str>().unwrap_or(&"a panic").to_string()))
    });
    found.err().map(|text| format!("{} ({naming:?}): {text}", sample.name))
}

/// Whether two tensors are the same bit for bit.
fn same(a: &Tensor, b: &Tensor) -> bool {
    if a.dtype() != b.dtype() || a.shape() != b.shape() {
        return false;
    }
    let bits = |t: &Tensor| t.cast(DType::F64).to_vec::<f64>().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    bits(a) == bits(b)
}

fn walk(samples: &[Sample], naming: Naming) {
    let complaints: Vec<String> = samples.iter().filter_map(|s| complaint(s, naming)).collect();
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
}

fn operations() -> Vec<Sample> {
    [
        arrays::samples(),
        complex::samples(),
        conv::samples(),
        diagonals::samples(),
        elementwise::samples(),
        shapes::samples(),
        linalg::samples(),
        linear::samples(),
        norms::samples(),
        random::samples(),
        segments::samples(),
        signal::samples(),
        sorting::samples(),
        spaces::samples(),
        special::samples(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn operations_read_no_size() {
    walk(&operations(), Naming::BySize);
}

#[test]
fn operations_read_no_size_where_all_sizes_are_apart() {
    walk(&operations(), Naming::Apart);
}

#[test]
fn the_library_reads_no_size() {
    walk(&library::samples(), Naming::BySize);
}

#[test]
fn convolutions_and_their_kin_read_no_size() {
    walk(&layers_conv::samples(), Naming::BySize);
}

#[test]
fn layers_of_sequences_read_no_size() {
    walk(&sequences::samples(), Naming::BySize);
}

/// Files of `ops/` without a sample here, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    ("assert", "through `debugging`"),
    ("fail", "has no inputs"),
    ("frame_window", "has no functions of its own: `stft` and `mdct` take windows"),
    ("iterator_next", "through data sets"),
    ("mel", "has no inputs"),
    ("print", "through traced functions"),
    ("random_draw", "through traced functions"),
    ("rows", "indices on the host"),
    ("size_from", "makes the unknown sizes; traced functions with sizes from tensors"),
    ("shape_of", "sizes themselves; traced functions with open sizes call it"),
];

#[test]
fn every_file_of_operations_has_a_sample() {
    let samples: Vec<&str> = operations().iter().chain(&library::samples()).map(|s| s.name).collect();
    for file in files() {
        let elsewhere = ELSEWHERE.iter().any(|(name, _)| name == file);
        assert!(samples.contains(file) != elsewhere, "`{file}` has no sample of unknown sizes, or two excuses");
    }
}
