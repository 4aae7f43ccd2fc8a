//! Samples of the operations that move elements.
//! `super` records them with all sizes unknown.

use super::{Sample, flags, one, small, x};
use eagerflow as tf;
use eagerflow::PadMode;
use eagerflow::{Variable, s};
use tf::SliceMasks;

/// Pairs of indices below 3.
fn pairs(count: usize) -> tf::Tensor {
    small(&[count, 2])
}

pub fn samples() -> Vec<Sample> {
    let mut list = reordering();
    list.extend(picking());
    list.extend(joining());
    list
}

fn reordering() -> Vec<Sample> {
    vec![
        Sample::new(
            "reshape",
            |s| vec![x(&[s.a, s.b, s.c])],
            |x| Ok(vec![tf::try_reshape(&x[0], [-1])?, tf::try_expand_dims(&x[0], 1)?]),
        ),
        Sample::new(
            "reshape",
            |s| vec![x(&[s.a, 1, s.c])],
            |x| Ok(vec![tf::try_squeeze(&x[0], 1)?, tf::try_squeeze(&x[0], ())?]),
        ),
        Sample::new(
            "transpose",
            |s| vec![x(&[s.a, s.b, s.c])],
            |x| Ok(vec![tf::try_transpose(&x[0], [2, 0, 1])?, tf::try_transpose(&x[0], [])?]),
        ),
        Sample::new(
            "ensure_shape",
            |s| vec![x(&[s.a, s.b]), x(&[s.b, s.a])],
            |x| one(tf::try_ensure_shape(&x[0], (x[1].shape().dim(1), -1))),
        ),
        Sample::new(
            "check_numerics",
            |s| vec![x(&[s.a, s.b])],
            |x| one(tf::debugging::try_check_numerics(&x[0], "the sample is not finite")),
        ),
        Sample::new(
            "broadcast_to",
            |s| vec![x(&[s.b, 1]), x(&[s.a, s.b, s.c])],
            |x| one(tf::try_broadcast_to(&x[0], *x[1].shape())),
        ),
        Sample::new("tile", |s| vec![x(&[s.a, s.b])], |x| one(tf::try_tile(&x[0], [2, 3]))),
        Sample::new("reverse", |s| vec![x(&[s.a, s.b])], |x| one(tf::try_reverse(&x[0], 1))),
        Sample::new(
            "pad",
            |s| vec![x(&[s.a, s.b])],
            |x| {
                let margins = [[1, 2], [0, 1]];
                Ok(vec![
                    tf::try_pad(&x[0], margins, PadMode::Constant)?,
                    tf::try_pad(&x[0], margins, PadMode::Reflect)?,
                    tf::try_pad(&x[0], margins, PadMode::Symmetric)?,
                    tf::try_pad_value(&x[0], margins, 2.5)?,
                ])
            },
        ),
    ]
}

fn picking() -> Vec<Sample> {
    vec![
        Sample::new(
            "slice",
            |s| vec![x(&[s.a, s.b])],
            |x| Ok(vec![tf::try_slice(&x[0], [1, 0], [2, -1])?, tf::try_slice(&x[0], [0, 1], [-1, 1])?]),
        ),
        Sample::new(
            "strided_slice",
            |s| vec![x(&[s.a, s.b])],
            |x| {
                let open = SliceMasks { begin: 3, end: 3, ..SliceMasks::default() };
                Ok(vec![
                    tf::try_strided_slice(&x[0], [0, 0], [0, 0], [2, -1], open)?,
                    tf::try_strided_slice(&x[0], [1, 0], [3, 2], [1, 1], SliceMasks::default())?,
                ])
            },
        ),
        Sample::new(
            "at",
            |s| vec![x(&[s.a, s.b])],
            |x| Ok(vec![x[0].try_at(s![1.., ..-1])?, x[0].try_at(-1)?, x[0].try_at(s![.., 0])?]),
        ),
        Sample::new(
            "gather",
            |s| vec![x(&[s.a, s.b]), small(&[s.c])],
            |x| Ok(vec![tf::try_gather(&x[0], &x[1], 0)?, tf::try_gather(&x[0], &x[1], 1)?]),
        ),
        Sample::new(
            "gather",
            |s| vec![x(&[s.a, s.b]), small(&[s.a, s.c])],
            |x| one(tf::try_gather_batched(&x[0], &x[1], 1, 1)),
        ),
        Sample::new(
            "embedding_lookup",
            |s| vec![x(&[s.a, s.b]), small(&[s.c])],
            |x| one(tf::try_embedding_lookup(&x[0], &x[1])),
        ),
        Sample::new("gather_nd", |s| vec![x(&[s.a, s.b, s.c]), pairs(s.c)], |x| one(tf::try_gather_nd(&x[0], &x[1]))),
        Sample::new(
            "gather_nd",
            |s| vec![x(&[s.c, s.a, s.b]), pairs(s.c)],
            |x| one(tf::try_gather_nd_batched(&x[0], &x[1], 1)),
        ),
        Sample::new(
            "scatter_nd",
            |s| vec![pairs(s.c), x(&[s.c, s.b]), x(&[s.a, s.a, s.b])],
            |x| one(tf::try_scatter_nd(&x[0], &x[1], *x[2].shape())),
        ),
        Sample::new(
            "tensor_scatter",
            |s| vec![x(&[s.a, s.b]), tf::reverse(tf::expand_dims(small(&[2]), 1), 0), x(&[2, s.b])],
            |x| {
                Ok(vec![
                    tf::try_tensor_scatter_nd_update(&x[0], &x[1], &x[2])?,
                    tf::try_tensor_scatter_nd_add(&x[0], &x[1], &x[2])?,
                    tf::try_tensor_scatter_nd_max(&x[0], &x[1], &x[2])?,
                ])
            },
        ),
        Sample::new(
            "boolean_mask",
            |s| vec![x(&[s.a, s.b]), flags(&[s.a])],
            |x| one(tf::try_boolean_mask(&x[0], &x[1], 0)),
        ),
        Sample::new(
            "boolean_mask",
            |s| vec![x(&[s.a, s.b]), flags(&[s.a, s.b])],
            |x| one(tf::try_boolean_mask(&x[0], &x[1], 0)),
        ),
        Sample::new("where_indices", |s| vec![flags(&[s.a, s.b])], |x| one(tf::try_where_indices(&x[0]))),
        Sample::new(
            "scatter_variable",
            |s| vec![x(&[s.a]), small(&[s.a])],
            |x| {
                let v = Variable::new(tf::Tensor::from(vec![0.0f64; 3]));
                v.try_assign(tf::Tensor::from(vec![0.0f64; 3]))?;
                v.try_scatter_add(&x[1], &x[0])?;
                Ok(vec![v.value()])
            },
        ),
        Sample::new(
            "assign",
            |s| vec![x(&[s.a])],
            |x| {
                let v = Variable::new(tf::Tensor::from(vec![0.0f64; 2]));
                v.try_assign(tf::Tensor::from(vec![0.0f64; 2]))?;
                v.try_assign_add(tf::try_stack(&[x[0].sum(), x[0].mean()], 0)?)?;
                Ok(vec![v.value()])
            },
        ),
    ]
}

fn joining() -> Vec<Sample> {
    vec![
        Sample::new(
            "concat",
            |s| vec![x(&[s.a, s.b]), x(&[s.c, s.b])],
            |x| Ok(vec![tf::try_concat(&[&x[0], &x[1]], 0)?, tf::try_concat(&[&x[0], &x[0]], 1)?]),
        ),
        Sample::new(
            "stack",
            |s| vec![x(&[s.a, s.b]), x(&[s.a, s.b])],
            |x| Ok(vec![tf::try_stack(x, 0)?, tf::try_stack(x, -1)?]),
        ),
        Sample::new("unstack", |s| vec![x(&[s.a, 2])], |x| tf::try_unstack(&x[0], 1)),
        Sample::new("unstack", |s| vec![x(&[s.a, s.b])], |x| tf::try_unstack(&x[0], 0))
            .pinning("the number of results is the size"),
        Sample::new("split", |s| vec![x(&[6, s.b])], |x| tf::try_split(&x[0], 3, 0)).of_one_size(),
        Sample::new("split", |s| vec![x(&[2, s.b])], |x| tf::try_split(&x[0], [1, 1], 0)),
    ]
}
