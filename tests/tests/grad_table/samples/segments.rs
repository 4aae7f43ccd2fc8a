//! Samples of the functions in `rows/segments.rs`: dropped rows, empty segments, and no zeros where products are taken.
//! `samples::all` collects them.

use super::Input::{Apart, Between, Given, Ints};
use super::{Sample, plain, with};
use serde_json::json;

pub(super) fn samples() -> Vec<Sample> {
    let ids = Ints(&[5], &[0, 0, 1, 3, 3]);
    let any = Ints(&[5], &[2, 0, -1, 2, 2]);
    // What stands for no row would hide all other numbers of a sum.
    let full = Ints(&[5], &[2, 0, -1, 2, 1]);
    let num = || json!({"num": 4});
    let x = Between(&[5, 2], 0.4, 2.0);
    let mut all = vec![
        plain("segment_sum", vec![x.clone(), ids.clone()]),
        plain("segment_mean", vec![x.clone(), ids.clone()]),
        plain("segment_prod", vec![x.clone(), ids.clone()]),
        plain("segment_max", vec![Apart(&[5, 2]), ids.clone()]),
        plain("segment_min", vec![Apart(&[5, 2]), ids]),
    ];
    all.push(with("unsorted_segment_sum", num(), vec![x.clone(), any.clone()]));
    all.push(with("unsorted_segment_mean", num(), vec![x.clone(), any.clone()]));
    all.push(with("unsorted_segment_prod", num(), vec![x.clone(), any.clone()]));
    all.push(with("unsorted_segment_prod", num(), vec![Given(&[5], &[0.0, 2.0, 3.0, -1.5, 0.5]), any.clone()]));
    all.push(with("unsorted_segment_max", json!({"num": 3}), vec![Apart(&[5, 2]), full.clone()]));
    all.push(with("unsorted_segment_min", json!({"num": 3}), vec![Apart(&[5, 2]), full]));
    all.push(with("unsorted_segment_sqrt_n", num(), vec![x, any]));
    all.push(with("unsorted_segment_sum", num(), vec![Apart(&[2, 3]), Ints(&[2, 3], &[2, 0, -1, 2, 3, 0])]));
    all
}
