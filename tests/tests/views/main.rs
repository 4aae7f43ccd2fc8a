//! Layouts: every operation gives the same bits whether its inputs are dense, strided, reversed, broadcast or of rank 8.
//! And large inputs, which several threads share, give what small pieces give.

mod order;
mod pieces;
mod rank8;
mod strided;

use eagerflow::Tensor;
use eagerflow_tests::compare::{Bound, differences, magnitude};
use eagerflow_tests::golden::{self, Array, Attrs, Numbers, Section};
use eagerflow_tests::rows::{self, Call, Row};

/// The rows with their golden sections.
fn table() -> Vec<(Row, Section)> {
    let sections = golden::ops();
    let section = |row: &Row| sections.iter().find(|s| s.op == row.name).cloned();
    rows::all().into_iter().filter_map(|row| section(&row).map(|s| (row, s))).collect()
}

/// The outputs, or the kind of the error.
fn run(row: &Row, x: &[Tensor], attrs: &Attrs) -> Result<Vec<Array>, String> {
    match (row.call)(&Call { x, a: attrs }) {
        Ok(outputs) => Ok(outputs.iter().map(Array::of).collect()),
        Err(error) => Err(error.to_string().lines().next().unwrap_or_default().to_string()),
    }
}

/// Whether a row may give these two results for the same elements in different layouts: the same bits, but sums and
/// extremes may be
/// taken in another order.
fn agree(row: &Row, inputs: &[Array], a: &Result<Vec<Array>, String>, b: &Result<Vec<Array>, String>) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) if !row.elementwise && row.bound != Bound::EXACT => {
            let scale = magnitude(inputs.iter().chain(b));
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| differences(a, b, row.bound, scale) == Ok(vec![]))
        }
        _ => same(a, b),
    }
}

/// Whether two results are the same, bit for bit; any nan is any nan.
fn same(a: &Result<Vec<Array>, String>, b: &Result<Vec<Array>, String>) -> bool {
    let (Ok(a), Ok(b)) = (a, b) else { return a == b };
    let one = |a: &Array, b: &Array| match (&a.data, &b.data) {
        _ if (a.dtype, &a.shape) != (b.dtype, &b.shape) => false,
        (Numbers::Floats(a), Numbers::Floats(b)) => {
            a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
        }
        (a, b) => a == b,
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| one(a, b))
}
