//! What slides windows along one, two or three axes, with all sizes unknown.

use super::{Sample, one, x};
use eagerflow as tf;
use tf::{DataFormat, Padding, Pooling, Sliding};

pub fn samples() -> Vec<Sample> {
    let sequences = |s: super::Sizes| vec![x(&[s.a, s.c, s.b]), x(&[2, s.b, s.a])];
    let volumes = |s: super::Sizes| vec![x(&[s.a, s.b, s.c, s.b, s.b]), x(&[2, 2, 1, s.b, s.a])];
    let valid = Sliding::new(1, Padding::Valid);
    vec![
        Sample::new("conv1d", sequences, |x| {
            let first = tf::try_transpose(&x[0], [0, 2, 1])?;
            let how = Sliding::new(2, Padding::Same).data_format(DataFormat::ChannelsFirst);
            Ok(vec![
                tf::try_conv1d(&x[0], &x[1], 1, Padding::Valid)?,
                tf::try_conv1d_with(&x[0], &x[1], Sliding::new(1, Padding::Same).dilations(2))?,
                tf::try_conv1d_with(&first, &x[1], how)?,
            ])
        }),
        Sample::new("convolution", sequences, move |x| one(tf::try_convolution(&x[0], &x[1], valid))),
        Sample::new("conv3d", volumes, |x| {
            Ok(vec![
                tf::try_conv3d(&x[0], &x[1], 1, Padding::Valid)?,
                tf::try_conv3d(&x[0], &x[1], [2, 1, 2], Padding::Same)?,
            ])
        }),
        Sample::new(
            "conv_transpose",
            |s| vec![x(&[s.a, s.c, s.c, s.b]), x(&[2, 2, s.a, s.b])],
            |x| {
                let (rows, columns) = (x[0].dim(1) * 2, x[0].dim(2));
                let shape = (x[0].dim(0), rows, columns, x[1].dim(2));
                one(tf::try_conv2d_transpose(&x[0], &x[1], shape, [2, 1], Padding::Same))
            },
        ),
        Sample::new(
            "depthwise_conv2d",
            |s| vec![x(&[s.a, s.c, s.c, s.b]), x(&[2, 2, s.b, s.a])],
            |x| one(tf::try_depthwise_conv2d(&x[0], &x[1], 1, Padding::Same)),
        )
        .pinning("how many groups there are is the number of channels"),
        Sample::new(
            "pool",
            |s| vec![x(&[s.a, s.c, s.b, s.a])],
            |x| {
                Ok(vec![
                    tf::try_pool(&x[0], 2, Pooling::Max, Sliding::new(1, Padding::Valid).dilations([2, 1]))?,
                    tf::try_avg_pool(&x[0], 2, Sliding::new(2, Padding::Same).data_format(DataFormat::ChannelsFirst))?,
                ])
            },
        ),
        Sample::new(
            "pool",
            |s| vec![x(&[s.a, s.c, s.b, s.c, s.a])],
            |x| {
                Ok(vec![
                    tf::try_max_pool3d(&x[0], 2, [2, 1, 2], Padding::Same)?,
                    tf::try_avg_pool3d(&x[0], 2, 1, Padding::Valid)?,
                ])
            },
        ),
        Sample::new(
            "pool",
            |s| vec![x(&[s.a, s.c, s.b])],
            |x| {
                Ok(vec![
                    tf::try_max_pool1d(&x[0], 2, 2, Padding::Valid)?,
                    tf::try_avg_pool1d(&x[0], 3, 1, Padding::Same)?,
                ])
            },
        ),
        Sample::new(
            "max_pool_with_argmax",
            |s| vec![x(&[s.a, s.c, s.b, s.a])],
            |x| one(tf::try_max_pool_with_argmax(&x[0], 2, 2, Padding::Valid).map(|(most, _)| most)),
        ),
    ]
}
