//! Every golden case on a GPU, emulated where there is none, against the CPU: values, errors, and where results lie.
//! One test walks over all rows; `EAGERFLOW_ROWS` names some, for those who work on one operation.

use eagerflow_tests::cuda::gpu;
use eagerflow_tests::suite;

/// Operations whose results have sizes that depend on values, which the host has to know. Every other one stays on the device.
const ON_HOST: [&str; 1] = ["boolean_mask"];

#[test]
fn results_and_errors_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let asked = std::env::var("EAGERFLOW_ROWS").ok();
    let chosen = |name: &str| asked.as_deref().is_none_or(|list| list.split(',').any(|one| one == name));
    let reads = || gpu.emulation.map_or(0, |emulation| emulation.counters().device_to_host);
    let found = suite::compare("/gpu:0", &chosen, &reads);
    let host: Vec<&str> = ON_HOST.into_iter().filter(|name| chosen(name)).collect();
    assert_eq!(found.on_host.iter().copied().collect::<Vec<_>>(), host);
    assert!(asked.is_some() || found.cases > 2000, "only {} cases", found.cases);
    assert!(found.complaints.is_empty(), "{} complaints\n{}", found.complaints.len(), found.complaints.join("\n"));
}
