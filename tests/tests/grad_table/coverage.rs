//! Nothing differentiable is without a sample: every operation with a gradient rule must have been asked for one.
//! The rules are read from the library's sources, and watched at work.

use crate::report;
use crate::{differences, samples};
use eagerflow::__testing::rules_seen;
use eagerflow_tests::sources;

/// Operations whose rules only run in programs of another form, and the test that covers each.
const ELSEWHERE: &[(&str, &str)] = &[
    ("read_variable", "variables: reads carry the gradient"),
    ("max_pool2d_pick", "order three only: the unit tests of max_pool2d"),
    ("of_bands", "order three only: the unit tests of banded_triangular_solve"),
    ("ensure_shape", "sizes without a number alone: traced functions that ensure a shape"),
    ("check_numerics", "it is an identity that asserts: `diagnostics`"),
    ("bounded_normal_draw", "`random_bounded`: as the next"),
    ("parameter_draw", "`random_laws`: the numbers depend on a seed, and their slope on the place in the distribution"),
    ("gather_add", "several parts of one tensor: the unit tests of gather"),
];

#[test]
fn every_gradient_rule_is_used_by_a_sample() {
    rules_seen();
    samples::all().iter().for_each(|sample| drop(differences::check(sample)));
    let seen: Vec<String> = rules_seen().into_iter().map(|(op, _)| op).collect();
    let mut complaints = Vec::new();
    // Linear algebra runs on the CPU alone, and so do its samples.
    let here =
        |source: &sources::Source| !eagerflow_tests::suite::on_a_gpu() || !source.text.contains("impl OnMatrices for");
    for source in sources::operations().into_iter().filter(here) {
        for op in source.rules() {
            let excused = ELSEWHERE.iter().any(|(name, _)| *name == op);
            if seen.iter().any(|name| name == op) == excused {
                complaints.push(format!("no sample uses the gradient rule of `{op}` in ops/{}.rs", source.file));
            }
        }
    }
    report(complaints);
}
