//! The rows of the random functions that compute each number from its seed alone.
//! `rows::all` collects them.

use super::{Row, one};
use crate::compare::Bound;
use eagerflow as tf;

pub(super) fn rows() -> Vec<Row> {
    vec![Row::new("random_index_shuffle", Bound::EXACT, |c| {
        one(tf::try_random_index_shuffle(&c.x[0], &c.x[1], &c.x[2], c.a.int("rounds") as usize))
    })]
}
