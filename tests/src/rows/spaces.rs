//! The rows of the operations that turn cells into entries of the batch or into channels, and back.
//! `rows::all` collects them.

use super::{Call, Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;

fn around(c: &Call<'_>) -> Vec<[isize; 2]> {
    c.a.pairs("around").into_iter().map(|(before, after)| [before, after]).collect()
}

fn format(c: &Call<'_>) -> tf::DataFormat {
    if c.a.text("data_format") == "NCHW" { tf::DataFormat::ChannelsFirst } else { tf::DataFormat::ChannelsLast }
}

/// A number for each spatial axis.
fn each<const N: usize>(c: &Call<'_>, name: &str) -> [usize; N] {
    c.a.sizes(name).try_into().expect("a number for each axis")
}

fn sliding<const N: usize>(c: &Call<'_>) -> tf::Sliding
where
    tf::PerAxis: From<[usize; N]>,
{
    let padding = if c.a.text("padding") == "SAME" { tf::Padding::Same } else { tf::Padding::Valid };
    tf::Sliding::new(each::<N>(c, "strides"), padding)
}

pub(super) fn rows() -> Vec<Row> {
    let exact = |name, call| Row::new(name, Bound::EXACT, call);
    let flags = || {
        Exception::elements(
            "refused",
            &["bool", "complex64", "complex128"],
            0,
            "blocks are moved, whatever their dtype, as those of channels are",
        )
    };
    vec![
        exact("space_to_batch", |c| one(tf::try_space_to_batch(&c.x[0], c.a.sizes("block"), around(c))))
            .except([flags()]),
        exact("batch_to_space", |c| one(tf::try_batch_to_space(&c.x[0], c.a.sizes("block"), around(c))))
            .except([flags()]),
        exact("required_space_to_batch_paddings", |c| {
            let (paddings, crops) = tf::try_required_space_to_batch_paddings(&c.x[0], &c.x[1], c.x.get(2))?;
            Ok(vec![paddings, crops])
        }),
        exact("space_to_depth", |c| one(tf::try_space_to_depth(&c.x[0], c.a.int("block") as i64, format(c)))),
        exact("depth_to_space", |c| one(tf::try_depth_to_space(&c.x[0], c.a.int("block") as i64, format(c)))),
        Row::new("local_response_normalization", Bound::sums(8.0, 8.0), |c| {
            let (bias, alpha, beta) = (c.a.float("bias"), c.a.float("alpha"), c.a.float("beta"));
            one(tf::try_local_response_normalization(&c.x[0], c.a.int("radius") as i64, bias, alpha, beta))
        })
        .except([Exception::elements(
            "refused",
            &["bfloat16", "float64"],
            0,
            "TensorFlow's CPU has no kernel for it",
        )]),
        exact("extract_patches", |c| {
            let how = sliding::<2>(c).dilations(each::<2>(c, "rates"));
            one(tf::try_extract_patches(&c.x[0], each::<2>(c, "sizes"), how))
        }),
        exact("extract_volume_patches", |c| {
            one(tf::try_extract_volume_patches(&c.x[0], each::<3>(c, "sizes"), sliding::<3>(c)))
        }),
        exact("dilation2d", |c| {
            one(tf::try_dilation2d(&c.x[0], &c.x[1], sliding::<2>(c).dilations(each::<2>(c, "rates"))))
        }),
        exact("erosion2d", |c| {
            one(tf::try_erosion2d(&c.x[0], &c.x[1], sliding::<2>(c).dilations(each::<2>(c, "rates"))))
        }),
    ]
}
