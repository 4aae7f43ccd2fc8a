//! The rows of what slides windows along one, two or three axes: convolutions, transposed ones, poolings.
//! `rows::all` collects them; `linear` has those of plain images.

use super::{Call, Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;

/// A number for all axes or one for each.
fn per_axis(c: &Call<'_>, name: &str) -> tf::PerAxis {
    match c.a.ints(name).as_deref() {
        Some(&[a]) => [a as i64].into(),
        Some(&[a, b]) => [a as i64, b as i64].into(),
        Some(&[a, b, c]) => [a as i64, b as i64, c as i64].into(),
        _ => 1.into(),
    }
}

fn padding(c: &Call<'_>) -> tf::Padding {
    match c.a.0["padding"].as_str() {
        Some("SAME") => tf::Padding::Same,
        Some(_) => tf::Padding::Valid,
        None => {
            let side = |axis: usize, at: usize| c.a.0["padding"][axis][at].as_u64().unwrap() as usize;
            tf::Padding::Explicit([1, 2].map(|axis| [side(axis, 0), side(axis, 1)]))
        }
    }
}

fn how(c: &Call<'_>) -> tf::Sliding {
    let how = tf::Sliding::new(per_axis(c, "strides"), padding(c)).dilations(per_axis(c, "dilations"));
    if c.a.flag("first") { how.data_format(tf::DataFormat::ChannelsFirst) } else { how }
}

/// The shape of the output of a transposed convolution.
fn to(c: &Call<'_>) -> Vec<isize> {
    c.a.ints("to").unwrap()
}

fn rate(c: &Call<'_>) -> i64 {
    c.a.int("rate") as i64
}

fn pair(c: &Call<'_>, name: &str) -> [i64; 2] {
    let two = c.a.ints(name).unwrap();
    [two[0] as i64, two[1] as i64]
}

pub(super) fn rows() -> Vec<Row> {
    let sums = |name, call| Row::new(name, Bound::sums(4.0, 32.0), call);
    let wider = |dtypes: &'static [&'static str]| {
        Exception::elements(
            "refused",
            dtypes,
            0,
            "TensorFlow's CPU kernel of this function takes fewer dtypes than its kin",
        )
    };
    let maxima: &[&str] = &["float16", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16"];
    vec![
        sums("conv1d", |c| one(tf::try_conv1d_with(&c.x[0], &c.x[1], how(c)))),
        sums("conv2d_with", |c| one(tf::try_conv2d_with(&c.x[0], &c.x[1], how(c)))),
        sums("conv3d", |c| one(tf::try_conv3d_with(&c.x[0], &c.x[1], how(c)))),
        sums("conv1d_transpose", |c| one(tf::try_conv1d_transpose_with(&c.x[0], &c.x[1], to(c), how(c)))),
        sums("conv2d_transpose", |c| one(tf::try_conv2d_transpose_with(&c.x[0], &c.x[1], to(c), how(c)))),
        sums("conv3d_transpose", |c| one(tf::try_conv3d_transpose_with(&c.x[0], &c.x[1], to(c), how(c)))),
        sums("convolution", |c| one(tf::try_convolution(&c.x[0], &c.x[1], how(c)))),
        sums("conv_transpose", |c| one(tf::try_conv_transpose(&c.x[0], &c.x[1], to(c), how(c)))),
        sums("atrous_conv2d", |c| one(tf::try_atrous_conv2d(&c.x[0], &c.x[1], rate(c), padding(c)))),
        sums("atrous_conv2d_transpose", |c| {
            one(tf::try_atrous_conv2d_transpose(&c.x[0], &c.x[1], to(c), rate(c), padding(c)))
        }),
        sums("depthwise_conv2d", |c| one(tf::try_depthwise_conv2d_with(&c.x[0], &c.x[1], how(c))))
            .except([wider(&["int32"])]),
        sums("separable_conv2d", |c| one(tf::try_separable_conv2d_with(&c.x[0], &c.x[1], &c.x[2], how(c))))
            .except([wider(&["int32"])]),
        sums("avg_pool", |c| match c.a.flag("first") {
            true => one(tf::try_avg_pool(&c.x[0], per_axis(c, "ksize"), how(c))),
            false => one(tf::try_avg_pool2d_with(&c.x[0], per_axis(c, "ksize"), how(c))),
        }),
        sums("avg_pool1d", |c| one(tf::try_avg_pool1d_with(&c.x[0], per_axis(c, "ksize"), how(c)))),
        sums("avg_pool3d", |c| one(tf::try_avg_pool3d_with(&c.x[0], per_axis(c, "ksize"), how(c))))
            .except([wider(&["float16", "float64"])]),
        Row::new("max_pool", Bound::EQUAL, |c| match c.a.flag("first") {
            true => one(tf::try_max_pool(&c.x[0], per_axis(c, "ksize"), how(c))),
            false => one(tf::try_max_pool2d_with(&c.x[0], per_axis(c, "ksize"), how(c))),
        }),
        Row::new("max_pool1d", Bound::EQUAL, |c| one(tf::try_max_pool1d_with(&c.x[0], per_axis(c, "ksize"), how(c)))),
        Row::new("max_pool3d", Bound::EQUAL, |c| one(tf::try_max_pool3d_with(&c.x[0], per_axis(c, "ksize"), how(c))))
            .except([wider(maxima)]),
        sums("pool", |c| {
            let pooling = if c.a.text("type") == "MAX" { tf::Pooling::Max } else { tf::Pooling::Avg };
            one(tf::try_pool(&c.x[0], per_axis(c, "window_shape"), pooling, how(c)))
        }),
        Row::new("max_pool_with_argmax", Bound::EQUAL, |c| {
            let dtype = if c.a.text("output_dtype") == "int32" { tf::int32 } else { tf::int64 };
            let (size, strides) = (pair(c, "ksize"), pair(c, "strides"));
            let batch = c.a.flag("batch");
            let (most, places) = tf::try_max_pool_with_argmax_as(&c.x[0], size, strides, padding(c), dtype, batch)?;
            Ok(vec![most, places])
        }),
    ]
}
