//! Writes random programs as Rust for the test `random_sources`, which compiles them under `#[tf_function]`.
//! `EAGERFLOW_SOURCES` sets how many, `EAGERFLOW_SOURCES_FIRST` the first seed; both are printed by the test.

#![allow(dead_code)]

#[path = "tests/random_programs/borrowed.rs"]
mod borrowed;
#[path = "tests/random_programs/counted.rs"]
mod counted;
#[path = "tests/random_programs/expressions.rs"]
mod expressions;
#[path = "tests/random_programs/generate.rs"]
mod generate;
#[path = "tests/random_programs/liveness.rs"]
mod liveness;
#[path = "tests/random_programs/program.rs"]
mod program;
#[path = "src/random.rs"]
mod random;
#[path = "tests/random_programs/source.rs"]
mod source;
#[path = "tests/random_programs/spelling.rs"]
mod spelling;

use std::fmt::Write;

fn setting(name: &str, default: u64) -> u64 {
    println!("cargo::rerun-if-env-changed={name}");
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn main() {
    let (count, first) = (setting("EAGERFLOW_SOURCES", 200), setting("EAGERFLOW_SOURCES_FIRST", 500_000));
    for file in ["borrowed", "counted", "expressions", "generate", "liveness", "program", "source", "spelling"] {
        println!("cargo::rerun-if-changed=tests/random_programs/{file}.rs");
    }
    println!("cargo::rerun-if-changed=src/random.rs");
    let (mut text, mut table) = (borrowed::HELPERS.to_owned(), String::new());
    for seed in first..first + count {
        let functions = source::source(&generate::generate(seed), "program", "#[tf_function]\n");
        let _ = write!(text, "mod p{seed} {{\nuse super::*;\n{functions}}}\n");
        let _ = writeln!(table, "({seed}, p{seed}::program, || tf::function(p{seed}::program).plan()),");
    }
    let _ = write!(text, "static PROGRAMS: [(u64, Traced, Plan); {count}] = [\n{table}];\n");
    let borrowed = text.matches("lent").count();
    let _ = writeln!(text, "pub const BORROWED: usize = {borrowed};");
    let counted = text.matches(counted::BEGIN.lines().next().expect("a line")).count();
    let _ = writeln!(text, "pub const COUNTED: usize = {counted};");
    let path = std::path::Path::new(&std::env::var("OUT_DIR").expect("cargo sets it")).join("random_sources.rs");
    std::fs::write(path, text).expect("the folder for generated files is writable");
}
