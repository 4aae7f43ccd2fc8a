//! The rows of the reductions, scans, soft maximums and losses.
//! `rows::all` collects them.

use super::{Call, Row, one};
use crate::compare::Bound;
use eagerflow as tf;
use tf::{Axes, Cumulative, IntoAxes, keep_dims};

/// The `axis` and `keepdims` attributes.
fn axes(c: &Call<'_>) -> Axes {
    let axes = c.a.ints("axis").into_axes();
    if c.a.flag("keepdims") { keep_dims(axes) } else { axes }
}

/// The `exclusive` and `reverse` attributes.
fn cumulative(c: &Call<'_>) -> Cumulative {
    Cumulative { exclusive: c.a.flag("exclusive"), reverse: c.a.flag("reverse") }
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
        reduce_prod try_reduce_prod Bound::ulps(8.0);
        reduce_logsumexp try_reduce_logsumexp Bound::sums(4.0, 1.0);
        reduce_variance try_reduce_variance Bound::sums(8.0, 4.0);
        reduce_std try_reduce_std Bound::sums(8.0, 4.0);
        reduce_max try_reduce_max Bound::EQUAL;
        reduce_min try_reduce_min Bound::EQUAL;
        reduce_any try_reduce_any Bound::EXACT;
        reduce_all try_reduce_all Bound::EXACT;
    }
    rows.push(Row::new("argmax", Bound::EXACT, |c| {
        one(tf::try_argmax_as(&c.x[0], c.a.int("axis"), c.a.dtype("output_type")))
    }));
    rows.push(Row::new("argmin", Bound::EXACT, |c| {
        one(tf::try_argmin_as(&c.x[0], c.a.int("axis"), c.a.dtype("output_type")))
    }));
    rows.push(Row::new("cumsum", Bound::sums(2.0, 4.0), |c| {
        one(tf::try_cumsum_with(&c.x[0], c.a.int("axis"), cumulative(c)))
    }));
    rows.push(Row::new("cumprod", Bound::ulps(8.0), |c| {
        one(tf::try_cumprod_with(&c.x[0], c.a.int("axis"), cumulative(c)))
    }));
    rows.push(Row::new("softmax", Bound::sums(8.0, 0.0), |c| one(tf::try_softmax(&c.x[0], c.a.int("axis")))));
    rows.push(Row::new("log_softmax", Bound::sums(4.0, 1.0), |c| one(tf::try_log_softmax(&c.x[0], c.a.int("axis")))));
    rows.push(Row::new("sparse_softmax_cross_entropy", Bound::sums(4.0, 1.0), |c| {
        one(tf::try_sparse_softmax_cross_entropy_with_logits(&c.x[0], &c.x[1]))
    }));
    rows.push(Row::new("softmax_cross_entropy", Bound::sums(4.0, 2.0), |c| {
        one(tf::try_softmax_cross_entropy_with_logits(&c.x[0], &c.x[1], c.a.int("axis")))
    }));
    rows
}
