//! Samples of the functions in `rows/sorting.rs`: values apart from each other, so that their order does not change.
//! `samples::all` collects them.

use super::Input::{Apart, Between, Ints};
use super::{Sample, X, plain, with};
use serde_json::json;

pub(super) fn samples() -> Vec<Sample> {
    let mut all = vec![
        with("sort", json!({"axis": 1, "direction": "DESCENDING"}), vec![Apart(&[2, 3])]),
        with("sort", json!({"axis": 0, "direction": "ASCENDING"}), vec![Apart(&[4, 2])]),
        with("top_k_values", json!({"k": 2}), vec![Apart(&[2, 4])]),
        with("repeat", json!({"axis": 1}), vec![X, Ints(&[3], &[2, 0, 1])]),
        with("repeat", json!({"axis": null}), vec![X, Ints(&[], &[3])]),
        with("dynamic_partition", json!({"num": 3}), vec![Between(&[4, 2], -2.0, 2.0), Ints(&[4], &[2, 0, 2, 0])]),
        plain(
            "dynamic_stitch",
            vec![Ints(&[2], &[3, 0]), Ints(&[1], &[1]), Between(&[2, 2], -2.0, 2.0), Between(&[1, 2], -2.0, 2.0)],
        ),
        with(
            "confusion_matrix",
            json!({"num_classes": null, "dtype": "float64"}),
            vec![Ints(&[3], &[1, 0, 1]), Ints(&[3], &[1, 0, 1]), Between(&[3], -2.0, 2.0)],
        ),
        plain("polyval", vec![Between(&[2, 1], -1.0, 1.0), Between(&[3], -1.0, 1.0), X]),
        plain("tensor_diag", vec![X]),
        plain("tensor_diag_part", vec![Between(&[2, 2, 2, 2], -1.0, 1.0)]),
    ];
    for reverse in [false, true] {
        let attrs = json!({"axis": 1, "exclusive": false, "reverse": reverse});
        all.push(with("cumulative_logsumexp", attrs, vec![Between(&[2, 4], -2.0, 2.0)]));
    }
    all
}
