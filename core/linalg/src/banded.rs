//! Systems with a triangular matrix of which only a band is not zero, given by its diagonals, and the way to and from those.
//! The operation `banded_triangular_solve` and its rule call these.

use crate::columns::Columns;
use crate::matrix::{Field, Matrix, Refused, for_field};
use crate::number::Number;

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
        let (bands, mut all) = (Columns::<T>::read::<S>(bands), Columns::<T>::read::<S>(b));
        let (n, width) = (all.rows, bands.rows);
        // The number of row i and column k, `|i - k| < width`, on the side of the triangle.
        let entry = |i: usize, k: usize| bands.at(row_of(lower, i, k, width), i);
        let read = |i: usize, k: usize| if adjoint { entry(k, i).conjugate() } else { entry(i, k) };
        if (0..n).any(|i| entry(i, i) == T::ZERO) {
            return Err(Refused::Singular);
        }
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

/// Writes the diagonals of the band of A, as [`banded_solve`] takes them; zeros where there are none.
///
/// # Safety
/// Both matrices are valid, `bands` has as many columns as `a` has rows and columns, and is the caller's alone.
pub unsafe fn bands_of(field: Field, lower: bool, a: &Matrix, bands: &Matrix) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe {
        let a = Columns::<T>::read::<S>(a);
        let (n, width) = (a.rows, bands.rows);
        let mut all = Columns::<T>::zeros(width, n);
        for i in 0..n {
            for k in within(lower, i, n, width) {
                all.set(row_of(lower, i, k, width), i, a.at(i, k));
            }
        }
        all.write::<S>(bands);
    });
    Ok(())
}

/// Writes the matrix that has these diagonals, and zeros elsewhere.
///
/// # Safety
/// Both matrices are valid, `a` has as many rows and columns as `bands` has columns, and is the caller's alone.
pub unsafe fn of_bands(field: Field, lower: bool, bands: &Matrix, a: &Matrix) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe {
        let bands = Columns::<T>::read::<S>(bands);
        let (n, width) = (a.rows, bands.rows);
        let mut all = Columns::<T>::zeros(n, n);
        for i in 0..n {
            for k in within(lower, i, n, width) {
                all.set(i, k, bands.at(row_of(lower, i, k, width), i));
            }
        }
        all.write::<S>(a);
    });
    Ok(())
}

/// The columns of row `i` that lie in the band.
fn within(lower: bool, i: usize, n: usize, width: usize) -> std::ops::Range<usize> {
    if lower { (i + 1).saturating_sub(width)..i + 1 } else { i..n.min(i + width) }
}

/// The row of the diagonals that holds the number of row `i` and column `k`.
fn row_of(lower: bool, i: usize, k: usize, width: usize) -> usize {
    if lower { i - k } else { width - 1 - (k - i) }
}
