//! Every golden case on a GPU, emulated where there is none, against the CPU: values, errors, and where results lie.
//! Processes of their own walk over the rows, beside this binary's other tests; `EAGERFLOW_ROWS` names some, for those who work on one
//! operation.

use eagerflow_tests::child::run_test;
use eagerflow_tests::cuda::gpu;
use eagerflow_tests::{rows, suite};
use std::collections::BTreeSet;

/// Operations whose results have sizes that depend on values, which the host has to know, that assert something of values, which an
/// eager assertion waits for, or that only the host computes, as labels and their alignments. Every other one stays on the device.
const ON_HOST: [&str; 23] = [
    "bincount",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "collapse_repeated",
    "compute_accidental_hits",
    "confusion_matrix",
    "ctc_beam_search_decoder",
    "ctc_greedy_decoder",
    "ctc_loss",
    "ctc_unique_labels",
    "dynamic_partition",
    "dynamic_stitch",
    "histogram_fixed_width",
    "repeat",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "sequence_mask",
    "unique",
    "unique_with_counts",
    "unravel_index",
];

/// Processes that share the rows.
const PROCESSES: usize = 2;

/// A row in so many is that of a process.
fn shares() -> [String; PROCESSES] {
    let asked = std::env::var("EAGERFLOW_ROWS").ok();
    let chosen = |name: &str| asked.as_deref().is_none_or(|list| list.split(',').any(|one| one == name));
    let names: Vec<&str> = rows::all().into_iter().map(|row| row.name).filter(|name| chosen(name)).collect();
    std::array::from_fn(|first| names.iter().skip(first).step_by(PROCESSES).copied().collect::<Vec<_>>().join(","))
}

#[test]
fn results_and_errors_are_those_of_the_cpu() {
    if gpu().is_none() {
        return;
    }
    let shares = shares();
    let asked: usize = std::thread::scope(|scope| {
        let rows = shares.iter().filter(|rows| !rows.is_empty());
        let children: Vec<_> = rows.map(|rows| scope.spawn(move || cases(rows))).collect();
        children.into_iter().map(|child| child.join().unwrap_or_else(|said| std::panic::resume_unwind(said))).sum()
    });
    assert!(std::env::var_os("EAGERFLOW_ROWS").is_some() || asked > 2000, "only {asked} cases");
}

/// Has a process compare the cases of these rows, and answers how many they are.
fn cases(rows: &str) -> usize {
    let said = run_test("op_table::some_rows", &[("EAGERFLOW_ROWS", rows)]);
    let line = said.lines().find_map(|line| line.split_once("compared ")).unwrap_or_else(|| panic!("{said}")).1;
    line.split(' ').next().and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{said}"))
}

/// What such a process does.
#[test]
#[ignore = "a part of the other test"]
fn some_rows() {
    let Some(gpu) = gpu() else { return };
    let rows = std::env::var("EAGERFLOW_ROWS").expect("the rows to compare");
    let rows: BTreeSet<&str> = rows.split(',').collect();
    let reads = || gpu.emulation.map_or(0, |emulation| emulation.counters().device_to_host);
    let found = suite::compare("/gpu:0", &|name| rows.contains(name), &reads);
    if gpu.emulation.is_some() {
        // Reads of a real device are not counted.
        let host: Vec<&str> = ON_HOST.into_iter().filter(|name| rows.contains(name)).collect();
        assert_eq!(found.on_host.iter().copied().collect::<Vec<_>>(), host);
    }
    assert!(found.complaints.is_empty(), "{} complaints\n{}", found.complaints.len(), found.complaints.join("\n"));
    println!("compared {} cases of {} operations", found.cases, found.operations);
}
