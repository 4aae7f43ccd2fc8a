//! The rows of attention, normalisations, and the losses over samples and alignments.
//! `rows::all` collects them.

use super::{Answer, Call, Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;
use tf::{Attention, DataFormat, FusedBatchNorm, SampledLoss, Tensor};

fn axes(c: &Call<'_>) -> tf::Axes {
    use tf::IntoAxes;
    let axes = c.a.ints("axes").unwrap_or_default().into_axes();
    if c.a.flag("keepdims") { tf::keep_dims(axes) } else { axes }
}

fn two(result: tf::Result<(Tensor, Tensor)>) -> Answer {
    result.map(|(a, b)| vec![a, b])
}

fn three(result: tf::Result<(Tensor, Tensor, Tensor)>) -> Answer {
    result.map(|(a, b, c)| vec![a, b, c])
}

/// Classes that were sampled, and their expected counts in the dtype of the inputs.
fn sampled(c: &Call<'_>) -> tf::Result<SampledLoss> {
    let counts = |i: usize| tf::try_cast(&c.x[i], c.x[3].dtype());
    let values = (c.x[4].clone(), counts(5)?, counts(6)?);
    Ok(SampledLoss {
        sampled_values: Some(values),
        remove_accidental_hits: Some(c.a.flag("hits")),
        ..SampledLoss::default()
    })
}

pub(super) fn rows() -> Vec<Row> {
    let near = |name, call| Row::new(name, Bound::sums(8.0, 8.0), call);
    let exact = |name, call| Row::new(name, Bound::EXACT, call);
    vec![
        near("attention", |c| {
            let options = Attention {
                mask: c.x.get(3).cloned(),
                causal: c.a.flag("causal"),
                scale: c.a.0["scale"].as_f64(),
                grouped: c.a.flag("grouped"),
                ..Attention::default()
            };
            one(tf::try_scaled_dot_product_attention(&c.x[0], &c.x[1], &c.x[2], options))
        })
        .of("scaled_dot_product_attention"),
        near("layer_normalization", |c| {
            let last: Vec<isize> = (1..=c.a.int("axes")).map(|i| -i).collect();
            one(tf::try_layer_normalization(&c.x[0], last, Some(&c.x[1]), Some(&c.x[2]), c.a.float("epsilon")))
        }),
        near("rms_norm", |c| one(tf::try_rms_norm(&c.x[0], -1, Some(&c.x[1]), c.a.float("epsilon")))),
        near("group_normalization", |c| {
            let (groups, epsilon) = (c.a.int("groups") as usize, c.a.float("epsilon"));
            one(tf::try_group_normalization(&c.x[0], groups, 1, Some(&c.x[1]), Some(&c.x[2]), epsilon))
        }),
        near("batch_normalization", |c| {
            let [x, mean, variance, offset, scale] = [0, 1, 2, 3, 4].map(|i| &c.x[i]);
            one(tf::try_batch_normalization(x, mean, variance, Some(offset), Some(scale), c.a.float("epsilon")))
        }),
        near("fused_batch_norm", |c| {
            let options = FusedBatchNorm {
                mean: c.x.get(3).cloned(),
                variance: c.x.get(4).cloned(),
                epsilon: c.a.float("epsilon"),
                data_format: match c.a.text("format") {
                    "NCHW" => DataFormat::ChannelsFirst,
                    _ => DataFormat::ChannelsLast,
                },
                is_training: c.a.flag("training"),
                exponential_avg_factor: c.a.float("factor"),
            };
            three(tf::try_fused_batch_norm(&c.x[0], &c.x[1], &c.x[2], options))
        }),
        near("weighted_moments", |c| two(tf::try_weighted_moments(&c.x[0], axes(c), &c.x[1]))),
        near("sufficient_statistics", |c| three(tf::try_sufficient_statistics(&c.x[0], axes(c), c.x.get(1)))),
        near("normalize_moments", |c| two(tf::try_normalize_moments(&c.x[0], &c.x[1], &c.x[2], c.x.get(3)))),
        Row::elementwise("log_poisson_loss", Bound::sums(8.0, 8.0), |c| {
            one(tf::try_log_poisson_loss(&c.x[0], &c.x[1], c.a.flag("full")))
        }),
        near("ctc_loss", |c| {
            let (major, blank) = (c.a.flag("time_major"), c.a.int("blank") as i64);
            one(tf::try_ctc_loss(&c.x[1], &c.x[0], &c.x[2], &c.x[3], major, blank))
        })
        .except([Exception::bound(
            &["float64"],
            Bound::sums(1e10, 1e10),
            "TensorFlow computes with float32 numbers, so that of float64 it gives these",
        )]),
        near("ctc_greedy_decoder", |c| {
            let blank = c.a.int_or_none("blank").unwrap_or(-1) as i64;
            three(tf::try_ctc_greedy_decoder(&c.x[0], &c.x[1], c.a.flag("merge"), blank))
        }),
        near("ctc_beam_search_decoder", |c| {
            let [width, paths] = ["width", "paths"].map(|name| c.a.int(name) as usize);
            three(tf::try_ctc_beam_search_decoder(&c.x[0], &c.x[1], width, paths))
        })
        .except([Exception::bound(
            &["float64"],
            Bound::sums(1e9, 1e9),
            "TensorFlow's search adds up in float32 whatever the logits are",
        )]),
        exact("ctc_unique_labels", |c| two(tf::try_ctc_unique_labels(&c.x[0]))),
        exact("collapse_repeated", |c| two(tf::try_collapse_repeated(&c.x[0], &c.x[1]))),
        near("sampled_softmax_loss", |c| {
            one(tf::try_sampled_softmax_loss(&c.x[0], &c.x[1], &c.x[2], &c.x[3], 3, 6, sampled(c)?))
        }),
        near("nce_loss", |c| one(tf::try_nce_loss(&c.x[0], &c.x[1], &c.x[2], &c.x[3], 3, 6, sampled(c)?))),
        exact("compute_accidental_hits", |c| three(tf::try_compute_accidental_hits(&c.x[0], &c.x[1]))),
    ]
}
