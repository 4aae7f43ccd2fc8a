//! The rows of the operations that fold rows by the segment that each names.
//! `rows::all` collects them.

use super::{Row, one};
use crate::compare::Bound;
use eagerflow as tf;

pub(super) fn rows() -> Vec<Row> {
    let exact = |name, call| Row::new(name, Bound::EXACT, call);
    let sums = |name, call| Row::new(name, Bound::sums(2.0, 2.0), call);
    vec![
        sums("segment_sum", |c| one(tf::try_segment_sum(&c.x[0], &c.x[1]))),
        sums("segment_mean", |c| one(tf::try_segment_mean(&c.x[0], &c.x[1]))),
        sums("segment_prod", |c| one(tf::try_segment_prod(&c.x[0], &c.x[1]))),
        exact("segment_max", |c| one(tf::try_segment_max(&c.x[0], &c.x[1]))),
        exact("segment_min", |c| one(tf::try_segment_min(&c.x[0], &c.x[1]))),
        sums("unsorted_segment_sum", |c| one(tf::try_unsorted_segment_sum(&c.x[0], &c.x[1], c.a.int("num")))),
        sums("unsorted_segment_mean", |c| one(tf::try_unsorted_segment_mean(&c.x[0], &c.x[1], c.a.int("num")))),
        sums("unsorted_segment_prod", |c| one(tf::try_unsorted_segment_prod(&c.x[0], &c.x[1], c.a.int("num")))),
        exact("unsorted_segment_max", |c| one(tf::try_unsorted_segment_max(&c.x[0], &c.x[1], c.a.int("num")))),
        exact("unsorted_segment_min", |c| one(tf::try_unsorted_segment_min(&c.x[0], &c.x[1], c.a.int("num")))),
        sums("unsorted_segment_sqrt_n", |c| one(tf::try_unsorted_segment_sqrt_n(&c.x[0], &c.x[1], c.a.int("num")))),
    ]
}
