//! Would the table notice? Each gradient rule in turn gives one input a cotangent of the wrong sign; each must be caught.
//! The rules are found by watching which ones the samples use, so that a new operation is tried without a line here.

use crate::differences::check;
use crate::samples::{self, Sample};
use eagerflow::__testing::{flip_rule, rules_seen};
use std::collections::BTreeMap;

/// Rules that rightly give nothing but zeros: a small step does not change which element of a window is greatest, nor the next number.
const ZEROS: &[(&str, usize)] = &[("max_pool2d_gradient", 0), ("max_pool2d_pick", 0), ("nextafter", 1)];

#[test]
fn a_wrong_sign_in_any_rule_is_caught() {
    let samples = samples::all();
    let mut users: BTreeMap<(String, usize), Vec<&Sample>> = BTreeMap::new();
    flip_rule(None);
    for sample in &samples {
        rules_seen();
        check(sample).expect("the rules are right as they are");
        for rule in rules_seen() {
            users.entry(rule).or_default().push(sample);
        }
    }
    let mut missed = Vec::new();
    for ((op, input), users) in &users {
        flip_rule(Some((op, *input)));
        let caught = users.iter().any(|sample| check(sample).is_err());
        if caught == ZEROS.contains(&(op, *input)) {
            missed.push(format!("{op} of input {input}"));
        }
        flip_rule(None);
    }
    assert!(missed.is_empty(), "wrong signs that nobody noticed: {}", missed.join(", "));
    assert!(users.len() >= 20, "only {} rules were tried", users.len());
}
