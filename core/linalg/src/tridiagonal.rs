//! Systems with a tridiagonal matrix, given by its diagonals: elimination with exchanges of neighbouring rows, or Thomas' without.
//! The operation `tridiagonal_solve` calls it.

use crate::columns::Columns;
use crate::matrix::{Field, Matrix, Refused, for_field};
use crate::number::{Number, Stored};

/// Writes X of T X = B. The rows of `diagonals` are those above, on and below the main diagonal; the last number of the first and the
/// first of the last are not read. A pivot that is zero gives NaN, as in TensorFlow.
///
/// # Safety
/// All matrices are valid, `diagonals` is of 3 rows and as many columns as the others have rows, `x` is the caller's alone.
pub unsafe fn tridiagonal_solve(
    field: Field,
    pivoting: bool,
    diagonals: &Matrix,
    b: &Matrix,
    x: &Matrix,
) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe { typed::<T, S>(pivoting, diagonals, b, x) })
}

unsafe fn typed<T: Number, S: Stored>(pivoting: bool, d: &Matrix, b: &Matrix, x: &Matrix) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    let (d, mut all) = unsafe { (Columns::<T>::read::<S>(d), Columns::<T>::read::<S>(b)) };
    if !eliminated(pivoting, &d, &mut all) {
        all.fill(T::nan());
    }
    // SAFETY: by the caller's promise.
    unsafe { all.write::<S>(x) };
    Ok(())
}

/// The solution in place of the right hand sides; whether no pivot was zero.
fn eliminated<T: Number>(pivoting: bool, d: &Columns<T>, all: &mut Columns<T>) -> bool {
    let n = all.rows;
    // The rows of U: the diagonal, and the two numbers to its right.
    let mut u = vec![[T::ZERO; 3]; n];
    let above = |i: usize| if i + 1 < n { d.at(0, i) } else { T::ZERO };
    if n > 0 {
        u[0] = [d.at(1, 0), above(0), T::ZERO];
    }
    for i in 1..n {
        let mut below = [d.at(2, i), d.at(1, i), above(i)];
        if pivoting && below[0].modulus() > u[i - 1][0].modulus() {
            std::mem::swap(&mut below, &mut u[i - 1]);
            for c in 0..all.cols {
                let (p, q) = (all.at(i - 1, c), all.at(i, c));
                all.set(i - 1, c, q);
                all.set(i, c, p);
            }
        }
        if u[i - 1][0] == T::ZERO {
            return false;
        }
        let factor = below[0] / u[i - 1][0];
        u[i] = [below[1] - factor * u[i - 1][1], below[2] - factor * u[i - 1][2], T::ZERO];
        for c in 0..all.cols {
            all.set(i, c, all.at(i, c) - factor * all.at(i - 1, c));
        }
    }
    if n > 0 && u[n - 1][0] == T::ZERO {
        return false;
    }
    for c in 0..all.cols {
        for i in (0..n).rev() {
            let mut sum = all.at(i, c);
            for (k, &factor) in u[i].iter().enumerate().skip(1).filter(|(k, _)| i + k < n) {
                sum -= factor * all.at(i + k, c);
            }
            all.set(i, c, sum / u[i][0]);
        }
    }
    true
}
