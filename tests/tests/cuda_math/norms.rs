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

/// Attention and its gradients by the operands.
fn attention_and_gradients(x: &[Tensor], options: impl Fn() -> Attention) -> Vec<Tensor> {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = tf::scaled_dot_product_attention(&x[0], &x[1], &x[2], options());
    let weighted = tf::reduce_sum(&y * &tf::sin(&y), ());
    [vec![y], tape.gradient(&weighted, x).try_to_vec().unwrap()].concat()
}

/// Rows of all the widths that tiles are made for, several tiles in both directions, none of them full.
#[test]
fn attention_by_tiles() {
    let Some(gpu) = gpu() else { return };
    let launches = || {
        let all = gpu.emulation.map(|e| e.launches_by_kernel());
        let tiles = all.into_iter().flatten().filter(|(name, _)| name.contains("by_tiles"));
        tiles.map(|(_, count)| count).sum::<u64>()
    };
    let inputs = |dtype, heads: [usize; 2], rows: [usize; 2], [depth, width]: [usize; 2]| {
        let of = |seed, heads, rows, width| some(seed, dtype, &[2, heads, rows, width]);
        [of(1, heads[0], rows[0], depth), of(2, heads[1], rows[1], depth), of(3, heads[1], rows[1], width)]
    };
    let begun = launches();
    for widths in [[32, 32], [40, 64], [100, 128], [7, 1]] {
        let plain = inputs(DType::F32, [2, 2], [67, 131], widths);
        agree(&gpu, &plain, 2e-5, |x| attention_and_gradients(x, Attention::default));
        let causal = || Attention { causal: true, scale: Some(0.3), ..Attention::default() };
        agree(&gpu, &inputs(DType::F32, [1, 1], [70, 70], widths), 2e-5, |x| attention_and_gradients(x, causal));
        let drops = || Attention { dropout: 0.3, seed: Some(Tensor::from([3_i64, 9])), ..Attention::default() };
        agree(&gpu, &inputs(DType::F32, [1, 1], [35, 66], widths), 2e-5, |x| attention_and_gradients(x, drops));
        let grouped = || Attention { grouped: true, ..Attention::default() };
        agree(&gpu, &inputs(DType::F32, [4, 2], [33, 40], widths), 2e-5, |x| attention_and_gradients(x, grouped));
        agree(&gpu, &inputs(DType::BF16, [1, 1], [33, 70], widths), 2e-2, |x| {
            vec![tf::scaled_dot_product_attention(&x[0], &x[1], &x[2], Attention::default())]
        });
        // Heads beside each other, as layers have them, and a mask with a row in which nothing is seen.
        let hidden = || {
            let seen =
                tf::constant([[true, false, true, true], [false, false, false, false], [false, true, true, true]]);
            Attention { mask: Some(seen), ..Attention::default() }
        };
        agree(&gpu, &inputs(DType::F32, [3, 4], [3, 4], widths).map(|x| x.at(tf::s![.., 0..3])), 2e-5, |x| {
            let turned: Vec<Tensor> = x.iter().map(|x| tf::transpose(x, [2, 1, 0, 3])).collect();
            let square = [turned[0].clone(), turned[1].clone(), turned[2].clone()];
            attention_and_gradients(&square.map(|x| tf::transpose(x, [2, 1, 0, 3])), hidden)
        });
    }
    // Six results and five gradients, of which each is two kernels; other tests may have been here before.
    assert!(gpu.emulation.is_none() || launches() - begun == 4 * 16, "{} launches", launches() - begun);
    // Rows whose numbers lie apart go the other way, with the same results.
    let before = launches();
    let apart = inputs(DType::F32, [2, 2], [9, 11], [8, 8]);
    agree(&gpu, &apart, 2e-5, |x| {
        let flipped = [0, 1, 2].map(|i| tf::reverse(&x[i], -1));
        let views = [0, 1, 2].map(|i| flipped[i].at(tf::s![.., .., .., ..;2]));
        vec![tf::scaled_dot_product_attention(&views[0], &views[1], &views[2], Attention::default())]
    });
    assert_eq!(launches(), before);
}

#[test]
fn normalised_rows() {
    let Some(gpu) = gpu() else { return };
    for shape in [[3, 4], [5, 33], [2, 700], [1, 5000], [700, 33]] {
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
