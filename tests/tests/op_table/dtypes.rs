//! Which dtypes an operation takes: those of TensorFlow's CPU kernel, and no others.
//! A refused dtype has to be an InvalidArgument that names it.

use super::{report, table};
use eagerflow::{DType, Error, Tensor};
use eagerflow_tests::golden::{Case, Section};
use eagerflow_tests::rows::{Call, Row};

#[test]
fn the_same_dtypes_are_taken_and_refused() {
    let mut complaints = Vec::new();
    for (row, section) in table() {
        for &dtype in &section.refused {
            let excused = row.except.iter().any(|e| e.case == "refused" && e.dtypes.contains(&dtype.name()));
            match (refusal(&row, &section, dtype), excused) {
                (Some(complaint), false) => complaints.push(complaint),
                (None, true) => complaints.push(format!("{}: {dtype} is refused after all", row.name)),
                _ => {}
            }
        }
        for &dtype in &section.accepted {
            if !section.cases.iter().any(|c| c.dtype == dtype && c.answer.is_ok()) {
                complaints.push(format!("{}: no case shows that {dtype} is taken", row.name));
            }
        }
        if section.accepted.len() + section.refused.len() != DType::ALL.len() {
            complaints.push(format!("{}: not every dtype is listed", row.name));
        }
    }
    report(complaints);
}

/// The first case that works in some dtype, run in one that must be refused.
fn refusal(row: &Row, section: &Section, dtype: DType) -> Option<String> {
    let case = section.cases.iter().find(|c| c.answer.is_ok() && c.case == "basic").or(section.cases.first())?;
    let x: Vec<Tensor> = inputs_as(case, dtype);
    if x.iter().all(|t| t.dtype() != dtype) {
        return None;
    }
    match (row.call)(&Call { x: &x, a: &case.attrs }) {
        Err(Error::InvalidArgument(report)) if report.to_string().contains(dtype.name()) => None,
        Err(other) => Some(format!("{}: {dtype} is refused, but by {other}", row.name)),
        Ok(_) => Some(format!("{}: {dtype} is taken, which TensorFlow refuses", row.name)),
    }
}

/// The inputs of a case with those of its dtype in another one.
fn inputs_as(case: &Case, dtype: DType) -> Vec<Tensor> {
    let convert = |array: &eagerflow_tests::golden::Array| match array.dtype == case.dtype {
        true => array.to_dtype(dtype).tensor(),
        false => array.tensor(),
    };
    case.inputs.iter().map(convert).collect()
}
