//! The rows of operations on complex numbers.
//! `rows::all` collects them; what other operations do with complex numbers is in their own rows.

use super::{Exception, Row, one};
use crate::compare::Bound;
use eagerflow as tf;

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::elementwise("real", Bound::EXACT, |c| one(tf::try_real(&c.x[0]))),
        Row::elementwise("imag", Bound::EXACT, |c| one(tf::try_imag(&c.x[0]))),
        Row::elementwise("conj", Bound::EXACT, |c| one(tf::try_conj(&c.x[0]))),
        Row::elementwise("angle", Bound::ulps(4.0), |c| one(tf::try_angle(&c.x[0]))),
        Row::elementwise("complex", Bound::EXACT, |c| one(tf::try_complex(&c.x[0], &c.x[1]))),
        Row::new("adjoint", Bound::EXACT, |c| one(tf::try_adjoint(&c.x[0]))),
        Row::new("matmul_adjoint", Bound::sums(4.0, 4.0), |c| {
            one(tf::try_matmul_adjoint(&c.x[0], c.a.flag("adjoint_a"), &c.x[1], c.a.flag("adjoint_b")))
        })
        .except([Exception::elements(
            "refused",
            &["int16"],
            0,
            "`matmul` takes it, in TensorFlow too, where nothing is transposed",
        )]),
    ]
}
