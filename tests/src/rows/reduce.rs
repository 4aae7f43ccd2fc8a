//! The rows of the reductions, scans, soft maximums and losses.
//! `rows::all` collects them.

use super::{Call, Row, one};
use crate::compare::Bound;
use eagerflow as tf;
use tf::{Axes, IntoAxes, keep_dims};

/// The `axis` and `keepdims` attributes.
fn axes(c: &Call<'_>) -> Axes {
    let axes = c.a.ints("axis").into_axes();
    if c.a.flag("keepdims") { keep_dims(axes) } else { axes }
}

macro_rules! reductions {
    ($rows:ident; $($name:ident $try_name:ident $bound:expr;)*) => {
        $($rows.push(Row::new(stringify!($name), $bound, |c| one(tf::$try_name(&c.x[0], axes(c)))));)*
    };
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    reductions! { rows;
        reduce_sum try_reduce_sum Bound::sums(2.0, 2.0);
        reduce_mean try_reduce_mean Bound::sums(2.0, 2.0);
        reduce_max try_reduce_max Bound::EQUAL;
        reduce_min try_reduce_min Bound::EQUAL;
        reduce_any try_reduce_any Bound::EXACT;
        reduce_all try_reduce_all Bound::EXACT;
    }
    rows
}
