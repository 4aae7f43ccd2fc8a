//! Samples of the functions in `rows/spaces.rs`.
//! `samples::all` collects them.

use super::Input::Between;
use super::{Sample, with};
use serde_json::json;

pub(super) fn samples() -> Vec<Sample> {
    let blocks = json!({"block": [2, 3], "around": [[1, 0], [0, 2]]});
    let mut all = vec![
        with("space_to_batch", blocks.clone(), vec![Between(&[1, 3, 4, 2], -1.0, 1.0)]),
        with("batch_to_space", blocks, vec![Between(&[6, 2, 2, 1], -1.0, 1.0)]),
    ];
    for format in ["NHWC", "NCHW"] {
        let attrs = json!({"block": 2, "data_format": format});
        all.push(with("space_to_depth", attrs.clone(), vec![Between(&[1, 2, 4, 2], -1.0, 1.0)]));
        all.push(with("depth_to_space", attrs, vec![Between(&[1, 4, 2, 4], -1.0, 1.0)]));
    }
    all
}
