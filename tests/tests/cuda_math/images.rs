//! Convolutions and poolings with their gradients of two orders: strides, dilations, paddings, groups, sizes beyond a tile.

use crate::{agree, some};
use eagerflow as tf;
use eagerflow_tests::cuda::watched_gpu as gpu;
use tf::{DType, GradientTape, Padding, Tensor};

/// Images, filters, strides, dilations, padding.
type Case = ([usize; 4], [usize; 4], [usize; 2], [usize; 2], Padding);

const CASES: [Case; 17] = [
    ([2, 5, 4, 2], [3, 2, 2, 3], [1, 1], [1, 1], Padding::Valid),
    ([1, 5, 4, 1], [3, 3, 1, 2], [2, 1], [1, 1], Padding::Same),
    ([1, 6, 5, 2], [2, 2, 2, 1], [1, 1], [2, 3], Padding::Same),
    ([1, 4, 4, 1], [2, 2, 1, 2], [3, 2], [1, 1], Padding::Explicit([[1, 0], [0, 2]])),
    ([2, 3, 3, 3], [1, 1, 3, 2], [1, 1], [1, 1], Padding::Valid),
    ([1, 5, 5, 2], [1, 1, 2, 3], [2, 2], [1, 1], Padding::Valid),
    ([1, 4, 4, 4], [2, 2, 2, 4], [1, 1], [1, 1], Padding::Same),
    ([0, 3, 3, 1], [2, 2, 1, 1], [1, 1], [1, 1], Padding::Valid),
    ([2, 9, 10, 5], [3, 3, 5, 70], [2, 2], [2, 1], Padding::Same),
    ([3, 11, 9, 30], [3, 2, 30, 6], [1, 1], [1, 1], Padding::Same),
    ([1, 30, 31, 3], [5, 5, 3, 4], [1, 1], [1, 1], Padding::Valid),
    // Runs of channels that are loaded at once, tiles of three widths.
    ([2, 9, 8, 16], [3, 3, 16, 16], [1, 1], [1, 1], Padding::Valid),
    ([1, 9, 8, 16], [3, 3, 16, 40], [2, 1], [1, 2], Padding::Same),
    ([1, 7, 6, 8], [2, 3, 8, 20], [1, 1], [1, 1], Padding::Same),
    // By depth, with two results for each channel; groups of few and of many channels.
    ([2, 7, 6, 5], [3, 3, 1, 10], [2, 1], [1, 1], Padding::Same),
    ([1, 6, 6, 12], [3, 2, 4, 6], [1, 2], [2, 1], Padding::Valid),
    ([1, 5, 6, 36], [2, 2, 18, 34], [1, 1], [1, 1], Padding::Same),
];

/// Results in 16 bits differ by a rounding of the last of a few operations.
const HALVES: [(DType, f64); 2] = [(DType::F16, 4e-3), (DType::BF16, 3e-2)];

#[test]
fn a_convolution_in_groups_is_one_launch() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    for (dtype, filters) in [(DType::F32, [3, 3, 1, 24]), (DType::BF16, [3, 3, 1, 24]), (DType::F16, [3, 3, 4, 24])] {
        let (x, w) = (some(1, dtype, &[1, 6, 6, 24]).gpu(), some(2, dtype, &filters).gpu());
        emulation.reset_counters();
        let y = tf::conv2d(&x, &w, 1, Padding::Same);
        tf::config::synchronize("/gpu:0").unwrap();
        assert_eq!(emulation.counters().launches, 1, "{dtype} {filters:?}");
        assert_eq!((y.dtype(), y.device().to_string()), (dtype, "/device:GPU:0".into()));
    }
}

#[test]
fn sixteen_bits_are_read_and_written_as_they_lie() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    for dtype in [DType::F16, DType::BF16] {
        let (x, w) = (some(1, dtype, &[1, 6, 6, 8]).gpu(), some(2, dtype, &[3, 3, 8, 8]).gpu());
        let calls: [&dyn Fn() -> Tensor; 5] = [
            &|| tf::conv2d(&x, &w, 1, Padding::Valid),
            &|| tf::max_pool2d(&x, 2, 2, Padding::Valid),
            &|| tf::avg_pool2d(&x, 2, 2, Padding::Valid),
            &|| tf::softmax(&x, -1),
            &|| tf::log_softmax(&x, -1),
        ];
        for (i, call) in calls.iter().enumerate() {
            emulation.reset_counters();
            let y = call();
            tf::config::synchronize("/gpu:0").unwrap();
            assert_eq!((emulation.counters().launches, y.dtype()), (1, dtype), "call {i}");
        }
    }
}

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
    for (x, w, strides, dilations, padding) in CASES {
        for (dtype, within) in [(DType::F32, 1e-5), (DType::F64, 1e-13)] {
            agree(&gpu, &[some(1, dtype, &x), some(2, dtype, &w)], within, |t| {
                slopes(t, |t| tf::conv2d_dilated(&t[0], &t[1], strides, padding, dilations))
            });
        }
        agree(&gpu, &[some(3, DType::I32, &x), some(4, DType::I32, &w)], 0.0, |t| {
            vec![tf::conv2d_dilated(&t[0], &t[1], strides, padding, dilations)]
        });
        for (dtype, within) in HALVES {
            agree(&gpu, &[some(3, dtype, &x), some(4, dtype, &w)], within, |t| {
                slopes(t, |t| tf::conv2d_dilated(&t[0], &t[1], strides, padding, dilations))
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
        ([2, 9, 9, 7], [2, 2], [3, 3], Padding::Valid),
        ([3, 17, 15, 5], [3, 3], [2, 2], Padding::Same),
        // Channels by 16 bytes, for all dtypes.
        ([2, 7, 6, 32], [3, 2], [2, 1], Padding::Same),
    ] {
        for (dtype, within) in [(DType::F32, 1e-6), (DType::F64, 1e-14)] {
            agree(&gpu, &[some(5, dtype, &shape)], within, |t| {
                slopes(t, |t| tf::max_pool2d(&t[0], size, strides, padding))
            });
            agree(&gpu, &[some(6, dtype, &shape)], within, |t| {
                slopes(t, |t| tf::avg_pool2d(&t[0], size, strides, padding))
            });
        }
        for (dtype, within) in HALVES {
            agree(&gpu, &[some(8, dtype, &shape)], within, |t| {
                slopes(t, |t| tf::max_pool2d(&t[0], size, strides, padding))
            });
            agree(&gpu, &[some(9, dtype, &shape)], within, |t| {
                slopes(t, |t| tf::avg_pool2d(&t[0], size, strides, padding))
            });
        }
        for dtype in [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::F16, DType::BF16] {
            agree(&gpu, &[some(7, dtype, &shape)], 0.0, |t| vec![tf::max_pool2d(&t[0], size, strides, padding)]);
        }
    }
    let nan = tf::constant([1.0, f32::NAN, f32::NAN, 2.0, f32::NEG_INFINITY, f32::NEG_INFINITY, 3.0, 3.0]);
    for shape in [[1, 2, 4, 1], [1, 2, 1, 4]] {
        agree(&gpu, &[tf::reshape(&nan, shape)], 0.0, |t| {
            let mut tape = GradientTape::new();
            tape.watch(&t[0]);
            let y = tf::max_pool2d(&t[0], 2, 1, Padding::Same);
            vec![y.clone(), tape.gradient(&y, &t[0])]
        });
    }
}

#[test]
fn convolutions_of_much_work() {
    let Some(gpu) = gpu() else { return };
    for (x, w, strides, dilations, padding) in [
        ([4, 20, 20, 16], [3, 3, 16, 72], [1, 1], [1, 1], Padding::Same),
        ([3, 32, 33, 20], [5, 3, 20, 70], [2, 2], [1, 2], Padding::Same),
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
