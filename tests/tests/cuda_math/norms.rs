//! Attention and the normalisation of rows on a GPU: blocks that are not full, masks, groups, dropout, and gradients of both orders.

use crate::{agree, some};
use eagerflow as tf;
use eagerflow_tests::cuda::watched_gpu as gpu;
use tf::{Attention, DType, GradientTape, Tensor};

/// A function, and its gradients of two orders by all inputs.
fn with_gradients(x: &[Tensor], f: impl Fn(&[Tensor]) -> Tensor) -> Vec<Tensor> {
    let sources = x.to_vec();
    let mut outer = GradientTape::new();
    outer.watch(&sources);
    let mut tape = GradientTape::new();
    tape.watch(&sources);
    let y = f(x);
    let weighted = &y * &tf::sin(&y);
    let first = tape.gradient(&weighted, &sources);
    let first: Vec<Tensor> = (0..x.len()).filter_map(|i| first.get(i)).collect();
    let squares: Vec<Tensor> = first.iter().map(|dx| dx * dx).collect();
    let second = outer.gradient(&squares[..], &sources);
    let mut all = vec![y];
    all.extend(first);
    all.extend((0..x.len()).filter_map(|i| second.get(i)));
    all
}

#[test]
fn attention_by_blocks() {
    let Some(gpu) = gpu() else { return };
    for (dtype, within) in [(DType::F32, 2e-5), (DType::F64, 1e-12)] {
        let inputs = |queries: usize, keys: usize| {
            vec![some(1, dtype, &[2, queries, 5]), some(2, dtype, &[2, keys, 5]), some(3, dtype, &[2, keys, 3])]
        };
        let call = |x: &[Tensor], options: Attention| tf::scaled_dot_product_attention(&x[0], &x[1], &x[2], options);
        agree(&gpu, &inputs(19, 37), within, |x| with_gradients(x, |x| call(x, Attention::default())));
        let causal = || Attention { causal: true, scale: Some(0.4), ..Attention::default() };
        agree(&gpu, &inputs(40, 33), within, |x| with_gradients(x, |x| call(x, causal())));
        let drops = || Attention { dropout: 0.3, seed: Some(Tensor::from([3_i64, 9])), ..Attention::default() };
        agree(&gpu, &inputs(3, 34), within, |x| with_gradients(x, |x| call(x, drops())));
        let mut masked = inputs(4, 6);
        masked.push(some(4, dtype, &[4, 6]));
        let added = |x: &[Tensor]| call(x, Attention { mask: Some(x[3].clone()), ..Attention::default() });
        agree(&gpu, &masked, within, |x| with_gradients(x, added));
        let flags = tf::constant([[true, false, true], [false, false, false]]);
        let hidden = |x: &[Tensor]| call(x, Attention { mask: Some(flags.clone()), ..Attention::default() });
        agree(&gpu, &inputs(2, 3), within, |x| with_gradients(x, hidden));
        let groups = [some(1, dtype, &[4, 3, 2]), some(2, dtype, &[2, 5, 2]), some(3, dtype, &[2, 5, 2])];
        let grouped = |x: &[Tensor]| call(x, Attention { grouped: true, ..Attention::default() });
        agree(&gpu, &groups, within, |x| with_gradients(x, grouped));
    }
    let half = [1, 2, 3].map(|seed| some(seed, DType::F16, &[2, 9, 4]));
    agree(&gpu, &half, 4e-3, |x| vec![tf::scaled_dot_product_attention(&x[0], &x[1], &x[2], Attention::default())]);
}

#[test]
fn normalised_rows() {
    let Some(gpu) = gpu() else { return };
    for shape in [[3, 4], [5, 33], [2, 700], [1, 5000]] {
        let columns = [shape[1]];
        let inputs = [some(1, DType::F64, &shape), some(2, DType::F64, &columns), some(3, DType::F64, &columns)];
        agree(&gpu, &inputs, 1e-11, |x| {
            with_gradients(x, |x| tf::layer_normalization(&x[0], -1, Some(&x[1]), Some(&x[2]), 1e-3))
        });
        agree(&gpu, &inputs[..2], 1e-11, |x| with_gradients(x, |x| tf::rms_norm(&x[0], -1, Some(&x[1]), 1e-3)));
    }
    let half = [some(1, DType::F16, &[6, 40])];
    agree(&gpu, &half, 4e-3, |x| vec![tf::layer_normalization(&x[0], -1, None, None, 1e-3)]);
}

#[test]
fn normalised_channels() {
    let Some(gpu) = gpu() else { return };
    let batch = |x: &[Tensor], data_format| {
        let options = tf::FusedBatchNorm { data_format, ..tf::FusedBatchNorm::default() };
        tf::fused_batch_norm(&x[0], &x[1], &x[2], options).0
    };
    for [examples, spots, channels, groups] in [[2, 3, 4, 2], [3, 70, 6, 3], [1, 5, 33, 1], [2, 300, 8, 8]] {
        let columns = [2, 3].map(|seed| some(seed, DType::F64, &[channels]));
        for last in [true, false] {
            let shape = if last { [examples, spots, channels] } else { [examples, channels, spots] };
            let [scale, offset] = columns.clone();
            let inputs = [some(1, DType::F64, &shape), scale, offset];
            let axis = if last { -1 } else { 1 };
            let format = if last { tf::DataFormat::ChannelsLast } else { tf::DataFormat::ChannelsFirst };
            agree(&gpu, &inputs, 1e-11, |x| {
                with_gradients(x, |x| tf::group_normalization(&x[0], groups, axis, Some(&x[1]), Some(&x[2]), 1e-3))
            });
            agree(&gpu, &inputs[..1], 1e-11, |x| {
                with_gradients(x, |x| tf::group_normalization(&x[0], groups, axis, None, None, 1e-3))
            });
            agree(&gpu, &inputs, 1e-11, |x| with_gradients(x, |x| batch(x, format)));
        }
    }
    let half = [some(1, DType::F16, &[3, 40, 6])];
    agree(&gpu, &half, 4e-3, |x| vec![tf::group_normalization(&x[0], 2, -1, None, None, 1e-3)]);
}
