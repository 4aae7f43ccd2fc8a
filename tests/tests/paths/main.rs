//! CPU paths and thread counts: element-wise results have the same bits on every path, all results for any `EAGERFLOW_THREADS`.
//! Each setting is read once per process, so a child process per setting prints a digest of every row.

use eagerflow::{DType, Tensor};
use eagerflow_tests::child::{cpu_paths, run_test};
use eagerflow_tests::golden::{self, Array, Numbers, Section};
use eagerflow_tests::inputs::{blown_up, numbers};
use eagerflow_tests::random::Random;
use eagerflow_tests::rows::{self, Call, Row};

/// Above the size from which threads share the work.
const SHARED: usize = 80_021;
/// Enough elements for several vectors and a remainder.
const FEW: usize = 4_099;

/// Operations whose result has the square of the input's elements.
const SQUARES: [&str; 1] = ["tensor_diag"];

/// How many elements the digest's inputs have: few where threads do not matter.
fn len() -> usize {
    if std::env::var_os("EAGERFLOW_CPU").is_some() { FEW } else { SHARED }
}

/// Prints one line per row and dtype; a test of its own only for the children.
#[test]
#[ignore = "prints what the tests below compare"]
fn digest() {
    println!("path {}", eagerflow::__testing::cpu_path());
    let sections = golden::ops();
    for row in rows::all().into_iter().filter(|row| !SQUARES.contains(&row.name)) {
        let Some(section) = sections.iter().find(|s| s.op == row.name) else { continue };
        for &dtype in &section.accepted {
            if let Some(line) = line(&row, section, dtype) {
                println!("{} {} {dtype} {line:016x}", if row.elementwise { "exact" } else { "order" }, row.name);
            }
        }
    }
}

fn line(row: &Row, section: &Section, dtype: DType) -> Option<u64> {
    let mut random = Random::new(u64::from(dtype as u8));
    let case = match row.elementwise {
        true => blown_up(section, dtype, &[len()], &mut random)?,
        false => {
            // A golden case whose first input gets many more rows; what does not fit then is left out.
            let mut case = section.cases.iter().find(|c| c.dtype == dtype && c.answer.is_ok())?.clone();
            let first = case.inputs.iter_mut().find(|i| i.dtype == dtype && !i.shape.is_empty() && !i.is_empty())?;
            let mut shape = first.shape.clone();
            shape[0] = len() / first.shape[1..].iter().product::<usize>() + 1;
            *first = numbers(dtype, &shape, &mut random);
            case
        }
    };
    let x: Vec<Tensor> = case.inputs.iter().map(Array::tensor).collect();
    let outputs = (row.call)(&Call { x: &x, a: &case.attrs }).ok()?;
    Some(outputs.iter().map(Array::of).fold(17, |hash, array| mix(hash, &array)))
}

/// FNV-1a over the elements; every nan is the same.
fn mix(hash: u64, array: &Array) -> u64 {
    let step = |hash: u64, bits: u64| (hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    match &array.data {
        Numbers::Floats(data) => data.iter().map(|v| if v.is_nan() { 1 } else { v.to_bits() }).fold(hash, step),
        Numbers::Ints(data) => data.iter().map(|&v| v as u64).fold(hash, step),
    }
}

/// The digest's lines under some settings.
fn digest_under(settings: &[(&str, &str)]) -> Vec<String> {
    let text = run_test("digest", settings);
    let lines: Vec<String> =
        text.lines().filter(|l| l.starts_with("exact ") || l.starts_with("order ")).map(String::from).collect();
    if let Some((_, path)) = settings.iter().find(|(name, _)| *name == "EAGERFLOW_CPU") {
        assert!(text.contains(&format!("path {path}\n")), "the child did not take the path {path}");
    }
    assert!(lines.len() > 100, "only {} lines under {settings:?}", lines.len());
    lines
}

fn compare(a: &[String], b: &[String], what: &str) {
    let different: Vec<_> = a.iter().zip(b).filter(|(a, b)| a != b).map(|(a, _)| a.as_str()).collect();
    assert!(a.len() == b.len() && different.is_empty(), "{what}: {}", different.join("; "));
}

#[test]
fn elementwise_bits_are_the_same_on_every_cpu_path() {
    let exact =
        |path| digest_under(&[("EAGERFLOW_CPU", path)]).into_iter().filter(|l| l.starts_with("exact")).collect();
    let digests: Vec<Vec<String>> = cpu_paths().into_iter().map(exact).collect();
    for (digest, path) in digests.iter().zip(cpu_paths()).skip(1) {
        compare(&digests[0], digest, path);
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let one = digest_under(&[("EAGERFLOW_THREADS", "1")]);
    for threads in ["2", "5", "16"] {
        compare(&one, &digest_under(&[("EAGERFLOW_THREADS", threads)]), &format!("{threads} threads"));
    }
}
