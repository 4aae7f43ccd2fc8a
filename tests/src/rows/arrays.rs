//! The rows of the operations on matrices, sequences and moments that are made of other operations.
//! `rows::all` collects them.

use super::{Call, Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;

fn signed(c: &Call<'_>, name: &str) -> Vec<isize> {
    c.a.ints(name).unwrap_or_default()
}

fn axes(c: &Call<'_>) -> tf::Axes {
    use tf::IntoAxes;
    let axes = match c.a.ints("axes") {
        Some(axes) => axes.into_axes(),
        None => ().into_axes(),
    };
    if c.a.flag("keepdims") { tf::keep_dims(axes) } else { axes }
}

pub(super) fn rows() -> Vec<Row> {
    let exact = |name, call| Row::new(name, Bound::EXACT, call);
    let taken = |why| Exception::elements("refused", &["bool"], 0, why);
    vec![
        exact("roll", |c| one(tf::try_roll(&c.x[0], signed(c, "shift"), signed(c, "axis")))),
        exact("tensor_scatter_nd_max", |c| one(tf::try_tensor_scatter_nd_max(&c.x[0], &c.x[1], &c.x[2]))),
        exact("tensor_scatter_nd_min", |c| one(tf::try_tensor_scatter_nd_min(&c.x[0], &c.x[1], &c.x[2]))),
        exact("meshgrid", |c| {
            let indexing = if c.a.text("indexing") == "xy" { tf::Indexing::Xy } else { tf::Indexing::Ij };
            tf::try_meshgrid(c.x, indexing)
        }),
        exact("band_part", |c| one(tf::try_band_part(&c.x[0], c.a.int("lower") as i64, c.a.int("upper") as i64))),
        exact("tril", |c| one(tf::try_tril(&c.x[0], c.a.int("k") as i64)))
            .except([taken("TensorFlow's NumPy functions take no truth values here")]),
        exact("triu", |c| one(tf::try_triu(&c.x[0], c.a.int("k") as i64)))
            .except([taken("TensorFlow's NumPy functions take no truth values here")]),
        exact("diag", |c| one(tf::try_diag(&c.x[0]))),
        exact("diag_part", |c| one(tf::try_diag_part(&c.x[0]))),
        exact("set_diag", |c| one(tf::try_set_diag(&c.x[0], &c.x[1]))),
        Row::new("trace", Bound::sums(1.0, 1.0), |c| one(tf::try_trace(&c.x[0]))),
        Row::new("matvec", Bound::sums(2.0, 16.0), |c| one(tf::try_matvec(&c.x[0], &c.x[1]))).except([
            Exception::elements(
                "refused",
                &["int16"],
                0,
                "products of int16 are taken, as TensorFlow takes batches of them",
            ),
        ]),
        exact("count_nonzero", |c| one(tf::try_count_nonzero(&c.x[0], axes(c)))),
        exact("sequence_mask", |c| one(tf::try_sequence_mask(&c.x[0], c.a.int_or_none("maxlen").unwrap_or(-1)))),
        Row::new("reduce_euclidean_norm", Bound::sums(2.0, 2.0), |c| {
            one(tf::try_reduce_euclidean_norm(&c.x[0], axes(c)))
        }),
        exact("reverse_sequence", |c| {
            one(tf::try_reverse_sequence(&c.x[0], &c.x[1], c.a.int("seq_axis"), c.a.int("batch_axis")))
        }),
        Row::new("moments", Bound::sums(4.0, 4.0), |c| {
            let (mean, variance) = tf::try_moments(&c.x[0], axes(c))?;
            Ok(vec![mean, variance])
        }),
        Row::elementwise("sigmoid_cross_entropy", Bound::sums(4.0, 4.0), |c| {
            one(tf::try_sigmoid_cross_entropy_with_logits(&c.x[0], &c.x[1]))
        })
        .of("sigmoid_cross_entropy_with_logits"),
        Row::elementwise("weighted_cross_entropy", Bound::sums(4.0, 4.0), |c| {
            one(tf::try_weighted_cross_entropy_with_logits(&c.x[0], &c.x[1], &c.x[2]))
        })
        .of("weighted_cross_entropy_with_logits"),
    ]
}
