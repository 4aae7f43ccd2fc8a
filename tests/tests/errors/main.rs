//! Bad input: each call answers a clear error with the operation, what was got and expected, and the user's own line.
//! From `try_` forms nothing panics; the panicking forms panic at the line of this file that called them.

mod arguments;
mod caught;
mod comparisons;
mod divisors;
mod files;
mod headers;
mod hints;
mod labels;
mod missing;
mod modules;
mod options;
mod panics;
mod said;
mod state;
mod sweep;

use eagerflow::{Error, Result};

/// Checks one refused call: its kind, its operation, the words it must contain, and that it points into this package.
fn check<T>(name: &str, result: Result<T>, kind: &str, op: &str, words: &[&str], file: &str, line: u32) {
    let Err(error) = result else { panic!("{name}: was not refused") };
    let text = error.to_string();
    assert!(text.starts_with(&format!("{kind}: ")), "{name}: expected {kind}: {text}");
    assert_eq!(error.report().op(), op, "{name}: {text}");
    assert!(text.contains("\n  got: "), "{name} does not say what it got: {text}");
    assert!(
        text.contains("\n  expected: ") || text.contains("\n  help: "),
        "{name} does not say what is right: {text}"
    );
    assert!(!caught::names_the_library(&text), "{name} names a line of the library: {text}");
    for word in words {
        assert!(text.contains(word), "{name} does not mention {word:?}: {text}");
    }
    let at = error.report().location().unwrap_or_else(|| panic!("{name} names no line: {text}"));
    assert_eq!(at.file(), file, "{name} names another file: {text}");
    // rustfmt may spread a call over a few lines.
    assert!((line..line + 8).contains(&at.line()), "{name} names line {}, expected {line}: {text}", at.line());
    assert!(text.contains(&format!("\n  at: {file}:{}", at.line())), "{name} does not print its line: {text}");
    let again = Error::clone(&error);
    assert_eq!(again.to_string(), text);
}

/// `refused!(call, kind, operation, words)`: a `try_` call of this line that must answer such an error.
macro_rules! refused {
    ($call:expr, $kind:ident, $op:literal, $words:expr) => {
        crate::check(stringify!($call), $call, stringify!($kind), $op, &$words, file!(), line!())
    };
}
use refused;
