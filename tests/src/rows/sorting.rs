//! The rows of the operations that sort, search and count.
//! `rows::all` collects them.

use super::{Call, Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;

fn direction(c: &Call<'_>) -> tf::Direction {
    if c.a.text("direction") == "DESCENDING" { tf::Direction::Descending } else { tf::Direction::Ascending }
}

fn side(c: &Call<'_>) -> tf::Side {
    if c.a.text("side") == "right" { tf::Side::Right } else { tf::Side::Left }
}

/// A bound of the number of bins. A negative least one is less than any, a negative greatest one is refused.
fn bound(c: &Call<'_>, name: &str) -> Option<tf::Dim> {
    c.a.int_or_none(name).map(tf::Dim::from)
}

fn bins(c: &Call<'_>) -> super::Answer {
    let how = tf::Bincount {
        weights: c.x.get(1).cloned(),
        minlength: bound(c, "minlength"),
        maxlength: bound(c, "maxlength"),
        dtype: c.a.dtype("dtype"),
        axis: c.a.int("axis"),
        binary_output: c.a.flag("binary"),
    };
    one(tf::try_bincount_with(&c.x[0], &how))
}

pub(super) fn rows() -> Vec<Row> {
    let exact = |name, call| Row::new(name, Bound::EXACT, call);
    let taken = |dtypes, why| Exception::elements("refused", dtypes, 0, why);
    vec![
        exact("sort", |c| one(tf::try_sort(&c.x[0], c.a.int("axis"), direction(c)))),
        exact("argsort", |c| one(tf::try_argsort(&c.x[0], c.a.int("axis"), direction(c)))),
        exact("top_k", |c| {
            let (values, places) = tf::try_top_k_as(&c.x[0], c.a.int("k"), true, c.a.dtype("index_type"))?;
            Ok(vec![values, places])
        }),
        exact("in_top_k", |c| one(tf::try_in_top_k(&c.x[1], &c.x[0], c.a.int("k") as i64))),
        exact("searchsorted", |c| one(tf::try_searchsorted_as(&c.x[0], &c.x[1], side(c), c.a.dtype("out_type")))),
        exact("unique", |c| {
            let (values, numbers) = tf::try_unique_as(&c.x[0], c.a.dtype("out_idx"))?;
            Ok(vec![values, numbers])
        }),
        exact("unique_with_counts", |c| {
            let (values, numbers, counts) = tf::try_unique_with_counts_as(&c.x[0], c.a.dtype("out_idx"))?;
            Ok(vec![values, numbers, counts])
        }),
        exact("repeat", |c| match c.a.int_or_none("axis") {
            Some(axis) => one(tf::try_repeat(&c.x[0], &c.x[1], axis)),
            None => one(tf::try_repeat(&c.x[0], &c.x[1], ())),
        })
        .except([taken(&["uint16"], "TensorFlow's `tile` has no kernel for it, of which it makes a repeat")]),
        Row::new("bincount", Bound::sums(1.0, 1.0), bins),
        exact("histogram_fixed_width", |c| {
            one(tf::try_histogram_fixed_width_as(&c.x[0], &c.x[1], c.a.int("nbins"), c.a.dtype("dtype")))
        }),
        exact("histogram_fixed_width_bins", |c| {
            one(tf::try_histogram_fixed_width_bins(&c.x[0], &c.x[1], c.a.int("nbins")))
        }),
        exact("confusion_matrix", |c| {
            let classes = c.a.int_or_none("num_classes").unwrap_or(-1);
            one(tf::try_confusion_matrix_with(&c.x[0], &c.x[1], classes, c.x.get(2), c.a.dtype("dtype")))
        }),
        exact("dynamic_partition", |c| tf::try_dynamic_partition(&c.x[0], &c.x[1], c.a.int("num") as usize)),
        exact("dynamic_stitch", |c| {
            let (indices, data) = c.x.split_at(c.x.len() / 2);
            one(tf::try_dynamic_stitch(indices, data))
        }),
        exact("invert_permutation", |c| one(tf::try_invert_permutation(&c.x[0]))),
        exact("unravel_index", |c| one(tf::try_unravel_index(&c.x[0], &c.x[1]))),
        Row::new("cumulative_logsumexp", Bound::sums(4.0, 4.0), |c| {
            let how = tf::Cumulative { exclusive: c.a.flag("exclusive"), reverse: c.a.flag("reverse") };
            one(tf::try_cumulative_logsumexp_with(&c.x[0], c.a.int("axis"), how))
        }),
        exact("broadcast_dynamic_shape", |c| one(tf::try_broadcast_dynamic_shape(&c.x[0], &c.x[1]))),
        exact("is_non_decreasing", |c| one(tf::try_is_non_decreasing(&c.x[0]))),
        exact("is_strictly_increasing", |c| one(tf::try_is_strictly_increasing(&c.x[0]))),
        exact("zero_fraction", |c| one(tf::try_zero_fraction(&c.x[0]))),
        Row::new("polyval", Bound::sums(2.0, 2.0), |c| {
            let (x, coefficients) = c.x.split_last().expect("x, behind the coefficients");
            one(tf::try_polyval(coefficients, x))
        }),
        exact("tensor_diag", |c| one(tf::try_tensor_diag(&c.x[0]))).except([taken(MOVED, MOVED_WHY)]),
        exact("tensor_diag_part", |c| one(tf::try_tensor_diag_part(&c.x[0]))).except([taken(MOVED, MOVED_WHY)]),
    ]
}

const MOVED: &[&str] = &["bfloat16", "int8", "int16", "uint8", "uint16", "uint32", "uint64", "bool"];
const MOVED_WHY: &str = "diagonals are moved, whatever their dtype, as those of matrices are";
