//! Every golden case on a GPU, emulated where there is none, against the CPU: values, errors, and where results lie.
//! One test walks over all rows; `EAGERFLOW_ROWS` names some, for those who work on one operation.

use super::values::{kind_of, places};
use super::{report, table};
use eagerflow::{self as tf, Tensor};
use eagerflow_tests::compare::{Bound, differences, magnitude, show};
use eagerflow_tests::cuda::gpu;
use eagerflow_tests::golden::{Array, Case};
use eagerflow_tests::rows::{Call, Row};

#[test]
fn results_and_errors_are_those_of_the_cpu() {
    let Some(_gpu) = gpu() else { return };
    let asked = std::env::var("EAGERFLOW_ROWS").ok();
    let chosen = |name: &str| asked.as_deref().is_none_or(|list| list.split(',').any(|one| one == name));
    let mut complaints = Vec::new();
    for (row, section) in table().into_iter().filter(|(row, _)| chosen(row.name)) {
        for case in &section.cases {
            if let Err(complaint) = check(&row, case) {
                complaints.push(format!("{} {} {}: {complaint}", row.name, case.case, case.dtype));
            }
        }
    }
    report(complaints);
}

/// The outputs on the host, or the error's kind and text, which may only come to light when elements are read.
fn run(row: &Row, case: &Case, device: &str) -> Result<Vec<Array>, (String, String)> {
    let told = |error: tf::Error| (kind_of(&error), error.to_string());
    let _there = tf::device(device).map_err(told)?;
    let x: Vec<Tensor> = case.inputs.iter().map(Array::tensor).collect();
    let outputs = (row.call)(&Call { x: &x, a: &case.attrs }).map_err(told)?;
    let fetch = |output: &Tensor| output.to_device("/cpu:0").map(|here| Array::of(&here)).map_err(told);
    outputs.iter().map(fetch).collect()
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

fn check(row: &Row, case: &Case) -> Result<(), String> {
    let (got, want) = match (run(row, case, "/gpu:0"), run(row, case, "/cpu:0")) {
        (Ok(got), Ok(want)) => (got, want),
        (Err((kind, _)), Err((want, _))) if kind == want => return Ok(()),
        (Err((kind, text)), Err((want, _))) => return Err(format!("error {kind}, expected {want}: {text}")),
        (Err((_, text)), Ok(_)) => return Err(text),
        (Ok(got), Err((want, _))) => return Err(format!("expected {want}, got {got:?}")),
    };
    let scale = magnitude(case.inputs.iter().chain(&want));
    for (got, want) in got.iter().zip(&want) {
        let found = differences(got, want, widened(row.bound), scale)?;
        if !found.is_empty() {
            return Err(show(got, want, &found));
        }
    }
    places(got.len(), want.len())
}
