//! The rows of the operations that move elements: shapes, joins, slices, gathers and scatters.
//! `rows::all` collects them.

use super::{Answer, Call, Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;
use tf::{PadMode, SliceMasks};

/// The modes of padding are values of one attribute.
fn pad(c: &Call<'_>) -> Answer {
    let paddings: Vec<[isize; 2]> = c.a.pairs("paddings").into_iter().map(|(before, after)| [before, after]).collect();
    let value = c.a.raw("constant_values");
    match c.a.text("mode") {
        "REFLECT" => one(tf::try_pad(&c.x[0], paddings, PadMode::Reflect)),
        "SYMMETRIC" => one(tf::try_pad(&c.x[0], paddings, PadMode::Symmetric)),
        _ if value.as_i64() == Some(0) || value.as_bool() == Some(false) => {
            one(tf::try_pad(&c.x[0], paddings, PadMode::Constant))
        }
        _ => one(tf::try_pad_value(&c.x[0], paddings, c.a.float("constant_values"))),
    }
}

pub(super) fn rows() -> Vec<Row> {
    let exact = |name, call| Row::new(name, Bound::EXACT, call);
    vec![
        exact("reshape", |c| one(tf::try_reshape(&c.x[0], c.a.ints("shape").unwrap_or_default()))).except([
            Exception::elements(
                "infer_zero",
                &[],
                0,
                "beside a 0 any number would do for -1, so we ask for it; TensorFlow takes 0",
            ),
        ]),
        exact("transpose", |c| one(tf::try_transpose(&c.x[0], c.a.ints("perm").unwrap_or_default()))),
        exact("expand_dims", |c| one(tf::try_expand_dims(&c.x[0], c.a.int("axis")))),
        exact("squeeze", |c| one(tf::try_squeeze(&c.x[0], c.a.ints("axis")))),
        exact("concat", |c| one(tf::try_concat(c.x, c.a.int("axis")))),
        exact("ensure_shape", |c| one(tf::try_ensure_shape(&c.x[0], c.a.ints("shape").unwrap_or_default()))),
        exact("broadcast_to", |c| one(tf::try_broadcast_to(&c.x[0], c.a.sizes("shape")))),
        exact("gather", |c| {
            let (axis, batch) = (c.a.int("axis"), c.a.int("batch_dims") as usize);
            one(match batch {
                0 => tf::try_gather(&c.x[0], &c.x[1], axis),
                _ => tf::try_gather_batched(&c.x[0], &c.x[1], axis, batch),
            })
        }),
        exact("gather_nd", |c| {
            one(match c.a.int("batch_dims") as usize {
                0 => tf::try_gather_nd(&c.x[0], &c.x[1]),
                batch => tf::try_gather_nd_batched(&c.x[0], &c.x[1], batch),
            })
        }),
        // Repeated indices add up: TensorFlow rounds 16-bit sums after each.
        Row::new("scatter_nd", Bound::sums(1.0, 1.0), |c| {
            one(tf::try_scatter_nd(&c.x[0], &c.x[1], c.a.sizes("shape")))
        }),
        exact("tensor_scatter_nd_update", |c| one(tf::try_tensor_scatter_nd_update(&c.x[0], &c.x[1], &c.x[2]))),
        exact("embedding_lookup", |c| one(tf::try_embedding_lookup(&c.x[0], &c.x[1]))),
        exact("boolean_mask", |c| one(tf::try_boolean_mask(&c.x[0], &c.x[1], c.a.int_or_none("axis").unwrap_or(0)))),
        exact("stack", |c| one(tf::try_stack(c.x, c.a.int("axis")))),
        exact("unstack", |c| tf::try_unstack(&c.x[0], c.a.int("axis"))),
        exact("split", |c| match c.a.raw("num_or_size_splits").as_u64() {
            Some(parts) => tf::try_split(&c.x[0], parts as usize, c.a.int("axis")),
            None => tf::try_split(&c.x[0], c.a.ints("num_or_size_splits").unwrap_or_default(), c.a.int("axis")),
        }),
        exact("tile", |c| one(tf::try_tile(&c.x[0], c.a.ints("multiples").unwrap_or_default()))),
        exact("pad", pad),
        exact("reverse", |c| one(tf::try_reverse(&c.x[0], c.a.ints("axis")))),
        exact("strided_slice", |c| {
            let [begin, end, strides] = ["begin", "end", "strides"].map(|name| c.a.ints(name).unwrap_or_default());
            let mask = |name| c.a.int(name) as u32;
            let masks = SliceMasks {
                begin: mask("begin_mask"),
                end: mask("end_mask"),
                ellipsis: mask("ellipsis_mask"),
                new_axis: mask("new_axis_mask"),
                shrink_axis: mask("shrink_axis_mask"),
            };
            one(tf::try_strided_slice(&c.x[0], begin, end, strides, masks))
        }),
        exact("slice", |c| {
            let [begin, size] = ["begin", "size"].map(|name| c.a.ints(name).unwrap_or_default());
            one(tf::try_slice(&c.x[0], begin, size))
        }),
    ]
}
