//! Every golden case on a GPU, emulated where there is none, against the CPU: values, errors, and where results lie.
//! One test walks over all rows; `EAGERFLOW_ROWS` names some, for those who work on one operation.

use eagerflow_tests::cuda::gpu;
use eagerflow_tests::suite;

#[test]
fn results_and_errors_are_those_of_the_cpu() {
    let Some(_gpu) = gpu() else { return };
    let asked = std::env::var("EAGERFLOW_ROWS").ok();
    let chosen = |name: &str| asked.as_deref().is_none_or(|list| list.split(',').any(|one| one == name));
    let found = suite::compare("/gpu:0", &chosen);
    assert!(asked.is_some() || found.cases > 2000, "only {} cases", found.cases);
    assert!(found.complaints.is_empty(), "{} complaints\n{}", found.complaints.len(), found.complaints.join("\n"));
}
