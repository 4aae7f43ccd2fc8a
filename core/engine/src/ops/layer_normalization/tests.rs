//! Normalisations against their definitions, and their gradients of both orders.

use crate::ops::differences::{check, numbers};
use crate::{self as tf, DType, Tensor};

#[test]
fn gradients_of_both_orders() {
    let (scale, offset) = (numbers(2, &[4]) + 1.5, numbers(3, &[4]));
    let all = [numbers(1, &[3, 4]), scale.clone(), offset];
    check(&|x| tf::layer_normalization(&x[0], -1, Some(&x[1]), Some(&x[2]), 1e-3), &all);
    check(&|x| tf::layer_normalization(&x[0], -1, None, None, 1e-3), &all[..1]);
    check(&|x| tf::layer_normalization(&x[0], -1, None, Some(&x[1]), 1e-3), &all[..2]);
    check(&|x| tf::rms_norm(&x[0], -1, Some(&x[1]), 1e-3), &all[..2]);
    check(&|x| tf::rms_norm(&x[0], 0, None, 1e-3), &all[..1]);
    check(
        &|x| tf::layer_normalization(&x[0], [0, 2], Some(&x[1]), None, 1e-2),
        &[numbers(5, &[2, 3, 2]), numbers(6, &[2, 2])],
    );
    let groups = [numbers(1, &[2, 2, 4]), scale, numbers(3, &[4])];
    check(&|x| tf::group_normalization(&x[0], 2, -1, Some(&x[1]), Some(&x[2]), 1e-3), &groups);
    let groups = [numbers(1, &[2, 4, 2]), numbers(2, &[4]) + 1.5, numbers(3, &[4])];
    check(&|x| tf::group_normalization(&x[0], 2, 1, Some(&x[1]), Some(&x[2]), 1e-3), &groups);
    check(&|x| tf::group_normalization(&x[0], 2, -1, None, Some(&x[1]), 1e-2), &[numbers(5, &[2, 3, 4]), numbers(6, &[4])]);
    check(&|x| tf::group_normalization(&x[0], 1, 1, None, None, 1e-2), &[numbers(7, &[2, 3, 2, 2])]);
    // So many examples go through all steps one by one.
    let many = [numbers(8, &[16, 2, 4]), numbers(2, &[4]) + 1.5, numbers(3, &[4])];
    check(&|x| tf::group_normalization(&x[0], 2, -1, Some(&x[1]), Some(&x[2]), 1e-2), &many);
    check(&|x| tf::group_normalization(&x[0], 2, -1, None, Some(&x[1]), 1e-2), &[many[0].clone(), many[2].clone()]);
    check(&|x| tf::group_normalization(&x[0], 2, -1, None, None, 1e-2), &many[..1]);
}

/// The definition, of channels that lie last, in `float64`.
fn plain_groups(x: &[f64], [examples, spots, channels]: [usize; 3], groups: usize, [scale, offset]: [&[f64]; 2]) -> Vec<f64> {
    let (each, mut y) = (channels / groups, vec![0.0; x.len()]);
    for (example, group) in (0..examples).flat_map(|example| (0..groups).map(move |group| (example, group))) {
        let own = || (0..spots * each).map(|i| (example * spots + i / each) * channels + group * each + i % each);
        let n = (spots * each) as f64;
        let mean = own().map(|i| x[i]).sum::<f64>() / n;
        let variance = own().map(|i| (x[i] - mean).powi(2)).sum::<f64>() / n;
        own().for_each(|i| y[i] = (x[i] - mean) / (variance + 1e-3).sqrt() * scale[i % channels] + offset[i % channels]);
    }
    y
}

#[test]
fn groups_are_those_of_the_definition() {
    for [examples, spots, channels, groups] in
        [[2, 5, 4, 4], [3, 1, 6, 3], [2, 40, 9, 3], [1, 70, 14, 2], [2, 33, 7, 1], [3, 2, 70, 35], [0, 3, 4, 2], [1, 1200, 66, 6], [17, 40, 6, 3]]
    {
        let sizes = [examples, spots, channels];
        let (x, scale, offset) = (numbers(1, &sizes) * 3.0 + 4.0, numbers(2, &[channels]), numbers(3, &[channels]));
        let exact = plain_groups(&x.to_vec::<f64>(), sizes, groups, [&scale.to_vec(), &offset.to_vec()]);
        for (dtype, within) in [(DType::F64, 1e-12), (DType::F32, 1e-5), (DType::F16, 2e-2), (DType::BF16, 1e-1)] {
            let [x, scale, offset] = [&x, &scale, &offset].map(|t| t.cast(dtype));
            let last = tf::group_normalization(&x, groups, -1, Some(&scale), Some(&offset), 1e-3);
            let first = tf::transpose(&x, [0, 2, 1]);
            let first = tf::group_normalization(&first, groups, 1, Some(&scale), Some(&offset), 1e-3);
            for y in [last, tf::transpose(&first, [0, 2, 1])] {
                assert_eq!((y.dtype(), y.shape().dims()), (dtype, &sizes[..]));
                let y = y.cast(DType::F64).to_vec::<f64>();
                assert!(y.iter().zip(&exact).all(|(y, exact)| (y - exact).abs() < within * (1.0 + exact.abs())), "{sizes:?}");
            }
        }
    }
}

type Function<'a> = &'a dyn Fn(&[Tensor]) -> Tensor;

/// The result and all gradients of a normalisation of three operands.
fn bits(f: Function<'_>, inputs: &[Tensor]) -> Vec<u32> {
    let mut tape = tf::GradientTape::new();
    tape.watch(inputs);
    let y = f(inputs);
    let loss = tf::reduce_sum(&y * &y * &y, ());
    let all = tape.gradient(&loss, inputs);
    std::iter::once(y).chain(all.into_iter().flatten()).flat_map(|t| t.to_vec::<f32>()).map(f32::to_bits).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let operands = |shape: &[usize], channels: usize| {
        [numbers(1, shape) + 3.0, numbers(2, &[channels]), numbers(3, &[channels])].map(|t| t.cast(DType::F32))
    };
    let batch = |x: &[Tensor]| tf::fused_batch_norm(&x[0], &x[1], &x[2], tf::FusedBatchNorm::default()).0;
    let first = |x: &[Tensor]| {
        let options = tf::FusedBatchNorm { data_format: tf::DataFormat::ChannelsFirst, ..Default::default() };
        tf::fused_batch_norm(&x[0], &x[1], &x[2], options).0
    };
    let group = |x: &[Tensor]| tf::group_normalization(&x[0], 3, -1, Some(&x[1]), Some(&x[2]), 1e-3);
    let group_first = |x: &[Tensor]| tf::group_normalization(&x[0], 3, 1, Some(&x[1]), Some(&x[2]), 1e-3);
    let all: [(Function<'_>, [Tensor; 3]); 6] = [
        (&batch, operands(&[3, 50, 41, 33], 33)),
        (&first, operands(&[3, 33, 50, 41], 33)),
        (&group, operands(&[3, 50, 41, 33], 33)),
        (&group_first, operands(&[3, 33, 50, 41], 33)),
        // Each example by itself.
        (&group, operands(&[17, 50, 41, 6], 6)),
        (&group_first, operands(&[17, 6, 50, 41], 6)),
    ];
    for (f, inputs) in all {
        let results = [1, 2, 5].map(|threads| {
            tf::config::set_threads(threads);
            bits(f, &inputs)
        });
        tf::config::set_threads(0);
        assert!(results[0] == results[1] && results[0] == results[2]);
    }
}

#[test]
fn many_examples_are_what_each_is_alone() {
    for (dtype, axis) in [(DType::F32, 2), (DType::F32, 1), (DType::F64, 2), (DType::F16, 2), (DType::BF16, 1)] {
        let [x, scale, offset] = [numbers(1, &[18, 12, 12]), numbers(2, &[12]), numbers(3, &[12])].map(|t| t.cast(dtype));
        let both = |x: &Tensor| {
            let mut tape = tf::GradientTape::new();
            tape.watch(x);
            let y = tf::group_normalization(x, 3, axis, Some(&scale), Some(&offset), 1e-3);
            let dx = tape.gradient(&tf::reduce_sum(&y * &y * &y, [1, 2]), x);
            [y, dx]
        };
        let alone: Vec<_> = tf::split(&x, 18, 0).iter().map(both).collect();
        for (i, all) in both(&x).into_iter().enumerate() {
            let each: Vec<Tensor> = alone.iter().map(|both| both[i].clone()).collect();
            assert_eq!(all.cast(DType::F64).to_vec::<f64>(), tf::concat(&each, 0).cast(DType::F64).to_vec::<f64>());
        }
    }
}

#[test]
fn a_far_mean_keeps_the_variance() {
    let x = (numbers(1, &[4, 500, 8]) + 1e4).cast(DType::F32);
    let wide = x.cast(DType::F64);
    let near = |a: &Tensor, b: &Tensor| {
        let (a, b) = (a.cast(DType::F64).to_vec::<f64>(), b.to_vec::<f64>());
        // The mean itself is rounded: half a thousandth, where the deviation is 0.6.
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 2e-3));
    };
    let group = |x: &Tensor| tf::group_normalization(x, 2, -1, None, None, 1e-3);
    near(&group(&x), &group(&wide));
    let batch = |x: &Tensor| {
        let (one, none) = (tf::ones([8]).cast(x.dtype()), tf::zeros([8]).cast(x.dtype()));
        tf::fused_batch_norm(x, &one, &none, tf::FusedBatchNorm::default())
    };
    let (single, double) = (batch(&x), batch(&wide));
    near(&single.0, &double.0);
    near(&single.2, &double.2);
}

#[test]
fn groups_are_the_same_wherever_the_channels_lie() {
    let x = numbers(7, &[2, 5, 3, 6]) * 2.0 + 1.0;
    let (scale, offset) = (numbers(2, &[6]) + 1.5, numbers(3, &[6]));
    let last = tf::group_normalization(&x, 3, -1, Some(&scale), Some(&offset), 1e-3);
    let first = tf::group_normalization(tf::transpose(&x, [0, 3, 1, 2]), 3, 1, Some(&scale), Some(&offset), 1e-3);
    let first = tf::transpose(&first, [0, 2, 3, 1]);
    let middle = tf::group_normalization(tf::transpose(&x, [0, 1, 3, 2]), 3, 2, Some(&scale), Some(&offset), 1e-3);
    let middle = tf::transpose(&middle, [0, 1, 3, 2]);
    for other in [first, middle] {
        let far = last.to_vec::<f64>().iter().zip(other.to_vec::<f64>()).fold(0.0, |far, (a, b)| (a - b).abs().max(far));
        assert!(far < 1e-12, "{far}");
    }
    // 16-bit numbers are summed in `float32`: 2000 of them would not be exact.
    let half = (numbers(4, &[1, 2000, 4]) + 3.0).cast(DType::F16);
    let y = tf::group_normalization(&half, 2, -1, None, None, 0.0);
    assert_eq!(y.dtype(), DType::F16);
    let (mean, _) = tf::moments(y.cast(DType::F64), ());
    assert!(mean.item::<f64>().abs() < 1e-3);
    assert_eq!(tf::group_normalization(tf::ones([2, 0, 4]), 2, -1, None, None, 1e-3).shape(), [2, 0, 4]);
    let other = tf::ones([4]).cast(DType::F64);
    assert!(tf::try_group_normalization(tf::ones([2, 3, 4]), 2, -1, None, Some(&other), 1e-3).is_err());
}

#[test]
fn rows_of_any_length_have_no_mean_and_one_variance() {
    for shape in [[5, 2], [3, 31], [2, 100], [70, 768], [1, 5000]] {
        let x = numbers(9, &shape) * 3.0 + 5.0;
        let y = tf::layer_normalization(&x, -1, None, None, 0.0);
        let (mean, variance) = tf::moments(&y, -1);
        assert!(mean.to_vec::<f64>().iter().all(|m| m.abs() < 1e-12));
        assert!(variance.to_vec::<f64>().iter().all(|v| (v - 1.0).abs() < 1e-12));
    }
    // One number is its own mean.
    assert_eq!(tf::layer_normalization(tf::ones([2, 1]), -1, None, None, 1e-3).to_vec::<f32>(), [0.0; 2]);
    let half = tf::rms_norm(tf::constant([[3.0, 4.0]]).cast(DType::F16), -1, None, 0.0);
    assert!((half.cast(DType::F32).to_vec::<f32>()[0] - 3.0 / 12.5_f32.sqrt()).abs() < 1e-3);
    assert_eq!(tf::layer_normalization(tf::ones([0, 3]), -1, None, None, 1e-3).shape(), [0, 3]);
    assert_eq!(tf::layer_normalization(tf::ones([3, 0]), -1, None, None, 1e-3).shape(), [3, 0]);
}

#[test]
fn bad_input_is_refused() {
    let x = tf::ones([2, 4]);
    let scale: Tensor = tf::ones([3]);
    assert!(tf::try_layer_normalization(&x, -1, Some(&scale), None, 1e-3).is_err());
    assert!(tf::try_layer_normalization(&x, -1, None, None, -1.0).is_err());
    assert!(tf::try_layer_normalization(&x, 2, None, None, 1e-3).is_err());
    assert!(tf::try_layer_normalization(x.cast(DType::I32), -1, None, None, 1e-3).is_err());
    assert!(tf::try_layer_normalization(&x, -1, Some(&tf::ones([4]).cast(DType::F64)), None, 1e-3).is_err());
    assert!(tf::try_group_normalization(&x, 3, -1, None, None, 1e-3).is_err());
    assert!(tf::try_group_normalization(&x, 0, -1, None, None, 1e-3).is_err());
    assert!(tf::try_group_normalization(&x, 1, 0, None, None, 1e-3).is_err());
}
