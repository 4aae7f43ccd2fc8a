//! Plain loops for small matrices, where the blocks and dispatch of the general algorithms would cost more than the arithmetic.
//! The algorithms of this crate come here first.

use crate::columns::{Columns, get, put};
use crate::matrix::{Matrix, Refused};
use crate::number::{Number, Stored};

/// The largest matrices that are taken here.
pub(crate) const SIZE: usize = 16;

/// L in the lower triangle; whether the matrix was positive definite.
pub(crate) fn cholesky<T: Number>(a: &mut Columns<T>) -> bool {
    let n = a.rows;
    for j in 0..n {
        let mut pivot = a.at(j, j).re();
        for k in 0..j {
            let x = a.at(j, k);
            pivot -= (x * x.conjugate()).re();
        }
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        let root = T::of(pivot.sqrt(), 0.0);
        a.set(j, j, root);
        for i in j + 1..n {
            let mut x = a.at(i, j);
            for k in 0..j {
                x -= a.at(i, k) * a.at(j, k).conjugate();
            }
            a.set(i, j, x / root);
        }
    }
    true
}

/// Writes L of a matrix of so few rows that the compiler may know their number, in the order of [`cholesky`].
///
/// # Safety
/// Both matrices are valid and have `N` rows and columns, `l` is the caller's alone.
pub(crate) unsafe fn cholesky_rows<T: Number, S: Stored, const N: usize>(a: &Matrix, l: &Matrix) {
    let mut made = [[T::ZERO; N]; N];
    let mut is_definite = true;
    for j in 0..N {
        // SAFETY: inside the matrix.
        let mut pivot = unsafe { get::<T, S>(a, j, j) }.re();
        for x in &made[j][..j] {
            pivot -= (*x * x.conjugate()).re();
        }
        is_definite &= !pivot.is_nan() && pivot > 0.0;
        let root = T::of(pivot.sqrt(), 0.0);
        made[j][j] = root;
        for i in j + 1..N {
            // SAFETY: inside the matrix.
            let mut x = unsafe { get::<T, S>(a, i, j) };
            for (&left, right) in made[i][..j].iter().zip(&made[j][..j]) {
                x -= left * right.conjugate();
            }
            made[i][j] = x / root;
        }
    }
    is_definite &= (0..N).all(|i| made[i][i].finite());
    for (i, row) in made.iter().enumerate() {
        for (j, &x) in row.iter().enumerate() {
            let entry = if is_definite || j > i { x } else { T::nan() };
            // SAFETY: inside the matrix.
            unsafe { put::<T, S>(l, i, j, entry) };
        }
    }
}

/// L and U in place of the matrix, by partial pivoting; `rows[i]` is the row of the matrix that row `i` of them is.
pub(crate) fn lu<T: Number>(a: &mut Columns<T>, rows: &mut [usize]) {
    let n = a.rows;
    rows.iter_mut().enumerate().for_each(|(i, row)| *row = i);
    for k in 0..n {
        let mut best = k;
        for i in k + 1..n {
            if a.at(i, k).modulus() > a.at(best, k).modulus() {
                best = i;
            }
        }
        if best != k {
            rows.swap(k, best);
            for j in 0..n {
                let (x, y) = (a.at(k, j), a.at(best, j));
                a.set(k, j, y);
                a.set(best, j, x);
            }
        }
        let pivot = a.at(k, k);
        if pivot == T::ZERO {
            continue;
        }
        for i in k + 1..n {
            let factor = a.at(i, k) / pivot;
            a.set(i, k, factor);
        }
        for j in k + 1..n {
            let x = a.at(k, j);
            for i in k + 1..n {
                let y = a.at(i, j) - a.at(i, k) * x;
                a.set(i, j, y);
            }
        }
    }
}

/// Solves with one triangle of `a`, as it stands or as its conjugate transpose.
pub(crate) fn triangular_solve<T: Number>(a: &Columns<T>, lower: bool, adjoint: bool, unit: bool, x: &mut Columns<T>) {
    let n = a.rows;
    let forwards = lower != adjoint;
    let entry = |i: usize, k: usize| if adjoint { a.at(k, i).conjugate() } else { a.at(i, k) };
    for c in 0..x.cols {
        for step in 0..n {
            let i = if forwards { step } else { n - 1 - step };
            let mut sum = x.at(i, c);
            let known = if forwards { 0..i } else { i + 1..n };
            for k in known {
                sum -= entry(i, k) * x.at(k, c);
            }
            x.set(i, c, if unit { sum } else { sum / entry(i, i) });
        }
    }
}

/// Writes X of A X = B, or of Aᴴ X = B, for matrices of so few rows that the compiler may know their number: memory of their own would cost
/// as much as the solution. Without B it is the inverse. `None` where there are more rows.
///
/// # Safety
/// All matrices are valid, `a` is square of as many rows as the others, `x` is the caller's alone.
pub(crate) unsafe fn solve<T: Number, S: Stored>(
    adjoint: bool,
    a: &Matrix,
    b: Option<&Matrix>,
    x: &Matrix,
) -> Option<Result<(), Refused>> {
    // SAFETY: the same contract.
    unsafe {
        match a.rows {
            2 => Some(solve_rows::<T, S, 2>(adjoint, a, b, x)),
            3 => Some(solve_rows::<T, S, 3>(adjoint, a, b, x)),
            4 => Some(solve_rows::<T, S, 4>(adjoint, a, b, x)),
            _ => None,
        }
    }
}

/// # Safety
/// As [`solve`], for `N` rows.
unsafe fn solve_rows<T: Number, S: Stored, const N: usize>(
    adjoint: bool,
    a: &Matrix,
    b: Option<&Matrix>,
    x: &Matrix,
) -> Result<(), Refused> {
    let mut lu = [[T::ZERO; N]; N];
    for (i, row) in lu.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            // SAFETY: inside the matrix.
            *entry = unsafe { if adjoint { get::<T, S>(a, j, i).conjugate() } else { get::<T, S>(a, i, j) } };
        }
    }
    let mut rows: [usize; N] = std::array::from_fn(|i| i);
    for k in 0..N {
        let mut best = k;
        for i in k + 1..N {
            if lu[i][k].modulus() > lu[best][k].modulus() {
                best = i;
            }
        }
        if best != k {
            lu.swap(k, best);
            rows.swap(k, best);
        }
        let pivot = lu[k];
        if pivot[k] == T::ZERO {
            return Err(Refused::Singular);
        }
        for row in &mut lu[k + 1..] {
            let factor = row[k] / pivot[k];
            row[k] = factor;
            for j in k + 1..N {
                row[j] -= factor * pivot[j];
            }
        }
    }
    for c in 0..x.cols {
        let mut y = [T::ZERO; N];
        for i in 0..N {
            let mut sum = match b {
                // SAFETY: inside the matrix.
                Some(b) => unsafe { get::<T, S>(b, rows[i], c) },
                None if rows[i] == c => T::ONE,
                None => T::ZERO,
            };
            for k in 0..i {
                sum -= lu[i][k] * y[k];
            }
            y[i] = sum;
        }
        for i in (0..N).rev() {
            let mut sum = y[i];
            for k in i + 1..N {
                sum -= lu[i][k] * y[k];
            }
            y[i] = sum / lu[i][i];
            // SAFETY: inside the matrix.
            unsafe { put::<T, S>(x, i, c, y[i]) };
        }
    }
    Ok(())
}
