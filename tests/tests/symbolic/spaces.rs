//! Blocks of cells with all sizes unknown: batch, rows, columns and channels.
//! `operations` in `main.rs` collects the samples.

use super::{Sample, one, x};
use eagerflow as tf;
use tf::DataFormat::{ChannelsFirst, ChannelsLast};

pub fn samples() -> Vec<Sample> {
    vec![
        Sample::new(
            "space_to_batch",
            |s| vec![x(&[s.b, 2 * s.a, 3 * s.b, s.c])],
            |x| {
                let y = tf::try_space_to_batch(&x[0], [2, 3], [[2, 0], [1, 2]])?;
                Ok(vec![tf::try_batch_to_space(&y, [2, 3], [[2, 0], [0, 3]])?, y])
            },
        ),
        Sample::new(
            "space_to_depth",
            |s| vec![x(&[s.b, 2 * s.a, 2 * s.b, s.c])],
            |x| {
                let y = tf::try_space_to_depth(&x[0], 2, ChannelsLast)?;
                Ok(vec![tf::try_depth_to_space(&y, 2, ChannelsLast)?, y])
            },
        ),
        Sample::new(
            "space_to_depth",
            |s| vec![x(&[s.b, 4 * s.c, s.a, s.b])],
            |x| one(tf::try_depth_to_space(&x[0], 2, ChannelsFirst)),
        ),
        Sample::new(
            "local_response_normalization",
            |s| vec![x(&[s.b, s.a, s.b, s.c])],
            |x| one(tf::try_local_response_normalization(&x[0], 2, 1.0, 0.5, 0.75)),
        ),
        Sample::new(
            "extract_patches",
            |s| vec![x(&[s.b, 2 * s.a, 3 * s.b, s.c])],
            |x| {
                let same = tf::Sliding::new([1, 2], tf::Padding::Same).dilations([2, 1]);
                let valid = tf::Sliding::new([2, 1], tf::Padding::Valid);
                Ok(vec![tf::try_extract_patches(&x[0], [2, 3], same)?, tf::try_extract_patches(&x[0], 2, valid)?])
            },
        ),
        Sample::new(
            "extract_patches",
            |s| vec![x(&[s.b, 2 * s.a, 3 * s.b, 2 * s.a, s.c])],
            |x| one(tf::try_extract_volume_patches(&x[0], 2, tf::Sliding::new([1, 2, 1], tf::Padding::Same))),
        ),
        Sample::new(
            "dilation2d",
            |s| vec![x(&[s.b, 2 * s.a, 3 * s.b, s.c]), x(&[s.a, s.b, s.c])],
            |x| {
                let same = tf::Sliding::new([1, 2], tf::Padding::Same).dilations([2, 1]);
                let valid = tf::Sliding::new([2, 1], tf::Padding::Valid);
                Ok(vec![tf::try_dilation2d(&x[0], &x[1], same)?, tf::try_erosion2d(&x[0], &x[1], valid)?])
            },
        ),
    ]
}
