//! The operations that sort, search and count with all sizes unknown.

use super::{Sample, one, small, x};
use eagerflow as tf;

pub fn samples() -> Vec<Sample> {
    let matrix = |s: super::Sizes| vec![x(&[s.a, s.b])];
    let pair = |(a, b)| vec![a, b];
    vec![
        Sample::new("sort", matrix, |x| {
            Ok(vec![
                tf::try_sort(&x[0], 0, tf::Direction::Descending)?,
                tf::try_sort(&x[0], -1, tf::Direction::Ascending)?,
                tf::try_argsort(&x[0], 1, tf::Direction::Ascending)?,
            ])
        }),
        Sample::new("top_k", matrix, move |x| Ok(pair(tf::try_top_k(&x[0], 2, true)?))),
        Sample::new(
            "top_k",
            |s| vec![x(&[s.c, s.a, s.b]), small(&[s.b])],
            move |x| Ok(pair(tf::try_top_k(&x[0], x[1].dim(0), true)?)),
        ),
        Sample::new(
            "in_top_k",
            |s| vec![x(&[s.a, s.b]).cast(tf::float32), small(&[s.a])],
            |x| one(tf::try_in_top_k(&x[1], &x[0], 2)),
        ),
        Sample::new(
            "searchsorted",
            |s| vec![tf::sort(x(&[s.a, s.b]), 1, tf::Direction::Ascending), x(&[s.a, s.c])],
            |x| one(tf::try_searchsorted(&x[0], &x[1], tf::Side::Right)),
        ),
        Sample::new(
            "unique",
            |s| vec![small(&[s.a]), small(&[s.b])],
            |x| {
                let (values, numbers, counts) = tf::try_unique_with_counts(&x[0])?;
                let (others, _) = tf::try_unique_as(&x[1], tf::int64)?;
                Ok(vec![values, numbers, counts, others])
            },
        ),
        Sample::new(
            "repeat",
            |s| vec![x(&[s.a, s.b]), small(&[s.b])],
            |x| {
                Ok(vec![
                    tf::try_repeat(&x[0], &x[1], 1)?,
                    tf::try_repeat(&x[0], 3, 0)?,
                    tf::try_repeat(&x[0], &tf::reduce_max(&x[1], ()), ())?,
                ])
            },
        ),
        Sample::new(
            "bincount",
            |s| vec![small(&[s.a, s.b]), x(&[s.a, s.b])],
            |x| {
                let weights = Some(x[1].clone());
                Ok(vec![
                    tf::try_bincount(&x[0])?,
                    tf::try_bincount_with(&x[0], &tf::Bincount { weights, axis: -1, ..Default::default() })?,
                    tf::try_bincount_with(
                        &x[0],
                        &tf::Bincount {
                            minlength: Some(x[1].dim(0)),
                            maxlength: Some(x[1].dim(1)),
                            ..Default::default()
                        },
                    )?,
                ])
            },
        ),
        Sample::new(
            "histogram",
            |s| vec![x(&[s.a, s.b])],
            |x| {
                let range = tf::constant_of([-1.0, 1.0], tf::float64);
                Ok(vec![
                    tf::try_histogram_fixed_width(&x[0], &range, x[0].dim(1))?,
                    tf::try_histogram_fixed_width_bins(&x[0], &range, x[0].dim(0))?,
                ])
            },
        ),
        Sample::new(
            "confusion_matrix",
            |s| vec![small(&[s.a]), x(&[s.a])],
            |x| {
                let weighted = tf::try_confusion_matrix_with(&x[0], &x[0], -1, Some(&x[1]), tf::float64)?;
                Ok(vec![weighted, tf::try_confusion_matrix(&x[0], &x[0], 3)?])
            },
        ),
        Sample::new(
            "dynamic_partition",
            |s| vec![x(&[s.a, s.b]), small(&[s.a])],
            |x| tf::try_dynamic_partition(&x[0], &x[1], 3),
        ),
        Sample::new(
            "dynamic_stitch",
            |s| vec![x(&[s.a, s.b]), x(&[s.c, s.b]), small(&[s.a]), small(&[s.c])],
            |x| one(tf::try_dynamic_stitch(&x[2..], &x[..2])),
        ),
        Sample::new(
            "invert_permutation",
            |s| vec![x(&[s.a])],
            |x| one(tf::try_invert_permutation(&tf::try_argsort(&x[0], 0, tf::Direction::Ascending)?)),
        ),
        Sample::new(
            "unravel_index",
            |s| vec![small(&[s.a]), x(&[s.b, s.c])],
            |x| one(tf::try_unravel_index(&x[0], &tf::shape(&x[1]))),
        ),
        Sample::new("cumulative_logsumexp", matrix, |x| {
            let how = tf::Cumulative { exclusive: false, reverse: true };
            Ok(vec![tf::try_cumulative_logsumexp(&x[0], 1)?, tf::try_cumulative_logsumexp_with(&x[0], 0, how)?])
        }),
        Sample::new(
            "broadcast_shape",
            |s| vec![x(&[s.a, s.b]), x(&[s.b])],
            |x| {
                let shape = tf::try_broadcast_dynamic_shape(&tf::shape(&x[0]), &tf::shape(&x[1]))?;
                Ok(vec![tf::try_broadcast_to(&x[1], &shape)?, shape])
            },
        ),
        Sample::new("monotonic", matrix, |x| {
            Ok(vec![
                tf::try_is_non_decreasing(&x[0])?,
                tf::try_is_strictly_increasing(&tf::try_cumsum(&x[0].square(), 1)?)?,
            ])
        }),
        Sample::new("zero_fraction", |s| vec![small(&[s.a, s.b])], |x| one(tf::try_zero_fraction(&x[0]))),
        Sample::new(
            "polyval",
            |s| vec![x(&[s.a, s.b]), x(&[s.b]), x(&[s.a, s.b])],
            |x| one(tf::try_polyval(&x[..2], &x[2])),
        ),
        Sample::new("tensor_diag", matrix, |x| {
            let whole = tf::try_tensor_diag(&x[0])?;
            Ok(vec![tf::try_tensor_diag_part(&whole)?, whole])
        }),
    ]
}
