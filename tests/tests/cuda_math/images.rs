//! Convolutions and poolings with their gradients of two orders: strides, dilations, paddings, groups, sizes beyond a tile.

use crate::{agree, some};
use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::{DType, GradientTape, Padding, Tensor};

/// Images, filters, strides, dilations, padding.
type Case = ([usize; 4], [usize; 4], [usize; 2], [usize; 2], Padding);

const CASES: [Case; 12] = [
    ([2, 5, 4, 2], [3, 2, 2, 3], [1, 1], [1, 1], Padding::Valid),
    ([1, 5, 4, 1], [3, 3, 1, 2], [2, 1], [1, 1], Padding::Same),
    ([1, 6, 5, 2], [2, 2, 2, 1], [1, 1], [2, 3], Padding::Same),
    ([1, 4, 4, 1], [2, 2, 1, 2], [3, 2], [1, 1], Padding::Explicit([[1, 0], [0, 2]])),
    ([2, 3, 3, 3], [1, 1, 3, 2], [1, 1], [1, 1], Padding::Valid),
    ([1, 5, 5, 2], [1, 1, 2, 3], [2, 2], [1, 1], Padding::Valid),
    ([1, 4, 4, 4], [2, 2, 2, 4], [1, 1], [1, 1], Padding::Same),
    ([0, 3, 3, 1], [2, 2, 1, 1], [1, 1], [1, 1], Padding::Valid),
    ([1, 2, 2, 1], [3, 3, 1, 1], [1, 1], [1, 1], Padding::Valid),
    ([2, 9, 10, 5], [3, 3, 5, 70], [2, 2], [2, 1], Padding::Same),
    ([3, 11, 9, 30], [3, 2, 30, 6], [1, 1], [1, 1], Padding::Same),
    ([1, 30, 31, 3], [5, 5, 3, 4], [1, 1], [1, 1], Padding::Valid),
];

fn slopes(x: &[Tensor], f: impl Fn(&[Tensor]) -> Tensor) -> Vec<Tensor> {
    let mut outer = GradientTape::new();
    x.iter().for_each(|x| outer.watch(x));
    let mut tape = GradientTape::new();
    x.iter().for_each(|x| tape.watch(x));
    let y = f(x);
    let first = tape.gradient(&(&y * &y), x).try_to_vec().unwrap();
    let sum = first.iter().map(|g| tf::reduce_sum(&(g * g), ())).reduce(|a, b| a + b).unwrap();
    let second = outer.gradient(&sum, x).try_to_vec().unwrap();
    [vec![y], first, second].concat()
}

#[test]
fn convolutions_and_their_gradients() {
    let Some(gpu) = gpu() else { return };
    tf::config::enable_tensor_float_32_execution(false);
    for (x, w, strides, dilations, padding) in CASES {
        for (dtype, within) in [(DType::F32, 1e-5), (DType::F64, 1e-13)] {
            agree(&gpu, &[some(1, dtype, &x), some(2, dtype, &w)], within, |t| {
                slopes(t, |t| tf::conv2d_dilated(&t[0], &t[1], strides, padding, dilations))
            });
        }
        for (dtype, within) in [(DType::I32, 0.0), (DType::F16, 1e-3), (DType::BF16, 8e-3)] {
            agree(&gpu, &[some(3, dtype, &x), some(4, dtype, &w)], within, |t| {
                vec![tf::conv2d_dilated(&t[0], &t[1], strides, padding, dilations)]
            });
        }
    }
}

#[test]
fn poolings_and_their_gradients() {
    let Some(gpu) = gpu() else { return };
    for (shape, size, strides, padding) in [
        ([2, 4, 4, 3], [2, 2], [2, 2], Padding::Valid),
        ([1, 5, 4, 2], [3, 2], [1, 2], Padding::Same),
        ([1, 4, 5, 1], [1, 3], [2, 1], Padding::Explicit([[0, 0], [1, 2]])),
        ([0, 4, 4, 1], [2, 2], [2, 2], Padding::Valid),
        ([1, 2, 2, 1], [3, 3], [1, 1], Padding::Valid),
        ([2, 9, 9, 7], [2, 2], [3, 3], Padding::Valid),
        ([3, 17, 15, 5], [3, 3], [2, 2], Padding::Same),
    ] {
        for (dtype, within) in [(DType::F32, 1e-6), (DType::F64, 1e-14)] {
            agree(&gpu, &[some(5, dtype, &shape)], within, |t| {
                slopes(t, |t| tf::max_pool2d(&t[0], size, strides, padding))
            });
            agree(&gpu, &[some(6, dtype, &shape)], within, |t| {
                slopes(t, |t| tf::avg_pool2d(&t[0], size, strides, padding))
            });
        }
        for dtype in [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::F16, DType::BF16] {
            agree(&gpu, &[some(7, dtype, &shape)], 0.0, |t| vec![tf::max_pool2d(&t[0], size, strides, padding)]);
        }
    }
    let nan = tf::constant([1.0, f32::NAN, f32::NAN, 2.0, f32::NEG_INFINITY, f32::NEG_INFINITY, 3.0, 3.0]);
    agree(&gpu, &[tf::reshape(&nan, [1, 2, 4, 1])], 0.0, |t| {
        let mut tape = GradientTape::new();
        tape.watch(&t[0]);
        let y = tf::max_pool2d(&t[0], 2, 1, Padding::Same);
        vec![y.clone(), tape.gradient(&y, &t[0])]
    });
}

#[test]
fn convolutions_of_much_work() {
    let Some(gpu) = gpu() else { return };
    tf::config::enable_tensor_float_32_execution(false);
    for (x, w, strides, dilations, padding) in [
        ([4, 24, 24, 16], [3, 3, 16, 32], [1, 1], [1, 1], Padding::Same),
        ([3, 40, 41, 20], [5, 3, 20, 33], [2, 2], [1, 2], Padding::Same),
    ] {
        let before = gpu.emulation.map(|e| e.counters().matmuls);
        agree(&gpu, &[some(1, DType::F32, &x), some(2, DType::F32, &w)], 1e-5, |t| {
            let mut tape = GradientTape::new();
            t.iter().for_each(|t| tape.watch(t));
            let y = tf::conv2d_dilated(&t[0], &t[1], strides, padding, dilations);
            [vec![y.clone()], tape.gradient(&(&y * &y), t).try_to_vec().unwrap()].concat()
        });
        let after = gpu.emulation.map(|e| e.counters().matmuls);
        assert!(gpu.emulation.is_none() || after >= before.map(|n| n + 3), "products of the library");
    }
}
