//! Attention, normalisations, and the losses over samples and alignments with all sizes unknown.

use super::{Sample, one, positive, small, x};
use eagerflow as tf;
use tf::{Attention, DType, FusedBatchNorm, SampledLoss, Tensor};

fn integers(x: &Tensor) -> Tensor {
    x.cast(DType::I64)
}

pub fn samples() -> Vec<Sample> {
    let pair = |s: super::Sizes| vec![x(&[s.a, s.b]), positive(&[s.b]), x(&[s.b])];
    let operands = |s: super::Sizes| vec![x(&[2, s.a, s.b]), x(&[2, s.c, s.b]), x(&[2, s.c, s.a])];
    vec![
        Sample::new("attention", operands, |x| {
            let causal = Attention { causal: true, ..Attention::default() };
            one(tf::try_scaled_dot_product_attention(&x[0], &x[1], &x[2], causal))
        }),
        Sample::new(
            "attention",
            |s| vec![x(&[2, s.a, s.b]), x(&[2, s.c, s.b]), x(&[s.a, s.c])],
            |x| {
                let options = Attention {
                    mask: Some(x[2].clone()),
                    dropout: 0.3,
                    seed: Some(Tensor::from([5_i64, 6])),
                    ..Attention::default()
                };
                one(tf::try_scaled_dot_product_attention(&x[0], &x[1], &x[1], options))
            },
        ),
        Sample::new(
            "attention",
            |s| vec![x(&[s.a, 8, s.b, 2]), x(&[s.a, 2, s.c, 2])],
            |x| {
                let options = Attention { grouped: true, ..Attention::default() };
                one(tf::try_scaled_dot_product_attention(&x[0], &x[1], &x[1], options))
            },
        ),
        Sample::new("batch_normalization", pair, |x| {
            Ok(vec![
                tf::try_batch_normalization(&x[0], &x[2], &x[1], Some(&x[2]), Some(&x[1]), 1e-3)?,
                tf::try_fused_batch_norm(&x[0], &x[1], &x[2], FusedBatchNorm::default())?.0,
            ])
        }),
        Sample::new("layer_normalization", pair, |x| {
            Ok(vec![
                tf::try_layer_normalization(&x[0], -1, Some(&x[1]), Some(&x[2]), 1e-3)?,
                tf::try_rms_norm(&x[0], [0, 1], None, 1e-3)?,
            ])
        }),
        Sample::new(
            "layer_normalization",
            |s| vec![x(&[s.a, 8, s.b])],
            |x| one(tf::try_group_normalization(&x[0], 2, 1, None, None, 1e-3)),
        ),
        Sample::new(
            "layer_normalization",
            |s| vec![x(&[s.a, s.b, 8])],
            |x| one(tf::try_group_normalization(&x[0], 2, -1, None, None, 1e-3)),
        ),
        Sample::new("moments", pair, |x| {
            let (count, sum, squares) = tf::try_sufficient_statistics(&x[0], 0, Some(&x[2]))?;
            let (mean, variance) = tf::try_normalize_moments(&count, &sum, &squares, Some(&x[2]))?;
            let (weighted, _) = tf::try_weighted_moments(&x[0], 1, &x[1])?;
            Ok(vec![mean, variance, weighted])
        }),
        Sample::new(
            "log_poisson_loss",
            |s| vec![positive(&[s.a]), x(&[s.a])],
            |x| one(tf::try_log_poisson_loss(&x[0], &x[1], true)),
        ),
        Sample::new(
            "ctc",
            |s| vec![x(&[s.c, s.a, s.b]), small(&[s.a, s.b]), small(&[s.a])],
            |x| {
                // Labels of 0 to 2 where the last class is the blank, and lengths that fit.
                let length = tf::try_minimum(&x[2], 1)?;
                let (unique, _) = tf::try_ctc_unique_labels(&x[1])?;
                let (short, _) = tf::try_collapse_repeated(&x[1], &x[2])?;
                let labels = tf::try_minimum(&x[1], 1)?;
                let (_, _, sums) = tf::try_ctc_greedy_decoder(&x[0], &x[2], true, -1)?;
                Ok(vec![tf::try_ctc_loss(&labels, &x[0], &length, &x[2], true, -1)?, sums, unique, short])
            },
        ),
        Sample::new(
            "candidate_sampler",
            |s| vec![small(&[s.a, s.b])],
            |x| {
                let (_, counts, _) = tf::try_uniform_candidate_sampler(integers(&x[0]), 4, false, 8, Some(3))?;
                one(Ok(counts))
            },
        ),
        Sample::new(
            "sampled_loss",
            |s| vec![x(&[s.a, s.b]), x(&[s.a]), x(&[s.c, s.b]), small(&[s.c, 1]), positive(&[s.c, 1])],
            |x| {
                let sampled = Tensor::from([2_i64, 0]);
                let counts = Tensor::from([0.5, 0.25]).cast(DType::F64);
                let options = SampledLoss {
                    sampled_values: Some((sampled, x[4].clone(), counts)),
                    remove_accidental_hits: Some(true),
                    ..SampledLoss::default()
                };
                Ok(vec![
                    tf::try_sampled_softmax_loss(&x[0], &x[1], &x[3], &x[2], 2, 4, options.clone())?,
                    tf::try_nce_loss(&x[0], &x[1], &x[3], &x[2], 2, 4, options)?,
                ])
            },
        ),
    ]
}
