//! The op suite on a device against the CPU: every golden case is called on both, and values, errors and types compared.
//! The op table's test for GPUs and the example `gpu_check` run it.

use crate::compare::{Bound, differences, magnitude, show};
use crate::golden::{self, Array, Case};
use crate::rows::{self, Call, Row};
use eagerflow::{self as tf, Tensor};
use std::collections::BTreeSet;

/// Whether this process runs all operations on a GPU.
pub fn on_a_gpu() -> bool {
    std::env::var_os("EAGERFLOW_DEVICE").is_some()
}

/// What a run of the suite found.
#[derive(Debug, Default)]
pub struct Found {
    /// Operations that were called.
    pub operations: usize,
    /// Cases that were compared.
    pub cases: usize,
    /// What differs, a line each.
    pub complaints: Vec<String>,
    /// Operations that read elements of the device while they run, or whose results lie elsewhere.
    pub on_host: BTreeSet<&'static str>,
}

/// Compares all operations that `chosen` names, called on `device`, with the CPU's; `reads` says how often the host has read from it.
pub fn compare(device: &str, chosen: &dyn Fn(&str) -> bool, reads: &dyn Fn() -> u64) -> Found {
    let sections = golden::ops();
    // Full precision: factors rounded to TensorFloat-32 have three digits.
    let rounded = tf::config::tensor_float_32_execution_enabled();
    tf::config::enable_tensor_float_32_execution(false);
    let mut found = Found::default();
    for row in rows::all().into_iter().filter(|row| chosen(row.name)) {
        let Some(section) = sections.iter().find(|s| s.op == row.name) else { continue };
        found.operations += 1;
        prepare(&row, &section.cases, device);
        for case in &section.cases {
            found.cases += 1;
            let (outcome, there) = check(&row, case, device, reads);
            if !there {
                found.on_host.insert(row.name);
            }
            if let Err(complaint) = outcome {
                found.complaints.push(format!("{} {} {}: {complaint}", row.name, case.case, case.dtype));
            }
        }
    }
    tf::config::enable_tensor_float_32_execution(rounded);
    found
}

/// Compiles the kernels of these cases together: what is called one after the other would compile them one by one.
fn prepare(row: &Row, cases: &[Case], device: &str) {
    let prepared = eagerflow::__testing::compile_kernels_of(|| {
        for case in cases {
            // Results have no elements, which is an error as soon as they are read.
            let _ = run(row, case, device, &|| 0);
        }
    });
    if let Err(error) = prepared {
        eprintln!("{}: {error}", row.name);
    }
}

/// The outputs on the host, and whether they lay on the device and nothing was read before; or the error's kind and text, which may only
/// come to light when elements are read.
fn run(row: &Row, case: &Case, device: &str, reads: &dyn Fn() -> u64) -> Result<(Vec<Array>, bool), (String, String)> {
    let told = |error: tf::Error| (kind_of(&error), error.to_string());
    let _there = tf::try_device(device).map_err(told)?;
    let x: Vec<Tensor> = case.inputs.iter().map(Array::tensor).collect();
    let before = reads();
    let outputs = (row.call)(&Call { x: &x, a: &case.attrs }).map_err(told)?;
    let wanted = tf::Device::parse(device).map_err(told)?;
    // A number that is the same for all stays with the host, as does an operand that is given back as it is.
    let fine = |y: &Tensor| y.device() == wanted || y.num_elements() == 1 || x.iter().any(|x| x.id() == y.id());
    let there = reads() == before && outputs.iter().all(fine);
    let fetch = |output: &Tensor| output.to_device("/cpu:0").map(|here| Array::of(&here)).map_err(told);
    outputs.iter().map(fetch).collect::<Result<_, _>>().map(|arrays| (arrays, there))
}

/// The name of an error's kind.
pub fn kind_of(error: &tf::Error) -> String {
    error.to_string().split(':').next().unwrap_or_default().to_string()
}

/// Functions of floats differ from those of the CPU, and sums are taken in another order.
fn widened(bound: Bound) -> Bound {
    if bound == Bound::EXACT || bound == Bound::EQUAL {
        return bound;
    }
    let wide = |ulps: f64, least: f64| if ulps > 0.0 { (2.0 * ulps).max(least) } else { ulps };
    Bound {
        relative: wide(bound.relative, 8.0),
        scale: wide(bound.scale, 4.0),
        half: wide(bound.half, 2.0),
        absolute: wide(bound.absolute, 4.0),
    }
}

/// What differs between the device and the CPU, and whether all happened on the device.
fn check(row: &Row, case: &Case, device: &str, reads: &dyn Fn() -> u64) -> (Result<(), String>, bool) {
    match (run(row, case, device, reads), run(row, case, "/cpu:0", &|| 0)) {
        (Ok((got, there)), Ok((want, _))) => (equal(row, case, &got, &want), there),
        (Err((kind, _)), Err((want, _))) if kind == want => (Ok(()), true),
        (Err((kind, _)), Err(_)) if rows::runs_on_the_cpu_alone(row.name) && kind == "Unimplemented" => (Ok(()), true),
        (Err((kind, text)), Err((want, _))) => (Err(format!("error {kind}, expected {want}: {text}")), true),
        // What runs on the CPU alone says so, and how to get there.
        (Err((kind, text)), Ok(_))
            if rows::runs_on_the_cpu_alone(row.name) && kind == "Unimplemented" && text.contains("`x.cpu()`") =>
        {
            (Ok(()), true)
        }
        (Err((_, text)), Ok(_)) => (Err(text), true),
        (Ok((got, there)), Err((want, _))) => (Err(format!("expected {want}, got {got:?}")), there),
    }
}

fn equal(row: &Row, case: &Case, got: &[Array], want: &[Array]) -> Result<(), String> {
    let scale = magnitude(case.inputs.iter().chain(want));
    for (got, want) in got.iter().zip(want) {
        let found = differences(got, want, widened(row.bound), scale)?;
        if !found.is_empty() {
            return Err(show(got, want, &found));
        }
    }
    if got.len() == want.len() { Ok(()) } else { Err(format!("{} outputs, expected {}", got.len(), want.len())) }
}
