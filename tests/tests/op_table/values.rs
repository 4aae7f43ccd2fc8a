//! Results and errors of every golden case.
//! One test walks over all rows.

use super::{report, table};
use eagerflow_tests::compare::{Bound, differences, flush_denormals, magnitude, show};
use eagerflow_tests::golden::{Array, Case};
use eagerflow_tests::rows::{Call, Exception, Row};
use eagerflow_tests::suite::kind_of;

#[test]
fn results_and_errors_are_tensorflows() {
    let mut complaints = Vec::new();
    for (row, section) in table() {
        for case in &section.cases {
            let excuse = row.except.iter().find(|e| applies(e, case));
            let wider = excuse.map(|e| e.bound).filter(|b| *b != Bound::EXACT);
            let found = check(&row, case, wider.unwrap_or(row.bound));
            let complaint = match (found, excuse) {
                (Err((count, _)), Some(e)) if count <= e.elements => continue,
                (Ok(()), None) => continue,
                (Ok(()), Some(e)) if e.case.starts_with('*') => continue,
                (Ok(()), Some(e)) => format!("does not differ ({})", e.why),
                (Err((_, found)), _) => found,
            };
            complaints.push(format!("{} {} {}: {complaint}", row.name, case.case, case.dtype));
        }
    }
    report(complaints);
}

fn applies(exception: &Exception, case: &Case) -> bool {
    exception.case.strip_prefix('*').map_or(exception.case == case.case, |end| case.case.ends_with(end))
        && (exception.dtypes.is_empty() || exception.dtypes.contains(&case.dtype.name()))
}

/// The outputs, or the error's kind and text.
fn run(row: &Row, case: &Case, inputs: &[Array]) -> Result<Vec<Array>, (String, String)> {
    let x: Vec<_> = inputs.iter().map(Array::tensor).collect();
    match (row.call)(&Call { x: &x, a: &case.attrs }) {
        Ok(outputs) => Ok(outputs.iter().map(Array::of).collect()),
        Err(error) => Err((kind_of(&error), error.to_string())),
    }
}

/// The library tells an index beyond its dimension (OutOfRange) from a malformed call; TensorFlow's eager calls do not.
fn about_index(case: &str) -> bool {
    ["out_of_range", "pick_out_of_range", "batch_out_of_range", "negative", "negative_index", "too_long"]
        .contains(&case)
}

/// Compares one case; the error holds the number of elements that differ (0: the call itself) and a text.
fn check(row: &Row, case: &Case, bound: Bound) -> Result<(), (usize, String)> {
    let whole = |text: String| Err((0, text));
    let got = match (run(row, case, &case.inputs), &case.answer) {
        (Ok(got), Ok(_)) => got,
        (Err((kind, _)), Err(want)) if kind == *want || kind == "OutOfRange" && about_index(&case.case) => {
            return Ok(());
        }
        // What TensorFlow checks in Python is a `ValueError` there.
        (Err((kind, _)), Err(want)) if kind == "InvalidArgument" && want == "ValueError" => {
            return Ok(());
        }
        (Err((kind, text)), Err(want)) => return whole(format!("error {kind}, expected {want}: {text}")),
        (Err((_, text)), Ok(_)) => return whole(text),
        (Ok(got), Err(want)) => return whole(format!("expected {want}, got {got:?}")),
    };
    let want = case.answer.as_deref().unwrap_or_default();
    if got.len() != want.len() {
        return whole(format!("{} outputs, expected {}", got.len(), want.len()));
    }
    let scale = magnitude(case.inputs.iter().chain(want));
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let places = differences(got, want, bound, scale).map_err(|text| (0, text))?;
        let places = beyond_flushing(row, case, i, want, scale, places);
        if !places.is_empty() {
            return Err((places.len(), show(got, want, &places)));
        }
    }
    Ok(())
}

/// TensorFlow's arithmetic takes denormal inputs for zero. What is left of the differences when ours does too.
fn beyond_flushing(row: &Row, case: &Case, output: usize, want: &Array, scale: f64, places: Vec<usize>) -> Vec<usize> {
    let flushed: Vec<_> = case.inputs.iter().map(flush_denormals).collect();
    if places.is_empty() || !row.elementwise && row.bound == Bound::EXACT || flushed.iter().all(Option::is_none) {
        return places;
    }
    let inputs: Vec<_> = flushed.into_iter().zip(&case.inputs).map(|(f, i)| f.unwrap_or_else(|| i.clone())).collect();
    let Ok(again) = run(row, case, &inputs) else { return places };
    match differences(&again[output], want, row.bound, scale) {
        Ok(still) => places.into_iter().filter(|p| still.contains(p)).collect(),
        Err(_) => places,
    }
}
