//! Mistakes that users of Keras make, each in one row with what its message must say: where in the model or which argument, what was
//! got and what was expected, what to do, and the user's line. `cargo test -p eagerflow-tests --test keras_mistakes` runs it.

mod layers;
mod models;
mod options;
mod training;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A mistake.
struct Row {
    name: &'static str,
    file: &'static str,
    /// Makes the mistake by a `try_` function; the message, or none if nobody minds.
    make: fn() -> Option<String>,
    /// What the message says.
    says: &'static [&'static str],
}

/// The message of what should have failed.
fn refused<T>(result: Result<T, impl Display>) -> Option<String> {
    result.err().map(|error| error.to_string())
}

/// Rows: a name, the mistake, and the words of its message.
macro_rules! rows {
    ($($name:literal: $mistake:block => [$($word:literal),+ $(,)?];)*) => {
        vec![$($crate::Row {
            name: $name,
            file: file!(),
            make: || $crate::refused($mistake),
            says: &[$($word),+],
        }),*]
    };
}
use rows;

/// The line of a message that stands behind `at:`, if it is in this file.
fn line_of(message: &str, file: &str) -> Option<u32> {
    let at = message.lines().find_map(|line| line.trim().strip_prefix("at: "))?;
    at.strip_prefix(file)?.strip_prefix(':')?.split(':').next()?.parse().ok()
}

/// The line that the message of a row names, or what is wrong with the message.
fn checked(row: &Row) -> Result<u32, String> {
    let message = match catch_unwind(AssertUnwindSafe(row.make)) {
        Err(_) => return Err("a panic came out of a `try_` function".to_owned()),
        Ok(None) => return Err("nobody minded".to_owned()),
        Ok(Some(message)) => message,
    };
    let missing: Vec<&&str> = row.says.iter().filter(|word| !message.contains(**word)).collect();
    if !missing.is_empty() {
        return Err(format!("{missing:?} are not in:\n{message}"));
    }
    if !message.contains("help: ") && !message.contains("expected: ") {
        return Err(format!("no way out in:\n{message}"));
    }
    line_of(&message, row.file).ok_or_else(|| format!("no line of the user in:\n{message}"))
}

/// Checks rows, and tells all that fall short at once. Their lines follow each other, so that each message names the line of its row.
#[track_caller]
fn check(rows: &[Row]) {
    let (mut faults, mut last) = (Vec::new(), 0);
    for row in rows {
        let fault = match checked(row) {
            Ok(line) if line <= last => format!("line {line}, after line {last} of the row before"),
            Ok(line) => {
                last = line;
                continue;
            }
            Err(fault) => fault,
        };
        faults.push(format!("## {}\n{fault}", row.name));
    }
    assert!(faults.is_empty(), "{} of {} rows fall short\n\n{}", faults.len(), rows.len(), faults.join("\n\n"));
}

#[test]
fn there_are_rows_enough_and_no_name_twice() {
    let all = [layers::rows(), models::rows(), options::rows(), training::rows()];
    let mut names: Vec<&str> = all.iter().flatten().map(|row| row.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert!(count >= 60 && names.len() == count, "{count} rows, {} names", names.len());
}
