//! The operations on matrices, sequences and moments with all sizes unknown.

use super::{Sample, flags, one, small, x};
use eagerflow as tf;

pub fn samples() -> Vec<Sample> {
    let square = |s: super::Sizes| vec![x(&[s.a, s.b, s.b])];
    vec![
        Sample::new("roll", |s| vec![x(&[s.a, s.b])], |x| one(tf::try_roll(&x[0], [1, -2], [0, 1]))),
        Sample::new("meshgrid", |s| vec![x(&[s.a]), x(&[s.b])], |x| tf::try_meshgrid(x, tf::Indexing::Xy)),
        Sample::new(
            "band_part",
            |s| vec![x(&[s.a, s.b, s.c])],
            |x| Ok(vec![tf::try_band_part(&x[0], 1, 0)?, tf::try_tril(&x[0], 1)?, tf::try_triu(&x[0], 0)?]),
        ),
        Sample::new("diag", square, |x| {
            Ok(vec![tf::try_diag_part(&x[0])?, tf::try_trace(&x[0])?, tf::try_diag(&tf::try_diag_part(&x[0])?)?])
        }),
        Sample::new("diag", |s| vec![x(&[s.a, s.b, s.b]), x(&[s.a, s.b])], |x| one(tf::try_set_diag(&x[0], &x[1]))),
        Sample::new("matvec", |s| vec![x(&[s.a, s.b]), x(&[s.c, s.b])], |x| one(tf::try_matvec(&x[0], &x[1]))),
        Sample::new("count_nonzero", |s| vec![flags(&[s.a, s.b])], |x| one(tf::try_count_nonzero(&x[0], 1))),
        Sample::new(
            "sequence_mask",
            |s| vec![small(&[s.a]), x(&[s.b])],
            |x| one(tf::try_sequence_mask(&x[0], x[1].dim(0))),
        ),
        Sample::new(
            "reduce_euclidean_norm",
            |s| vec![x(&[s.a, s.b])],
            |x| one(tf::try_reduce_euclidean_norm(&x[0], 1)),
        ),
        Sample::new(
            "reverse_sequence",
            |s| vec![x(&[s.a, s.b, s.c]), small(&[s.a])],
            |x| one(tf::try_reverse_sequence(&x[0], &x[1], 1, 0)),
        ),
        Sample::new(
            "moments",
            |s| vec![x(&[s.a, s.b])],
            |x| {
                let (mean, variance) = tf::try_moments(&x[0], 0)?;
                Ok(vec![mean, variance])
            },
        ),
        Sample::new(
            "sigmoid_cross_entropy",
            |s| vec![x(&[s.a, s.b]), x(&[s.b, s.a])],
            |x| {
                let logits = tf::try_transpose(&x[1], [1, 0])?;
                Ok(vec![
                    tf::try_sigmoid_cross_entropy_with_logits(&x[0], &logits)?,
                    tf::try_weighted_cross_entropy_with_logits(&x[0], &logits, 2.0)?,
                ])
            },
        ),
    ]
}
