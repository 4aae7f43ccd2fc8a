//! The operations on bands of diagonals with all sizes unknown.

use super::{Sample, one, x};
use eagerflow::{self as tf, linalg::DiagonalAlign, linalg::Diagonals};

fn band(align: DiagonalAlign) -> Diagonals {
    Diagonals { align, ..Diagonals::of((-1, 2)) }
}

pub fn samples() -> Vec<Sample> {
    let matrices = |s: super::Sizes| vec![x(&[s.c, s.a, s.b])];
    vec![
        Sample::new("diagonals", matrices, |x| {
            let value = Some(tf::constant_of(2.0, x[0].dtype()));
            Ok(vec![
                tf::try_diag_part_with(&x[0], &Diagonals::of(1))?,
                tf::try_diag_part_with(&x[0], &Diagonals { padding_value: value, ..band(DiagonalAlign::LeftLeft) })?,
            ])
        }),
        Sample::new("diagonals", matrices, |x| {
            let part = tf::try_diag_part_with(&x[0], &band(DiagonalAlign::RightRight))?;
            one(tf::try_set_diag_with(&x[0], &(&part * 2.0), &band(DiagonalAlign::LeftRight)))
        }),
        Sample::new(
            "diagonals",
            |s| vec![x(&[s.a, 2, s.b]), x(&[s.c])],
            |x| {
                Ok(vec![
                    tf::try_diag_with(&x[0], &Diagonals::of((0, 1)))?,
                    tf::try_diag_with(&x[0], &Diagonals::of((-2, -1)))?,
                    tf::try_diag_with(&x[1], &Diagonals { num_cols: Some(x[1].dim(0) + 2), ..Diagonals::of(1) })?,
                ])
            },
        ),
    ]
}
