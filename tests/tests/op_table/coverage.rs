//! Nothing is without a row: the library's list of operations is walked, and every public function must be called in one.
//! Golden numbers that no row reads are a failure too.

use super::report;
use eagerflow_tests::{golden, rows, sources};

/// Functions that rows cannot hold, and the test that covers each.
const ELSEWHERE: &[(&str, &str)] = &[
    ("print", "through traced functions"),
    ("shape", "its documentation, and the traced dynamic RNN"),
    ("rank", "its documentation, and sizes of traced functions"),
    ("dim", "sizes of traced functions"),
    ("dim_of", "sizes of traced functions"),
    ("size", "its documentation: the count that means divide by"),
    ("zeros", "others: constants"),
    ("ones", "others: constants"),
    ("broadcast_static_shape", "its documentation and unit test: shapes are no tensors"),
    ("select", "others: select chooses as where does"),
    ("truncatemod", "others: truncatemod is Rust's remainder"),
    ("where_indices", "others: where_indices are where the mask is true"),
    ("dropout", "others: dropout keeps or scales"),
    ("dropout_with", "others: dropout keeps or scales"),
    ("stateless_dropout", "others: dropout keeps or scales; the gradient table"),
    ("one_hot_with", "others: one_hot_with is what the row calls"),
    ("dot_product_attention", "the unit tests of attention: the same operation, turned"),
    ("fixed_unigram_candidate_sampler", "its documentation, and the unit tests of candidate_sampler"),
    ("all_candidate_sampler", "its documentation, and the unit tests of sampled_loss"),
    ("stop_gradient", "others: stop_gradient passes values, and the gradient table"),
    ("global_norm", "others: global_norm is clip_by_global_norm's second result"),
];

#[test]
fn every_public_function_is_called_in_a_row() {
    let text = sources::rows();
    let mut complaints = Vec::new();
    for source in sources::operations() {
        for function in source.functions() {
            let plain = function.trim_end_matches('_');
            // The forms with more arguments, such as `cumsum_with`, are the whole of those with fewer.
            let forms = ["(", " ", "_with(", "_as(", "_transposed(", "_dilated("];
            let called = forms.iter().any(|form| text.contains(&format!("try_{plain}{form}")));
            let excused = ELSEWHERE.iter().any(|(name, _)| *name == function);
            if called == excused {
                complaints.push(format!("`{function}` of ops/{}.rs has no row in tests/src/rows", source.file));
            }
        }
    }
    report(complaints);
}

#[test]
fn every_golden_section_has_a_row() {
    let rows = rows::all();
    let without = |section: &golden::Section| !rows.iter().any(|row| row.name == section.op);
    report(golden::ops().iter().filter(|s| without(s)).map(|s| format!("no row for `{}`", s.op)).collect());
}
