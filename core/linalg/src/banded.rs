//! Systems with a triangular matrix of which only a band is not zero, given by its diagonals.
//! The operation `banded_triangular_solve` calls it.

use crate::columns::Columns;
use crate::matrix::{Field, Matrix, Refused, for_field};

/// Writes X of A X = B, or of Aᴴ X = B. A lower triangular matrix has its main diagonal in the first row of `bands` and those below it
/// in the next, at the columns' places of their rows; an upper one has the main diagonal in the last row.
///
/// # Safety
/// All matrices are valid, `bands` has as many columns as the others rows, `x` is the caller's alone.
pub unsafe fn banded_solve(
    field: Field,
    lower: bool,
    adjoint: bool,
    bands: &Matrix,
    b: &Matrix,
    x: &Matrix,
) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe {
        use crate::number::Number;
        let (bands, mut all) = (Columns::<T>::read::<S>(bands), Columns::<T>::read::<S>(b));
        let (n, width) = (all.rows, bands.rows);
        // The number of row i and column k, `|i - k| < width`, on the side of the triangle.
        let entry = |i: usize, k: usize| if lower { bands.at(i - k, i) } else { bands.at(width - 1 - (k - i), i) };
        let read = |i: usize, k: usize| if adjoint { entry(k, i).conjugate() } else { entry(i, k) };
        let forwards = lower != adjoint;
        for c in 0..all.cols {
            for step in 0..n {
                let i = if forwards { step } else { n - 1 - step };
                let known = if forwards { (i + 1).saturating_sub(width)..i } else { i + 1..n.min(i + width) };
                let sum = known.fold(all.at(i, c), |sum, k| sum - read(i, k) * all.at(k, c));
                all.set(i, c, sum / read(i, i));
            }
        }
        all.write::<S>(x);
    });
    Ok(())
}
