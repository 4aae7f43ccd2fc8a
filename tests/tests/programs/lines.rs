//! How long the programs are beside those in Python, counted by one rule for both.
//! No program in Rust may have more than 1.2 times the lines of Keras's.
//!
//! The rule: lines of the programs as rustfmt (`rustfmt.toml`) and black (its defaults) lay them out, without blank lines, comments
//! and documentation, without imports (`use`, `import`, `from`), and without the tests in Rust. Everything else counts, attributes too.
//! What both share, reading the digits and running the programs, lies in files of its own and is counted on neither side.

use std::fs;
use std::path::Path;

const MOST: f64 = 1.2;
const PROGRAMS: [&str; 7] = ["vae", "transformer", "lstm", "reinforce", "ode_fit", "dcgan", "images"];

/// Lines of a program in Rust, up to its tests.
fn of_rust(text: &str) -> usize {
    let mut lines = text.lines().map(str::trim).take_while(|line| *line != "#[test]");
    let mut count = 0;
    while let Some(line) = lines.next() {
        if line.starts_with("use ") {
            let mut end = line;
            while !end.ends_with(';') {
                end = lines.next().expect("an import ends");
            }
        } else if !line.is_empty() && !line.starts_with("//") {
            count += 1;
        }
    }
    count
}

/// Lines of a program in Python.
fn of_python(text: &str) -> usize {
    let mut lines = text.lines().map(str::trim);
    let mut count = 0;
    while let Some(line) = lines.next() {
        if let Some(first) = line.strip_prefix("\"\"\"") {
            let mut end = first;
            while !end.ends_with("\"\"\"") {
                end = lines.next().expect("a documentation ends");
            }
        } else if line.starts_with("import ") || line.starts_with("from ") {
            assert!(!line.ends_with('('), "an import of one line is expected: {line}");
        } else if !line.is_empty() && !line.starts_with('#') {
            count += 1;
        }
    }
    count
}

#[test]
fn programs_are_as_short_as_keras_s() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut too_long = Vec::new();
    println!("{:<12} {:>6} {:>6} {:>6}", "program", "Keras", "Rust", "ratio");
    for name in PROGRAMS {
        let read = |path: String| fs::read_to_string(folder.join(path)).unwrap();
        let python = of_python(&read(format!("programs/keras/{name}.py")));
        let rust = of_rust(&read(format!("tests/programs/{name}.rs")));
        let ratio = rust as f64 / python as f64;
        println!("{name:<12} {python:>6} {rust:>6} {ratio:>6.2}");
        if ratio > MOST {
            too_long.push(format!("{name}: {rust} lines, {python} in Keras, {ratio:.2} times as many"));
        }
    }
    assert!(too_long.is_empty(), "more than {MOST} times the lines of Keras: {too_long:#?}");
}

#[test]
fn only_code_is_counted() {
    let rust = "//! A program.\n\nuse a::b;\nuse c::{\n    d,\n};\n\n/// One.\n#[derive(Clone)]\nfn f() {\n    // Why.\n    g(); // here\n}\n\n#[test]\nfn t() {}\n";
    assert_eq!(of_rust(rust), 4);
    let python = "\"\"\"A program.\n\nMore.\"\"\"\n\nimport a\nfrom b import c\n\n\ndef f():\n    \"\"\"One.\"\"\"\n    # Why.\n    g()  # here\n\n    return 1\n";
    assert_eq!(of_python(python), 3);
}
