//! Convolutions with few channels and enough work, whose images go through shared memory in tiles: strides, dilations, paddings,
//! channels that fill no tile, results of one part and of many, in full precision and rounded to TF32.

use crate::{agree, some};
use eagerflow as tf;
use eagerflow_tests::cuda::{Gpu, watched_gpu as gpu};
use tf::{DType, GradientTape, Padding, Tensor};

/// Images, filters, strides, dilations, padding.
type Case = ([usize; 4], [usize; 4], [usize; 2], [usize; 2], Padding);

const CASES: [Case; 13] = [
    ([3, 14, 13, 16], [3, 3, 16, 16], [1, 1], [1, 1], Padding::Valid),
    ([3, 40, 41, 1], [3, 3, 1, 16], [1, 1], [1, 1], Padding::Valid),
    ([5, 30, 23, 3], [5, 5, 3, 8], [2, 2], [1, 1], Padding::Same),
    ([2, 19, 18, 3], [3, 3, 3, 64], [1, 1], [1, 1], Padding::Same),
    ([2, 21, 20, 8], [3, 3, 8, 24], [1, 1], [2, 1], Padding::Same),
    ([2, 17, 25, 17], [3, 2, 17, 16], [2, 1], [1, 2], Padding::Explicit([[1, 0], [0, 3]])),
    ([2, 11, 12, 32], [3, 3, 32, 24], [1, 1], [1, 1], Padding::Same),
    ([1, 9, 13, 32], [3, 3, 32, 32], [1, 1], [1, 1], Padding::Valid),
    ([1, 13, 11, 32], [2, 2, 32, 64], [1, 2], [1, 1], Padding::Valid),
    ([9, 8, 9, 16], [3, 3, 16, 16], [1, 1], [1, 1], Padding::Same),
    ([1, 15, 16, 24], [2, 3, 24, 15], [1, 1], [2, 1], Padding::Explicit([[1, 2], [1, 0]])),
    ([2, 33, 34, 6], [3, 3, 6, 10], [1, 1], [3, 3], Padding::Valid),
    // Rows of pixels that are cut, too.
    ([1, 4, 700, 16], [3, 3, 16, 16], [1, 1], [1, 1], Padding::Same),
];

fn slopes(t: &[Tensor], (_, _, strides, dilations, padding): Case) -> Vec<Tensor> {
    let mut tape = GradientTape::new();
    t.iter().for_each(|t| tape.watch(t));
    let y = tf::conv2d_dilated(&t[0], &t[1], strides, padding, dilations);
    let weighted = tf::reduce_sum(&(&y * &y), ());
    [vec![y], tape.gradient(&weighted, t).try_to_vec().unwrap()].concat()
}

/// How often a kernel was launched so far, on the emulation.
fn launches(gpu: &Gpu, kernel: &str) -> usize {
    let all = gpu.emulation.map(|e| e.launches_by_kernel());
    all.into_iter().flatten().filter(|(name, _)| name.starts_with(kernel)).map(|(_, count)| count as usize).sum()
}

/// Whether registers hold the filters.
fn few((_, [rows, columns, own, _], ..): &Case) -> bool {
    rows * columns * own <= 144
}

fn all_cases(gpu: &Gpu, tensor: bool, within: f64) {
    for case in CASES {
        let counted = || ["conv_filter_few", "conv_few"].map(|kernel| launches(gpu, kernel));
        let before = counted();
        agree(gpu, &[some(1, DType::F32, &case.0), some(2, DType::F32, &case.1)], within, |t| slopes(t, case));
        let [gradients, convolutions] = [0, 1].map(|i| counted()[i] - before[i]);
        assert!(gpu.emulation.is_none() || (gradients, convolutions > 0) == (1, tensor && few(&case)), "{case:?}");
    }
}

#[test]
fn tiles_of_images_in_full_precision() {
    let Some(gpu) = gpu() else { return };
    all_cases(&gpu, false, 1e-5);
}

#[test]
fn tiles_of_images_by_tensor_cores() {
    let Some(gpu) = gpu() else { return };
    tf::config::enable_tensor_float_32_execution(true);
    all_cases(&gpu, true, 3e-3);
    tf::config::enable_tensor_float_32_execution(false);
}

#[test]
fn runs_repeat_bit_by_bit() {
    let Some(gpu) = gpu() else { return };
    let _there = tf::device("/gpu:0");
    let inputs = [some(3, DType::F32, &CASES[0].0).gpu(), some(4, DType::F32, &CASES[0].1).gpu()];
    let once =
        || slopes(&inputs, CASES[0]).iter().flat_map(Tensor::to_vec::<f32>).map(f32::to_bits).collect::<Vec<_>>();
    assert!(once() == once());
    drop(gpu);
}

/// Operands that begin anywhere, so that less is copied at once.
#[test]
fn images_that_begin_anywhere() {
    let Some(gpu) = gpu() else { return };
    let case = CASES[0];
    let inputs = [some(5, DType::F32, &[3 * 14 * 13 * 16 + 1]), some(6, DType::F32, &case.1)];
    agree(&gpu, &inputs, 1e-5, |t| {
        let x = tf::reshape(t[0].at(tf::s![1..]), case.0);
        slopes(&[x, t[1].clone()], case)
    });
}

/// Products of few results and many steps: threads share what the parts have.
#[test]
fn many_parts_of_few_results() {
    let Some(gpu) = gpu() else { return };
    for (dtype, within) in [(DType::F32, 1e-5), (DType::F64, 1e-13), (DType::I32, 0.0), (DType::BF16, 1e-2)] {
        for [m, n, k] in [[1, 1, 5000], [3, 70, 3001], [16, 9, 20_000]] {
            agree(&gpu, &[some(7, dtype, &[m, k]), some(8, dtype, &[k, n])], within, |x| {
                vec![tf::matmul(&x[0], &x[1])]
            });
        }
    }
}
