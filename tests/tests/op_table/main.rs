//! The op table: every operation and dtype against real TensorFlow's numbers in `golden/ops.json`.
//! Values, the dtypes taken and refused, and TensorFlow's errors are compared; a missing row is a failure.

mod coverage;
mod dtypes;
mod names;
mod others;
mod values;

use eagerflow_tests::golden::{self, Section};
use eagerflow_tests::rows::{self, Row};

/// The rows with their golden sections.
fn table() -> Vec<(Row, Section)> {
    let mut sections = golden::ops();
    let mut table = Vec::new();
    for row in rows::all() {
        let at = sections.iter().position(|s| s.op == row.name);
        let at = at.unwrap_or_else(|| panic!("ops.json has no numbers for `{}`", row.name));
        table.push((row, sections.swap_remove(at)));
    }
    table
}

/// Fails with all complaints at once, so that one run shows the whole picture.
fn report(complaints: Vec<String>) {
    let count = complaints.len();
    assert!(count == 0, "{count} complaints\n{}", complaints.join("\n"));
}

#[test]
fn the_table_holds_on_every_cpu_path() {
    eagerflow_tests::child::under_other_paths("values::results_and_errors_are_tensorflows");
}
