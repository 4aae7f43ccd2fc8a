//! The random functions that compute each number from its seed alone, with all sizes unknown.

use super::{Sample, one, small};
use eagerflow as tf;

pub fn samples() -> Vec<Sample> {
    vec![Sample::new(
        "random_index_shuffle",
        |s| vec![small(&[s.a]), small(&[s.a]) + 2],
        |x| one(tf::try_random_index_shuffle(&x[0], &tf::constant([1, 2, 3]), &x[1], 4)),
    )]
}
