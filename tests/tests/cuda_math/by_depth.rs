//! Convolutions by depth on a GPU: strides, dilations, paddings and channels that threads share in all ways, in all three directions.
//! What the kernels by depth do not know goes to those for groups, with the same results.

use crate::{agree, some};
use eagerflow as tf;
use eagerflow_tests::cuda::{Gpu, watched_gpu as gpu};
use tf::{DType, GradientTape, Padding, Sliding, Tensor};

/// Images, filters, strides, dilations, padding, and whether the kernels by depth know them.
type Case = ([usize; 4], [usize; 4], [i64; 2], [i64; 2], Padding, bool);

const CASES: [Case; 14] = [
    ([2, 9, 13, 8], [3, 3, 8, 1], [1, 1], [1, 1], Padding::Same, true),
    ([2, 9, 13, 8], [3, 3, 8, 1], [1, 1], [1, 1], Padding::Valid, true),
    ([1, 12, 11, 36], [3, 3, 36, 1], [2, 2], [1, 1], Padding::Same, true),
    ([3, 13, 10, 6], [3, 3, 6, 1], [2, 2], [1, 1], Padding::Valid, true),
    ([2, 8, 8, 3], [5, 5, 3, 1], [1, 1], [1, 1], Padding::Same, true),
    ([1, 15, 17, 12], [5, 5, 12, 1], [2, 2], [1, 1], Padding::Same, true),
    ([1, 14, 15, 4], [7, 7, 4, 1], [1, 1], [1, 1], Padding::Same, true),
    ([1, 21, 22, 4], [3, 5, 4, 1], [4, 4], [1, 1], Padding::Same, true),
    ([2, 11, 7, 8], [3, 1, 8, 1], [1, 1], [2, 2], Padding::Same, true),
    ([1, 10, 9, 4], [2, 4, 4, 1], [1, 1], [1, 1], Padding::Explicit([[1, 2], [3, 1]]), true),
    // Rows of the filter that lie apart are known, columns are not.
    ([1, 12, 12, 4], [3, 3, 4, 1], [1, 1], [2, 2], Padding::Same, false),
    ([1, 12, 12, 4], [3, 3, 4, 1], [3, 3], [1, 1], Padding::Same, false),
    ([1, 12, 12, 4], [3, 3, 4, 2], [1, 1], [1, 1], Padding::Same, false),
    ([1, 20, 20, 2], [9, 9, 2, 1], [1, 1], [1, 1], Padding::Same, false),
];

fn slopes(t: &[Tensor], (_, _, strides, dilations, padding, _): Case) -> Vec<Tensor> {
    let mut tape = GradientTape::new();
    t.iter().for_each(|t| tape.watch(t));
    let y = tf::depthwise_conv2d_with(&t[0], &t[1], Sliding::new(strides, padding).dilations(dilations));
    let weighted = tf::reduce_sum(&(&y * &y), ());
    [vec![y], tape.gradient(&weighted, t).try_to_vec().unwrap()].concat()
}

/// How often a kernel by depth was launched so far, on the emulation.
fn launches(gpu: &Gpu) -> u64 {
    let all = gpu.emulation.map(|e| e.launches_by_kernel());
    all.into_iter().flatten().filter(|(name, _)| name.starts_with("depthwise")).map(|(_, count)| count).sum()
}

#[test]
fn all_directions_of_all_forms() {
    let Some(gpu) = gpu() else { return };
    for case in CASES {
        for (dtype, within) in [(DType::F32, 1e-5), (DType::F64, 1e-13), (DType::BF16, 2e-2)] {
            let before = launches(&gpu);
            agree(&gpu, &[some(1, dtype, &case.0), some(2, dtype, &case.1)], within, |t| slopes(t, case));
            let own = if case.5 { 3 } else { 0 };
            assert!(gpu.emulation.is_none() || launches(&gpu) - before == own, "{case:?} {dtype}");
        }
    }
}

/// What lies in the padding is not multiplied: an infinite weight there would make it not a number.
#[test]
fn paddings_are_left_out() {
    let Some(gpu) = gpu() else { return };
    let weights: Vec<f32> = (0..9 * 4).map(|i| if i < 4 { f32::INFINITY } else { 1.0 }).collect();
    let filters = tf::reshape(&Tensor::from(weights), [3, 3, 4, 1]);
    let inputs = [tf::ones([1, 6, 7, 4]), filters];
    agree(&gpu, &inputs, 0.0, |t| vec![tf::depthwise_conv2d(&t[0], &t[1], [1, 1], Padding::Same)]);
}
