//! Samples of the functions in `rows/norms.rs`.
//! `samples::all` collects them.

use super::Input::{Between, Flags, Ints};
use super::{Sample, with};
use serde_json::json;

pub(super) fn samples() -> Vec<Sample> {
    let plain = || json!({"causal": false, "scale": null, "grouped": false});
    let operands =
        || vec![Between(&[2, 3, 4], -1.0, 1.0), Between(&[2, 5, 4], -1.0, 1.0), Between(&[2, 5, 3], -2.0, 2.0)];
    let beside = |last| {
        let mut all = operands();
        all.push(last);
        all
    };
    let spoken = || {
        let [labels, long, frames] = [Ints(&[2, 2], &[1, 2, 2, 0]), Ints(&[2], &[2, 1]), Ints(&[2], &[4, 3])];
        vec![Between(&[4, 2, 3], -1.0, 1.0), labels, long, frames]
    };
    let flags: &[i128] = &[1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1];
    let columns = || [Between(&[4], 0.5, 1.5), Between(&[4], -1.0, 1.0)];
    let rows = || Between(&[3, 4], -2.0, 2.0);
    let [scale, offset] = columns();
    let [other, _] = columns();
    vec![
        with("attention", plain(), operands()),
        with("attention", json!({"causal": true, "scale": 0.7, "grouped": false}), operands()),
        with("attention", plain(), beside(Between(&[3, 5], -1.0, 1.0))),
        with("attention", plain(), beside(Flags(&[3, 5], flags))),
        with("layer_normalization", json!({"axes": 1, "epsilon": 1e-2}), vec![rows(), scale, offset]),
        with("rms_norm", json!({"epsilon": 1e-2}), vec![rows(), other]),
        with("log_poisson_loss", json!({"full": true}), vec![Between(&[5], 1.2, 4.0), Between(&[5], -1.0, 1.0)]),
        with("ctc_loss", json!({"time_major": true, "blank": 0}), spoken()),
        with("ctc_slope", json!({}), spoken()),
    ]
}
