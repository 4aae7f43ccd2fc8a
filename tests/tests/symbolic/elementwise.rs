//! Samples of element-wise operations, creating operations and reductions.
//! `super` records them with all sizes unknown.

use super::{Sample, flags, one, positive, small, x};
use eagerflow as tf;
use eagerflow::DType;

macro_rules! unary {
    ($list:ident; $make:ident; $($name:ident $try_name:ident)*) => {
        $($list.push(Sample::new(stringify!($name), |s| vec![$make(&[s.a, s.b])], |x| one(tf::$try_name(&x[0]))));)*
    };
}

/// Each with operands of equal shapes, with a broadcast one, and with a number.
macro_rules! binary {
    ($list:ident; $left:ident $right:ident; $($name:ident $try_name:ident)*) => {$(
        $list.push(Sample::new(
            stringify!($name),
            |s| vec![$left(&[s.a, s.b]), $right(&[s.a, s.b])],
            |x| one(tf::$try_name(&x[0], &x[1])),
        ));
        $list.push(Sample::new(
            stringify!($name),
            |s| vec![$left(&[s.a, 1, s.c]), $right(&[s.b, 1]), $right(&[])],
            |x| Ok(vec![tf::$try_name(&x[0], &x[1])?, tf::$try_name(&x[0], &x[2])?, tf::$try_name(&x[2], &x[0])?]),
        ));
    )*};
}

#[allow(clippy::vec_init_then_push, reason = "a row for each operation, whichever macro writes it")]
pub fn samples() -> Vec<Sample> {
    let mut list = Vec::new();
    unary! { list; x;
        abs try_abs neg try_neg square try_square exp try_exp expm1 try_expm1 tanh try_tanh sigmoid try_sigmoid
        sin try_sin cos try_cos erf try_erf erfc try_erfc softplus try_softplus silu try_silu softsign try_softsign
        elu try_elu selu try_selu relu try_relu sign try_sign floor try_floor ceil try_ceil round try_round
        identity try_identity is_nan try_is_nan fill try_zeros_like fill try_ones_like identity try_stop_gradient
    }
    unary! { list; positive;
        sqrt try_sqrt rsqrt try_rsqrt log try_log log1p try_log1p reciprocal try_reciprocal
    }
    unary! { list; flags; logical try_logical_not }
    binary! { list; x x;
        add try_add subtract try_subtract multiply try_multiply maximum try_maximum minimum try_minimum
        squared_difference try_squared_difference compare try_equal compare try_less
    }
    binary! { list; positive positive;
        divide try_divide truediv try_truediv div_no_nan try_div_no_nan floordiv try_floordiv floormod try_floormod
        truncatemod try_truncatemod pow try_pow
    }
    binary! { list; flags flags; logical try_logical_and logical try_logical_xor }
    list.extend(attributes());
    list.extend(reductions());
    list
}

fn attributes() -> Vec<Sample> {
    vec![
        Sample::new("leaky_relu", |s| vec![x(&[s.a, s.b])], |x| one(tf::try_leaky_relu(&x[0], 0.1))),
        Sample::new("gelu", |s| vec![x(&[s.a, s.b])], |x| one(tf::try_gelu(&x[0], false))),
        Sample::new("gelu", |s| vec![x(&[s.a, s.b])], |x| one(tf::try_gelu(&x[0], true))),
        Sample::new(
            "cast",
            |s| vec![x(&[s.a, s.b])],
            |x| Ok(vec![tf::try_cast(&x[0], DType::F32)?, tf::try_cast(&x[0], DType::I32)?]),
        ),
        Sample::new(
            "select",
            |s| vec![flags(&[s.a, s.b]), x(&[s.a, s.b]), x(&[s.b]), x(&[])],
            |x| Ok(vec![tf::try_where(&x[0], &x[1], &x[2])?, tf::try_select(&x[0], &x[1], &x[3])?]),
        ),
        Sample::new(
            "clip_by_value",
            |s| vec![x(&[s.a, s.b]), x(&[s.b])],
            |x| Ok(vec![tf::try_clip_by_value(&x[0], -0.5, 0.5)?, tf::try_clip_by_value(&x[0], -0.5, &x[1])?]),
        ),
        Sample::new(
            "clip_by_norm",
            |s| vec![x(&[s.a, s.b])],
            |x| Ok(vec![tf::try_clip_by_norm(&x[0], 0.5, ())?, tf::try_clip_by_norm(&x[0], 0.5, 1)?]),
        ),
        Sample::new(
            "l2_normalize",
            |s| vec![x(&[s.a, s.b])],
            |x| Ok(vec![tf::try_l2_normalize(&x[0], (), 1e-12)?, tf::try_l2_normalize(&x[0], -1, 1e-12)?]),
        ),
        Sample::new(
            "clip_by_global_norm",
            |s| vec![x(&[s.a, s.b]), x(&[s.c])],
            |x| {
                let (mut all, norm) = tf::try_clip_by_global_norm(x, 0.5)?;
                all.push(norm);
                Ok(all)
            },
        ),
        Sample::new(
            "fill",
            |s| vec![x(&[s.a, s.b]), x(&[])],
            |x| Ok(vec![tf::try_fill(*x[0].shape(), &x[1])?, tf::try_zeros(*x[0].shape(), DType::F64)?]),
        ),
        Sample::new("range", |_| vec![x(&[])], |_| one(tf::try_range(0, 5, 1))),
        Sample::new("linspace", |s| vec![x(&[s.a]), x(&[s.a])], |x| one(tf::try_linspace(&x[0], &x[1], 4, 0))),
        Sample::new("eye", |s| vec![x(&[s.a, s.b])], |x| one(tf::try_eye(*x[0].shape(), DType::F64))),
        Sample::new(
            "one_hot",
            |s| vec![small(&[s.a, s.b])],
            |x| {
                Ok(vec![
                    tf::try_one_hot(&x[0], 3, 1.0, 0.0, -1)?,
                    tf::try_one_hot(&x[0], x[0].shape().dim(1), 1.0, 0.0, 0)?,
                ])
            },
        ),
        Sample::new(
            "dropout",
            |s| vec![x(&[s.a, s.b])],
            |x| Ok(vec![tf::try_dropout(&x[0], 0.5, false)?, tf::try_stateless_dropout(&x[0], 0.4, [3, 4])?]),
        ),
    ]
}

macro_rules! reduction {
    ($list:ident; $make:ident; $($name:ident $try_name:ident)*) => {$(
        $list.push(Sample::new(stringify!($name), |s| vec![$make(&[s.a, s.b, s.c])], |x| {
            Ok(vec![
                tf::$try_name(&x[0], ())?,
                tf::$try_name(&x[0], [0, 2])?,
                tf::$try_name(&x[0], tf::keep_dims(-2))?,
            ])
        }));
    )*};
}

fn reductions() -> Vec<Sample> {
    let mut list = Vec::new();
    reduction! { list; x;
        reduce_sum try_reduce_sum reduce_mean try_reduce_mean reduce_max try_reduce_max reduce_min try_reduce_min
        reduce_prod try_reduce_prod reduce_logsumexp try_reduce_logsumexp reduce_variance try_reduce_variance
        reduce_variance try_reduce_std
    }
    reduction! { list; flags; reduce_all try_reduce_all reduce_any try_reduce_any }
    list.extend([
        Sample::new(
            "argmax",
            |s| vec![x(&[s.a, s.b])],
            |x| Ok(vec![tf::try_argmax(&x[0], 0)?, tf::try_argmin(&x[0], -1)?]),
        ),
        Sample::new("cumsum", |s| vec![x(&[s.a, s.b])], |x| one(tf::try_cumsum(&x[0], 1))),
        Sample::new("cumprod", |s| vec![x(&[s.a, s.b])], |x| one(tf::try_cumprod(&x[0], 0))),
        Sample::new(
            "softmax",
            |s| vec![x(&[s.a, s.b])],
            |x| Ok(vec![tf::try_softmax(&x[0], -1)?, tf::try_softmax(&x[0], 0)?]),
        ),
        Sample::new(
            "log_softmax",
            |s| vec![x(&[s.a, s.b])],
            |x| Ok(vec![tf::try_log_softmax(&x[0], -1)?, tf::try_log_softmax(&x[0], 0)?]),
        ),
        Sample::new(
            "cross_entropy",
            |s| vec![positive(&[s.a, s.b]), x(&[s.a, s.b])],
            |x| one(tf::try_softmax_cross_entropy_with_logits(&x[0], &x[1], -1)),
        ),
        Sample::new(
            "cross_entropy",
            |s| vec![small(&[s.a]), x(&[s.a, s.b])],
            |x| one(tf::try_sparse_softmax_cross_entropy_with_logits(&x[0], &x[1])),
        ),
    ]);
    list
}
