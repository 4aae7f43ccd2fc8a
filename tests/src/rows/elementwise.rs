//! The rows of the element-wise and creating operations.
//! `rows::all` collects them.

use super::{Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;

macro_rules! unary {
    ($rows:ident; $($name:ident $try_name:ident $bound:expr;)*) => {
        $($rows.push(Row::elementwise(stringify!($name), $bound, |c| one(tf::$try_name(&c.x[0]))));)*
    };
}

macro_rules! binary {
    ($rows:ident; $($name:ident $try_name:ident $bound:expr;)*) => {
        $($rows.push(Row::elementwise(stringify!($name), $bound, |c| one(tf::$try_name(&c.x[0], &c.x[1]))));)*
    };
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    unary! { rows;
        zeros_like try_zeros_like Bound::EXACT;
        ones_like try_ones_like Bound::EXACT;
        neg try_neg Bound::EXACT;
        square try_square Bound::EXACT;
        sqrt try_sqrt Bound::ulps(1.0);
        reciprocal try_reciprocal Bound::ulps(2.0);
        exp try_exp Bound::ulps(2.0);
        log try_log Bound::ulps(2.0);
        tanh try_tanh Bound::ulps(4.0);
        sigmoid try_sigmoid Bound::ulps(4.0);
        identity try_identity Bound::EXACT;
        expm1 try_expm1 Bound::ulps(2.0);
        sin try_sin Bound::ulps(2.0);
        cos try_cos Bound::ulps(2.0);
        softplus try_softplus Bound::ulps(4.0);
        silu try_silu Bound::ulps(4.0);
        floor try_floor Bound::EXACT;
        ceil try_ceil Bound::EXACT;
        round try_round Bound::EXACT;
        softsign try_softsign Bound::ulps(2.0);
        elu try_elu Bound::ulps(2.0).absolute(1.0);
        selu try_selu Bound::ulps(2.0).absolute(2.0);
        is_nan try_is_nan Bound::EXACT;
        is_finite try_is_finite Bound::EXACT;
        is_inf try_is_inf Bound::EXACT;
        relu try_relu Bound::EQUAL;
        logical_not try_logical_not Bound::EXACT;
    }
    binary! { rows;
        add try_add Bound::EXACT;
        subtract try_subtract Bound::EXACT;
        multiply try_multiply Bound::EXACT;
        divide try_divide Bound::ulps(1.0);
        truediv try_truediv Bound::ulps(1.0);
        div_no_nan try_div_no_nan Bound::ulps(1.0);
        floormod try_floormod Bound::EQUAL;
        minimum try_minimum Bound::EQUAL;
        maximum try_maximum Bound::EQUAL;
        squared_difference try_squared_difference Bound::EXACT.half(2.0);
        pow try_pow Bound::ulps(4.0);
        equal try_equal Bound::EXACT;
        not_equal try_not_equal Bound::EXACT;
        less try_less Bound::EXACT;
        less_equal try_less_equal Bound::EXACT;
        greater try_greater Bound::EXACT;
        greater_equal try_greater_equal Bound::EXACT;
        logical_and try_logical_and Bound::EXACT;
        logical_or try_logical_or Bound::EXACT;
        logical_xor try_logical_xor Bound::EXACT;
    }
    rows.push(Row::elementwise("abs", Bound::EXACT, |c| one(tf::try_abs(&c.x[0]))).except([Exception::bound(
        &["complex64", "complex128"],
        Bound::ulps(2.0),
        "the length of a complex number, which is scaled here so that nothing overflows",
    )]));
    rows.push(Row::elementwise("rsqrt", Bound::ulps(2.0), |c| one(tf::try_rsqrt(&c.x[0]))).except([
        Exception::elements(
            "edges",
            &["complex64"],
            7,
            "TensorFlow's cut takes -0 for 0, other than that of its own `sqrt`, and 1 / 0 is inf + nan i",
        ),
    ]));
    rows.push(
        Row::elementwise("log1p", Bound::ulps(2.0), |c| one(tf::try_log1p(&c.x[0]))).except([Exception::elements(
            "edges",
            &["complex64"],
            8,
            "TensorFlow loses digits of small complex numbers",
        )]),
    );
    rows.push(Row::elementwise("cast", Bound::EQUAL, |c| one(tf::try_cast(&c.x[0], c.a.dtype("to")))));
    rows.push(Row::elementwise("sign", Bound::EQUAL, |c| one(tf::try_sign(&c.x[0]))).except([Exception::elements(
        "edges",
        &["bfloat16", "float32", "float64"],
        2,
        "TensorFlow answers the smallest denormal for the sign of a denormal; ours is 1 or -1",
    )]));
    rows.push(Row::elementwise("where", Bound::EXACT, |c| one(tf::try_where(&c.x[0], &c.x[1], &c.x[2]))));
    rows.push(Row::elementwise("leaky_relu", Bound::EQUAL.half(2.0), |c| {
        one(tf::try_leaky_relu(&c.x[0], c.a.float("alpha") as f32))
    }));
    rows.push(
        Row::elementwise("gelu", Bound::ulps(8.0), |c| one(tf::try_gelu(&c.x[0], c.a.flag("approximate")))).except([
            Exception::bound(
                &["float64"],
                Bound::ulps(4e9).absolute(8.0),
                "TensorFlow rounds its constants to float32 first",
            ),
            Exception::bound_in(
                "*_approximate",
                &[],
                Bound::ulps(4.0).absolute(4.0),
                "1 + tanh has few digits far below zero, in TensorFlow and here",
            ),
        ]),
    );
    rows.push(Row::elementwise("erf", Bound::ulps(4.0), |c| one(tf::try_erf(&c.x[0]))).except([Exception::elements(
        "edges",
        &["float64"],
        4,
        "TensorFlow answers nan for very large numbers and infinities; the limit is 1 or -1",
    )]));
    rows.push(Row::elementwise("erfc", Bound::ulps(4.0), |c| one(tf::try_erfc(&c.x[0]))));
    rows.push(Row::elementwise("floordiv", Bound::EQUAL, |c| one(tf::try_floordiv(&c.x[0], &c.x[1]))).except([
        Exception::elements(
            "edges",
            &["bfloat16", "float32", "float64"],
            1,
            "-2.5 by the greatest number is a denormal, which TensorFlow takes for zero before the floor",
        ),
    ]));
    rows.push(Row::elementwise("clip_by_value", Bound::EQUAL, |c| {
        one(tf::try_clip_by_value(&c.x[0], &c.x[1], &c.x[2]))
    }));
    rows.push(Row::new("clip_by_norm", Bound::sums(4.0, 1.0), |c| {
        one(tf::try_clip_by_norm(&c.x[0], &c.x[1], c.a.ints("axes")))
    }));
    rows.push(Row::new("clip_by_global_norm", Bound::sums(4.0, 1.0), |c| {
        let (norm, tensors) = c.x.split_last().expect("the last input is the norm");
        let (mut clipped, global) = tf::try_clip_by_global_norm(tensors, norm)?;
        clipped.push(global);
        Ok(clipped)
    }));
    rows.push(Row::new("l2_normalize", Bound::ulps(4.0).half(4.0), |c| {
        one(tf::try_l2_normalize(&c.x[0], c.a.ints("axis"), c.a.float("epsilon")))
    }));
    rows.push(Row::new("fill", Bound::EXACT, |c| one(tf::try_fill(c.a.sizes("dims"), &c.x[0]))));
    rows.push(Row::new("range", Bound::sums(1.0, 1.0), |c| one(tf::try_range(&c.x[0], &c.x[1], &c.x[2]))));
    rows.push(Row::new("linspace", Bound::sums(2.0, 1.0), |c| {
        one(tf::try_linspace(&c.x[0], &c.x[1], c.a.int("num") as usize, 0))
    }));
    rows.push(Row::new("eye", Bound::EXACT, |c| {
        let (rows, columns) = (c.a.int("rows"), c.a.int_or_none("columns"));
        let mut shape = c.a.sizes("batch_shape");
        shape.extend([rows as usize, columns.unwrap_or(rows) as usize]);
        one(tf::try_eye(shape, c.a.dtype("dtype")))
    }));
    rows.push(Row::new("one_hot", Bound::EXACT, |c| {
        one(tf::try_one_hot(&c.x[0], c.a.int("depth") as usize, &c.x[1], &c.x[2], c.a.int("axis")))
    }));
    rows
}
