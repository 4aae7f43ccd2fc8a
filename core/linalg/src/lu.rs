//! P A = L U by partial pivoting, and what is made of it: solutions, inverses, determinants.
//! The operations `lu`, `solve`, `inv`, `det` and `slogdet` call these.

use crate::columns::{Columns, with_memory};
use crate::matrix::{Field, Matrix, Refused, for_field};
use crate::number::{Number, Stored};
use crate::panels;
use crate::small;
use crate::together::{LARGE, Together, alone};
use crate::triangular::{Triangle, solve_together};
use faer::Par;
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};

/// L, with ones on its diagonal, and U in one matrix.
struct Factors<T> {
    packed: Columns<T>,
    /// Row `i` of the factors is this row of the matrix.
    rows: Vec<usize>,
}

impl<T: Number> Factors<T> {
    fn of(mut packed: Columns<T>, together: Together) -> Result<Self, Refused> {
        let n = packed.rows;
        let mut rows = vec![0; n];
        if n <= small::SIZE {
            small::lu(&mut packed, &mut rows);
            return Ok(Self { packed, rows });
        }
        if n >= LARGE {
            panels::lu(&mut packed, &mut rows, together)?;
            return Ok(Self { packed, rows });
        }
        let mut back = vec![0; n];
        let wanted = lu_in_place_scratch::<usize, T>(n, n, Par::Seq, Default::default());
        with_memory(wanted, |stack| {
            lu_in_place(packed.view_mut(), &mut rows, &mut back, Par::Seq, stack, Default::default());
        })?;
        Ok(Self { packed, rows })
    }

    fn is_singular(&self) -> bool {
        (0..self.packed.rows).any(|i| self.packed.at(i, i) == T::ZERO)
    }

    /// Solves for the columns of `b`.
    fn solve(&self, b: &Columns<T>, adjoint: bool, together: Together) -> Columns<T> {
        let n = self.packed.rows;
        let mut x = Columns::zeros(n, b.cols);
        let lower = Triangle { lower: true, adjoint, unit: true };
        let upper = Triangle { lower: false, adjoint, unit: false };
        if !adjoint {
            for j in 0..b.cols {
                (0..n).for_each(|i| x.set(i, j, b.at(self.rows[i], j)));
            }
            solve_together(&self.packed, lower, &mut x, together);
            solve_together(&self.packed, upper, &mut x, together);
            return x;
        }
        for j in 0..b.cols {
            (0..n).for_each(|i| x.set(i, j, b.at(i, j)));
        }
        solve_together(&self.packed, upper, &mut x, together);
        solve_together(&self.packed, lower, &mut x, together);
        let mut placed = Columns::zeros(n, b.cols);
        for j in 0..b.cols {
            (0..n).for_each(|i| placed.set(self.rows[i], j, x.at(i, j)));
        }
        placed
    }

    /// Whether rows were exchanged an odd number of times.
    fn is_odd(&self) -> bool {
        let mut seen = vec![false; self.rows.len()];
        let mut odd = false;
        for start in 0..self.rows.len() {
            let (mut at, mut length) = (start, 0);
            while !std::mem::replace(&mut seen[at], true) {
                at = self.rows[at];
                length += 1;
            }
            odd ^= length > 0 && length % 2 == 0;
        }
        odd
    }
}

/// X of A X = B, for an A that is not singular.
pub(crate) fn solved<T: Number>(a: Columns<T>, b: &Columns<T>) -> Columns<T> {
    match Factors::of(a, alone) {
        Ok(made) => made.solve(b, false, alone),
        Err(_) => Columns::zeros(b.rows, b.cols),
    }
}

/// Writes L and U in one matrix, and for each of their rows which row of A it is, as `i32` or `i64`.
///
/// # Safety
/// Both matrices are valid and square of one size, `packed` and `rows` are the caller's alone, with room for as many numbers as rows.
pub unsafe fn factor(
    field: Field,
    a: &Matrix,
    packed: &Matrix,
    rows: *mut u8,
    wide: bool,
    together: Together,
) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe {
        let made = Factors::of(Columns::<T>::read::<S>(a), together)?;
        if made.is_singular() {
            return Err(Refused::Singular);
        }
        made.packed.write::<S>(packed);
        for (i, &row) in made.rows.iter().enumerate() {
            match wide {
                true => rows.cast::<i64>().add(i).write(row as i64),
                false => rows.cast::<i32>().add(i).write(row as i32),
            }
        }
    });
    Ok(())
}

/// Writes X of A X = B, or of Aᴴ X = B.
///
/// # Safety
/// All matrices are valid, `a` is square of as many rows as the others, `x` is the caller's alone.
pub unsafe fn solve(
    field: Field,
    adjoint: bool,
    a: &Matrix,
    b: &Matrix,
    x: &Matrix,
    together: Together,
) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe {
        if let Some(done) = small::solve::<T, S>(adjoint, a, Some(b), x) {
            return done;
        }
        let made = Factors::of(Columns::<T>::read::<S>(a), together)?;
        if made.is_singular() {
            return Err(Refused::Singular);
        }
        made.solve(&Columns::read::<S>(b), adjoint, together).write::<S>(x);
    });
    Ok(())
}

/// Writes the inverse of A, or of Aᴴ.
///
/// # Safety
/// Both matrices are valid and square of one size, `x` is the caller's alone.
pub unsafe fn inverse(field: Field, adjoint: bool, a: &Matrix, x: &Matrix, together: Together) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe {
        if let Some(done) = small::solve::<T, S>(adjoint, a, None, x) {
            return done;
        }
        let made = Factors::of(Columns::<T>::read::<S>(a), together)?;
        if made.is_singular() {
            return Err(Refused::Singular);
        }
        made.solve(&Columns::identity(a.rows, a.rows), adjoint, together).write::<S>(x);
    });
    Ok(())
}

/// Writes the determinant, or its sign (a number of modulus 1, or 0) and the logarithm of its modulus.
///
/// # Safety
/// The matrix is valid and square; the numbers are 1 × 1 matrices that are the caller's alone.
pub unsafe fn determinant(
    field: Field,
    a: &Matrix,
    sign: &Matrix,
    logarithm: Option<&Matrix>,
    together: Together,
) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe { determinant_of::<T, S>(a, sign, logarithm, together) })
}

unsafe fn determinant_of<T: Number, S: Stored>(
    a: &Matrix,
    first: &Matrix,
    logarithm: Option<&Matrix>,
    together: Together,
) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    let made = Factors::of(unsafe { Columns::<T>::read::<S>(a) }, together)?;
    // Behind a pivot that is zero there are no more: what was divided by it is NaN.
    let known = (0..a.rows).position(|i| made.packed.at(i, i) == T::ZERO).map_or(a.rows, |zero| zero + 1);
    let pivots = || (0..known).map(|i| made.packed.at(i, i));
    let mut result = Columns::<T>::identity(1, 1);
    if made.is_odd() {
        result.set(0, 0, -T::ONE);
    }
    let Some(logarithm) = logarithm else {
        let product = pivots().fold(result.at(0, 0), |product, pivot| product * pivot);
        result.set(0, 0, product);
        // SAFETY: by the caller's promise.
        unsafe { result.write::<S>(first) };
        return Ok(());
    };
    let (mut sign, mut sum) = (result.at(0, 0), 0.0);
    for pivot in pivots() {
        let modulus = pivot.modulus();
        sign = match modulus {
            0.0 => T::ZERO,
            _ if T::COMPLEX => sign * pivot.times(1.0 / modulus),
            // Quotients would not be 1 to the last digit.
            _ => sign * T::of(pivot.re().signum(), 0.0),
        };
        sum += modulus.ln();
    }
    // SAFETY: by the caller's promise.
    unsafe {
        result.set(0, 0, sign);
        result.write::<S>(first);
        result.set(0, 0, T::of(sum, 0.0));
        result.write::<S>(logarithm);
    }
    Ok(())
}
