//! Samples of products, convolutions and pools.
//! `super` records them with all sizes unknown.

use super::{Sample, one, x};
use eagerflow as tf;
use tf::Padding;

pub fn samples() -> Vec<Sample> {
    let mut list = products();
    list.extend(windows());
    list
}

fn products() -> Vec<Sample> {
    vec![
        Sample::new(
            "einsum",
            |s| vec![x(&[s.a, s.b]), x(&[s.b, s.c]), x(&[s.c, s.a, s.b])],
            |x| one(tf::try_einsum("ij,jk,kil->lk", x)),
        ),
        Sample::new(
            "einsum",
            |s| vec![x(&[2, s.a, s.b]), x(&[s.c, s.a])],
            |x| one(tf::try_einsum("...ij,ki->...kj", x)),
        ),
        Sample::new("diagonal", |s| vec![x(&[s.b, s.b, s.a])], |x| one(tf::try_einsum("iij->ji", x))),
        Sample::new("matmul", |s| vec![x(&[s.a, s.b]), x(&[s.b, s.c])], |x| one(tf::try_matmul(&x[0], &x[1]))),
        Sample::new("matmul", |s| vec![x(&[s.c, s.a, s.b]), x(&[s.b, s.c])], |x| one(tf::try_matmul(&x[0], &x[1]))),
        Sample::new(
            "matmul",
            |s| vec![x(&[s.c, 1, s.a, s.b]), x(&[s.a, s.a, s.b])],
            |x| one(tf::try_matmul_transposed(&x[0], false, &x[1], true)),
        ),
        Sample::new(
            "matmul",
            |s| vec![x(&[s.b, s.a]), x(&[s.c, s.b])],
            |x| one(tf::try_matmul_transposed(&x[0], true, &x[1], true)),
        ),
        Sample::new(
            "tensordot",
            |s| vec![x(&[s.a, s.b, s.c]), x(&[s.c, s.b, s.a])],
            |x| Ok(vec![tf::try_tensordot(&x[0], &x[1], 1)?, tf::try_tensordot(&x[0], &x[1], ([0, 1], [2, 1]))?]),
        ),
        Sample::new("bias_add", |s| vec![x(&[s.a, s.b]), x(&[s.b])], |x| one(tf::try_bias_add(&x[0], &x[1]))),
        Sample::new(
            "bias_add",
            |s| vec![x(&[s.a, s.b, s.c, s.c]), x(&[s.b])],
            |x| one(tf::try_bias_add_format(&x[0], &x[1], tf::DataFormat::ChannelsFirst)),
        ),
    ]
}

fn windows() -> Vec<Sample> {
    vec![
        Sample::new(
            "conv2d",
            |s| vec![x(&[s.a, s.c, s.c, s.b]), x(&[2, 2, s.b, s.a])],
            |x| {
                Ok(vec![
                    tf::try_conv2d(&x[0], &x[1], 1, Padding::Valid)?,
                    tf::try_conv2d(&x[0], &x[1], (2, 1), Padding::Same)?,
                    tf::try_conv2d_dilated(&x[0], &x[1], 1, Padding::Same, (1, 2))?,
                ])
            },
        ),
        Sample::new(
            "conv2d",
            |s| vec![x(&[s.a, s.c, s.c, s.b]), x(&[s.b, s.b, s.b, s.a])],
            |x| one(tf::try_conv2d(&x[0], &x[1], 1, Padding::Same)),
        ),
        Sample::new(
            "max_pool2d",
            |s| vec![x(&[s.a, s.c, s.b, s.a])],
            |x| {
                Ok(vec![
                    tf::try_max_pool2d(&x[0], 2, 2, Padding::Valid)?,
                    tf::try_max_pool2d(&x[0], 3, (1, 2), Padding::Same)?,
                ])
            },
        ),
        Sample::new(
            "avg_pool2d",
            |s| vec![x(&[s.a, s.c, s.b, s.a])],
            |x| {
                Ok(vec![
                    tf::try_avg_pool2d(&x[0], 2, 2, Padding::Valid)?,
                    tf::try_avg_pool2d(&x[0], 3, (1, 2), Padding::Same)?,
                ])
            },
        ),
    ]
}
