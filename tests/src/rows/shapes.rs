//! The rows of the operations that move elements: shapes, joins, slices, gathers and scatters.
//! `rows::all` collects them.

use super::{Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;

pub(super) fn rows() -> Vec<Row> {
    let exact = |name, call| Row::new(name, Bound::EXACT, call);
    vec![
        exact("reshape", |c| one(tf::try_reshape(&c.x[0], c.a.ints("shape").unwrap_or_default()))).except(&[
            Exception {
                case: "infer_zero",
                dtypes: &[],
                elements: 0,
                why: "beside a 0 any number would do for -1, so we ask for it; TensorFlow takes 0",
            },
        ]),
        exact("transpose", |c| one(tf::try_transpose(&c.x[0], c.a.ints("perm").unwrap_or_default()))),
        exact("expand_dims", |c| one(tf::try_expand_dims(&c.x[0], c.a.int("axis")))),
        exact("squeeze", |c| one(tf::try_squeeze(&c.x[0], c.a.ints("axis")))),
        exact("concat", |c| one(tf::try_concat(c.x, c.a.int("axis")))),
        exact("broadcast_to", |c| one(tf::try_broadcast_to(&c.x[0], c.a.sizes("shape")))),
        exact("slice", |c| {
            let [begin, size] = ["begin", "size"].map(|name| c.a.ints(name).unwrap_or_default());
            one(tf::try_slice(&c.x[0], begin, size))
        }),
    ]
}
