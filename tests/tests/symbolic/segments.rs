//! The folds over segments with all sizes unknown.

use super::{Sample, one, small, x};
use eagerflow as tf;

pub fn samples() -> Vec<Sample> {
    // Data, ids that ascend, and ids as they come.
    let inputs = |s: super::Sizes| {
        let ids = small(&[s.a]);
        vec![x(&[s.a, s.b]), tf::sort(&ids, 0, tf::Direction::Ascending), ids - 1, x(&[s.c])]
    };
    vec![
        Sample::new("segments", inputs, |x| one(tf::try_segment_sum(&x[0], &x[1]))),
        Sample::new("segments", inputs, |x| one(tf::try_segment_mean(&x[0], &x[1]))),
        Sample::new("segments", inputs, |x| one(tf::try_segment_prod(&x[0], &x[1]))),
        Sample::new("segments", inputs, |x| one(tf::try_segment_max(&x[0], &x[1]))),
        Sample::new("segments", inputs, |x| one(tf::try_segment_min(&x[0], &x[1]))),
        Sample::new("segments", inputs, |x| {
            let size = tf::reduce_max(&x[2], ()) + 2;
            Ok(vec![
                tf::try_unsorted_segment_sum(&x[0], &x[2], x[3].dim(0) + 9)?,
                tf::try_unsorted_segment_sum(&x[0], &x[2], &size)?,
            ])
        }),
        Sample::new("segments", inputs, |x| one(tf::try_unsorted_segment_mean(&x[0], &x[2], x[3].dim(0) + 9))),
        Sample::new("segments", inputs, |x| one(tf::try_unsorted_segment_prod(&x[0], &x[2], x[3].dim(0) + 9))),
        Sample::new("segments", inputs, |x| one(tf::try_unsorted_segment_max(&x[0], &x[2], x[3].dim(0) + 9))),
        Sample::new("segments", inputs, |x| one(tf::try_unsorted_segment_min(&x[0], &x[2], x[3].dim(0) + 9))),
        Sample::new("segments", inputs, |x| one(tf::try_unsorted_segment_sqrt_n(&x[0], &x[2], x[3].dim(0) + 9))),
    ]
}
