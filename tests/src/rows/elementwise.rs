//! The rows of the element-wise and creating operations.
//! `rows::all` collects them.

use super::{Row, one};
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
        tanh try_tanh Bound::ulps(4.0);
    }
    binary! { rows;
        add try_add Bound::EXACT;
        subtract try_subtract Bound::EXACT;
        multiply try_multiply Bound::EXACT;
    }
    rows.push(Row::elementwise("cast", Bound::ulps(0.5), |c| one(tf::try_cast(&c.x[0], c.a.dtype("to")))));
    rows.push(Row::new("fill", Bound::EXACT, |c| one(tf::try_fill(c.a.sizes("dims"), &c.x[0]))));
    rows
}
