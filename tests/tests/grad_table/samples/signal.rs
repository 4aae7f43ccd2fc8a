//! Samples of operations on signals; those with a transform in them run on the CPU alone, in floats of 32 and 64 bits.
//! `samples` lists them among all others.

use super::{Between, Input, Sample, plain, with};
use serde_json::{Value, json};

const ROWS: Input = Between(&[2, 9], -1.0, 1.0);
const CELLS: Input = Between(&[2, 3, 4], -1.0, 1.0);

fn frame(length: usize, step: usize, pad_end: bool, axis: i64) -> Value {
    json!({"frame_length": length, "frame_step": step, "pad_end": pad_end, "pad_value": null, "axis": axis})
}

pub(super) fn samples() -> Vec<Sample> {
    vec![
        with("frame", frame(4, 2, false, -1), vec![ROWS]),
        with("frame", frame(4, 3, true, -1), vec![ROWS]),
        with("frame", frame(2, 1, false, 0), vec![ROWS]),
        with("overlap_and_add", json!({"frame_step": 2}), vec![CELLS]),
        with("overlap_and_add", json!({"frame_step": 5}), vec![CELLS]),
        with("fftshift", json!({"axes": null}), vec![CELLS]),
        with("ifftshift", json!({"axes": [1]}), vec![CELLS]),
    ]
}

/// Those that are made of Fourier transforms.
pub(super) fn transforms() -> Vec<Sample> {
    let along = |of: &str, norm: &str| json!({"of": "fftnd", "transform": of, "fft_length": [3, 5], "axes": [2, 0], "norm": norm});
    let part = |of: &str, length: Value| json!({"of": "transform_of_parts", "transform": of, "fft_length": length});
    let stft = |window: &str, pad_end: bool| json!({"of": "stft", "frame_length": 4, "frame_step": 2, "fft_length": null, "window": window, "pad_end": pad_end});
    let mut all = vec![
        with("in_parts", stft("hann", false), vec![ROWS]),
        with("in_parts", stft("none", true), vec![ROWS]),
        with(
            "inverse_stft",
            json!({"frame_length": 4, "frame_step": 2, "fft_length": null, "window": "hamming", "undone": true}),
            vec![Between(&[3, 3], -1.0, 1.0), Between(&[3, 3], -1.0, 1.0)],
        ),
        with("mdct", json!({"frame_length": 4, "window": "vorbis", "pad_end": true, "norm": null}), vec![ROWS]),
        with("inverse_mdct", json!({"window": "none", "norm": "ortho"}), vec![CELLS]),
        plain("mfccs_from_log_mel_spectrograms", vec![CELLS]),
    ];
    for (name, axes) in [("rfft", 1), ("rfft2d", 2), ("rfft3d", 3)] {
        for length in [json!(null), json!([3, 2, 5][3 - axes..])] {
            all.push(with("in_parts", json!({"of": name, "fft_length": length}), vec![CELLS]));
        }
    }
    for of in ["fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d", "irfft", "irfft2d", "irfft3d"] {
        all.push(with("in_parts", part(of, json!(null)), vec![CELLS, CELLS]));
    }
    all.push(with("in_parts", part("irfft", json!([9])), vec![CELLS, CELLS]));
    all.push(with("in_parts", part("irfft2d", json!([2, 5])), vec![CELLS, CELLS]));
    for of in ["fftnd", "ifftnd", "irfftnd"] {
        all.push(with("in_parts", along(of, "ortho"), vec![CELLS, CELLS]));
        all.push(with("in_parts", along(of, "forward"), vec![CELLS, CELLS]));
    }
    for kind in 1..=4 {
        for n in [json!(null), json!(3), json!(6)] {
            let norm = if kind == 1 { json!(null) } else { json!("ortho") };
            all.push(with("dct", json!({"type": kind, "n": n, "norm": norm}), vec![CELLS]));
        }
        all.push(with("idct", json!({"type": kind, "n": null, "norm": null}), vec![CELLS]));
    }
    all
}
