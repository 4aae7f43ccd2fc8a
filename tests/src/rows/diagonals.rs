//! The rows of the operations on bands of diagonals.
//! `rows::all` collects them.

use super::{Answer, Call, Row, one};
use crate::compare::Bound;
use eagerflow::{self as tf, linalg::DiagonalAlign, linalg::Diagonals};

/// The band, with what the golden script says of sizes and padding.
fn band(c: &Call<'_>) -> tf::Result<Diagonals> {
    let ends = c.a.ints("k").unwrap_or_default();
    let k = (ends[0] as i64, ends[ends.len() - 1] as i64);
    let align = match c.a.text("align") {
        "LEFT_RIGHT" => DiagonalAlign::LeftRight,
        "LEFT_LEFT" => DiagonalAlign::LeftLeft,
        "RIGHT_RIGHT" => DiagonalAlign::RightRight,
        _ => DiagonalAlign::RightLeft,
    };
    let mut how = Diagonals { align, ..Diagonals::of(k) };
    if let Some(padding) = c.a.raw("padding").as_i64().filter(|&padding| padding != 0) {
        let dtype = c.x[0].dtype();
        how.padding_value = Some(match dtype {
            tf::DType::Bool => tf::constant(true),
            _ => tf::try_constant_of(padding, dtype)?,
        });
    }
    for (to, name) in [(&mut how.num_rows, "num_rows"), (&mut how.num_cols, "num_cols")] {
        *to = c.a.raw(name).as_u64().map(|size| tf::Dim::from(size as usize));
    }
    Ok(how)
}

fn set(c: &Call<'_>) -> Answer {
    one(tf::try_set_diag_with(&c.x[0], &c.x[1], &band(c)?))
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new("diag_with", Bound::EXACT, |c| one(tf::try_diag_with(&c.x[0], &band(c)?))),
        Row::new("diag_part_with", Bound::EXACT, |c| one(tf::try_diag_part_with(&c.x[0], &band(c)?))),
        Row::new("set_diag_with", Bound::EXACT, set),
    ]
}
