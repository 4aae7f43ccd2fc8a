//! Samples of the functions in `rows/diagonals.rs`: bands to each side, in matrices that are not square.
//! `samples::all` collects them.

use super::Input::Between;
use super::{Sample, with};
use serde_json::json;

pub(super) fn samples() -> Vec<Sample> {
    let (wide, band) = (Between(&[2, 3, 4], -2.0, 2.0), Between(&[2, 3, 3], -1.0, 1.0));
    let mut all = vec![
        with("diag_part_with", json!({"k": 1, "align": "RIGHT_LEFT", "padding": 3}), vec![wide.clone()]),
        with("diag_with", json!({"k": -1, "align": "RIGHT_LEFT", "padding": 3}), vec![Between(&[2, 3], -1.0, 1.0)]),
        with("set_diag_with", json!({"k": -1, "align": "RIGHT_LEFT"}), vec![wide.clone(), Between(&[2, 2], -1.0, 1.0)]),
    ];
    for align in ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"] {
        let attrs = json!({"k": [-1, 1], "align": align, "padding": 2});
        all.push(with("diag_part_with", attrs.clone(), vec![wide.clone()]));
        all.push(with("diag_with", attrs, vec![band.clone()]));
        all.push(with("set_diag_with", json!({"k": [-1, 1], "align": align}), vec![wide.clone(), band.clone()]));
    }
    all
}
