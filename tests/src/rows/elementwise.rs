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
        abs try_abs Bound::EXACT;
        square try_square Bound::EXACT;
        sqrt try_sqrt Bound::ulps(1.0);
        rsqrt try_rsqrt Bound::ulps(2.0);
        reciprocal try_reciprocal Bound::ulps(2.0);
        exp try_exp Bound::ulps(2.0);
        log try_log Bound::ulps(2.0);
        tanh try_tanh Bound::ulps(4.0);
        sigmoid try_sigmoid Bound::ulps(4.0);
        relu try_relu Bound::EQUAL;
        logical_not try_logical_not Bound::EXACT;
    }
    binary! { rows;
        add try_add Bound::EXACT;
        subtract try_subtract Bound::EXACT;
        multiply try_multiply Bound::EXACT;
        divide try_divide Bound::ulps(1.0);
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
    rows.push(Row::elementwise("cast", Bound::EQUAL, |c| one(tf::try_cast(&c.x[0], c.a.dtype("to")))));
    rows.push(Row::elementwise("sign", Bound::EQUAL, |c| one(tf::try_sign(&c.x[0]))).except(&[Exception {
        case: "edges",
        dtypes: &["bfloat16", "float32", "float64"],
        elements: 2,
        why: "TensorFlow answers the smallest denormal for the sign of a denormal; ours is 1 or -1",
    }]));
    rows.push(Row::elementwise("where", Bound::EXACT, |c| one(tf::try_where(&c.x[0], &c.x[1], &c.x[2]))));
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
