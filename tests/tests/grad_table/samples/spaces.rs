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
    let near = json!({"radius": 2, "bias": 1.0, "alpha": 0.5, "beta": 0.75});
    all.push(with("local_response_normalization", near, vec![Between(&[1, 1, 2, 4], -1.0, 1.0)]));
    for (padding, strides, rates) in [("SAME", [1, 2], [1, 1]), ("VALID", [1, 1], [2, 1])] {
        let attrs = json!({"sizes": [2, 2], "strides": strides, "rates": rates, "padding": padding});
        all.push(with("extract_patches", attrs, vec![Between(&[1, 3, 4, 1], -1.0, 1.0)]));
    }
    let cubes = json!({"sizes": [2, 1, 2], "strides": [1, 2, 1], "padding": "SAME"});
    all.push(with("extract_volume_patches", cubes, vec![Between(&[1, 2, 2, 3, 1], -1.0, 1.0)]));
    for name in ["dilation2d", "erosion2d"] {
        let attrs = json!({"strides": [1, 2], "rates": [2, 1], "padding": "SAME"});
        all.push(with(name, attrs, vec![Between(&[1, 3, 4, 2], -1.0, 1.0), Between(&[2, 2, 2], -1.0, 1.0)]));
    }
    all
}
