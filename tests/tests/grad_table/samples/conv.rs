//! Samples of what slides windows along one, two or three axes. `samples` lists them among all others.

use super::Input::{Apart, Between};
use super::{Sample, with};
use serde_json::{Value, json};

fn sliding(strides: &[i64], padding: &str, dilations: &[i64]) -> Value {
    json!({"strides": strides, "padding": padding, "dilations": dilations})
}

fn and(mut value: Value, name: &str, more: Value) -> Value {
    value[name] = more;
    value
}

fn floats(shape: &'static [usize]) -> super::Input {
    Between(shape, -1.0, 1.0)
}

pub(super) fn samples() -> Vec<Sample> {
    let first = |value| and(value, "first", json!(true));
    let to = |value, shape: &[i64]| and(value, "to", json!(shape));
    let window = |value, size: &[i64]| and(value, "ksize", json!(size));
    vec![
        with("conv1d", first(sliding(&[2], "SAME", &[1])), vec![floats(&[1, 2, 5]), floats(&[2, 2, 2])]),
        with("conv1d", sliding(&[1], "VALID", &[2]), vec![floats(&[2, 4, 1]), floats(&[2, 1, 2])]),
        with(
            "conv3d",
            sliding(&[1, 2, 1], "SAME", &[1, 1, 1]),
            vec![floats(&[1, 3, 3, 2, 2]), floats(&[2, 2, 3, 2, 1])],
        ),
        with(
            "conv3d",
            sliding(&[2, 1, 1], "VALID", &[1, 1, 2]),
            vec![floats(&[1, 4, 2, 3, 1]), floats(&[2, 1, 2, 1, 2])],
        ),
        with(
            "conv3d",
            sliding(&[1, 1, 1], "VALID", &[2, 1, 1]),
            vec![floats(&[1, 3, 1, 2, 4]), floats(&[2, 1, 1, 2, 2])],
        ),
        with(
            "conv1d_transpose",
            to(sliding(&[2], "SAME", &[1]), &[1, 5, 2]),
            vec![floats(&[1, 3, 1]), floats(&[3, 2, 1])],
        ),
        with(
            "conv2d_transpose",
            to(sliding(&[2, 1], "VALID", &[1, 1]), &[1, 5, 3, 2]),
            vec![floats(&[1, 2, 2, 2]), floats(&[3, 2, 2, 2])],
        ),
        with(
            "conv3d_transpose",
            to(sliding(&[2, 1, 1], "SAME", &[1, 1, 1]), &[1, 3, 2, 1, 1]),
            vec![floats(&[1, 2, 2, 1, 2]), floats(&[2, 2, 1, 1, 2])],
        ),
        with("depthwise_conv2d", sliding(&[1, 1], "SAME", &[1, 1]), vec![floats(&[1, 3, 3, 2]), floats(&[2, 2, 2, 2])]),
        with(
            "depthwise_conv2d",
            sliding(&[2, 1], "VALID", &[1, 2]),
            vec![floats(&[2, 4, 3, 3]), floats(&[2, 2, 3, 1])],
        ),
        with(
            "separable_conv2d",
            sliding(&[1, 1], "SAME", &[1, 1]),
            vec![floats(&[1, 3, 2, 2]), floats(&[2, 2, 2, 1]), floats(&[1, 1, 2, 2])],
        ),
        with("avg_pool1d", window(sliding(&[2], "SAME", &[1]), &[3]), vec![floats(&[1, 5, 2])]),
        with("avg_pool3d", window(sliding(&[2, 1, 1], "SAME", &[1, 1, 1]), &[2, 2, 1]), vec![floats(&[1, 3, 3, 2, 1])]),
        with("max_pool1d", window(sliding(&[1], "VALID", &[1]), &[2]), vec![Apart(&[1, 5, 2])]),
        with("max_pool3d", window(sliding(&[1, 2, 1], "SAME", &[1, 1, 1]), &[2, 2, 2]), vec![Apart(&[1, 3, 3, 2, 1])]),
        with(
            "pool",
            and(and(sliding(&[1, 1], "VALID", &[2, 1]), "window_shape", json!([2, 2])), "type", json!("AVG")),
            vec![floats(&[1, 5, 3, 1])],
        ),
    ]
}
