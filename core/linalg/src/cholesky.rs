//! A = L Lᴴ of a Hermitian, positive definite matrix, of which the lower triangle is read.
//! The operation `cholesky` calls it; a matrix that is not positive definite gives NaN, as TensorFlow's does on a CPU.

use crate::columns::{Columns, with_memory};
use crate::matrix::{Field, Matrix, Refused, for_field};
use crate::number::{Number, Stored};
use crate::small;
use faer::Par;
use faer::linalg::cholesky::llt::factor;

/// Writes L, with zeros above the diagonal.
///
/// # Safety
/// Both matrices are valid and square of one size, `l` is the caller's alone.
pub unsafe fn cholesky(field: Field, a: &Matrix, l: &Matrix) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe {
        match a.rows {
            2 => small::cholesky_rows::<T, S, 2>(a, l),
            3 => small::cholesky_rows::<T, S, 3>(a, l),
            4 => small::cholesky_rows::<T, S, 4>(a, l),
            _ => return typed::<T, S>(a, l),
        }
    });
    Ok(())
}

unsafe fn typed<T: Number, S: Stored>(a: &Matrix, l: &Matrix) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    let mut all = unsafe { Columns::<T>::read::<S>(a) };
    let n = all.rows;
    let is_definite = if n <= small::SIZE {
        small::cholesky(&mut all)
    } else {
        let wanted = factor::cholesky_in_place_scratch::<T>(n, Par::Seq, Default::default());
        with_memory(wanted, |stack| {
            factor::cholesky_in_place(all.view_mut(), Default::default(), Par::Seq, stack, Default::default()).is_ok()
        })?
    };
    let is_definite = is_definite && (0..n).all(|i| all.at(i, i).finite());
    for j in 0..n {
        (0..j).for_each(|i| all.set(i, j, T::ZERO));
        if !is_definite {
            (j..n).for_each(|i| all.set(i, j, T::nan()));
        }
    }
    // SAFETY: by the caller's promise.
    unsafe { all.write::<S>(l) };
    Ok(())
}
