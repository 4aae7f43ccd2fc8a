//! A = Q R by Householder's reflections, and A = U S Vᴴ, the singular value decomposition.
//! The operations `qr` and `svd` call these.

use crate::columns::{Columns, with_memory};
use crate::matrix::{Field, Matrix, Refused, for_field};
use crate::number::{Number, Stored};
use faer::diag::DiagMut;
use faer::linalg::householder as reflections;
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch, recommended_block_size};
use faer::linalg::svd::{ComputeSvdVectors, svd as svd_by_faer, svd_scratch};
use faer::{Conj, Par};

/// Writes Q, as many columns of it as `q` has, and R, as many rows of it as `r` has.
///
/// # Safety
/// All matrices are valid, `q` and `r` are the caller's alone; `q` has as many rows as `a`, `r` as many columns, and `q` as many columns
/// as `r` has rows, at least those of the smaller side of `a`.
pub unsafe fn qr(field: Field, a: &Matrix, q: &Matrix, r: &Matrix) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe { qr_of::<T, S>(a, q, r) })
}

unsafe fn qr_of<T: Number, S: Stored>(a: &Matrix, q: &Matrix, r: &Matrix) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    let mut all = unsafe { Columns::<T>::read::<S>(a) };
    let (m, n) = (all.rows, all.cols);
    let size = m.min(n);
    let mut basis = Columns::<T>::identity(m, q.cols);
    if size > 0 {
        let block = recommended_block_size::<T>(m, n);
        let mut coefficients = Columns::<T>::zeros(block, size);
        let wanted = qr_in_place_scratch::<T>(m, n, block, Par::Seq, Default::default());
        with_memory(wanted, |stack| {
            qr_in_place(all.view_mut(), coefficients.view_mut(), Par::Seq, stack, Default::default());
        })?;
        let wanted = reflections::apply_block_householder_sequence_on_the_left_in_place_scratch::<T>(m, block, q.cols);
        with_memory(wanted, |stack| {
            reflections::apply_block_householder_sequence_on_the_left_in_place_with_conj(
                all.view().get(.., ..size),
                coefficients.view(),
                Conj::No,
                basis.view_mut(),
                Par::Seq,
                stack,
            );
        })?;
    }
    for j in 0..n {
        (j + 1..m).for_each(|i| all.set(i, j, T::ZERO));
    }
    if T::COMPLEX {
        // The diagonal of R is real, of the sign against the first number that was reflected.
        for k in 0..size {
            let head = all.at(k, k);
            let modulus = head.modulus();
            if modulus == 0.0 || !head.finite() {
                continue;
            }
            let wanted = if head.re() <= 0.0 { -modulus } else { modulus };
            let turn = head.times(1.0 / wanted);
            (k..n).for_each(|j| all.set(k, j, all.at(k, j) * turn.conjugate()));
            (0..m).for_each(|i| basis.set(i, k, basis.at(i, k) * turn));
        }
    }
    // SAFETY: by the caller's promise.
    unsafe {
        basis.write::<S>(q);
        all.write::<S>(r);
    }
    Ok(())
}

/// Writes the singular values, one column of real numbers in descending order, and with them U and V if they are wanted.
///
/// # Safety
/// All matrices are valid, the results the caller's alone; `u` and `v` have as many columns as rows, or as `a`'s smaller side.
pub unsafe fn svd(field: Field, a: &Matrix, s: &Matrix, vectors: Option<(&Matrix, &Matrix)>) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe { svd_of::<T, S>(a, s, vectors) })
}

unsafe fn svd_of<T: Number, S: Stored>(
    a: &Matrix,
    s: &Matrix,
    vectors: Option<(&Matrix, &Matrix)>,
) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    let all = unsafe { Columns::<T>::read::<S>(a) };
    let (m, n) = (a.rows, a.cols);
    let size = m.min(n);
    let mut values = Columns::<T>::zeros(size, 1);
    let sizes = vectors.map_or((0, 0), |(u, v)| (u.cols, v.cols));
    let (mut u, mut v) = (Columns::<T>::identity(m, sizes.0), Columns::<T>::identity(n, sizes.1));
    let kind = |cols: usize, rows: usize| match vectors {
        None => ComputeSvdVectors::No,
        Some(_) if cols == rows => ComputeSvdVectors::Full,
        Some(_) => ComputeSvdVectors::Thin,
    };
    let mut found = all.is_finite();
    if size > 0 && found {
        let wanted = svd_scratch::<T>(m, n, kind(sizes.0, m), kind(sizes.1, n), Par::Seq, Default::default());
        found = with_memory(wanted, |stack| {
            let is_wanted = vectors.is_some();
            let mut diagonal = vec![T::ZERO; size];
            let result = svd_by_faer(
                all.view(),
                DiagMut::from_slice_mut(&mut diagonal),
                is_wanted.then(|| u.view_mut()),
                is_wanted.then(|| v.view_mut()),
                Par::Seq,
                stack,
                Default::default(),
            );
            diagonal.into_iter().enumerate().for_each(|(i, x)| values.set(i, 0, x));
            result.is_ok()
        })?;
    }
    if !found {
        [&mut values, &mut u, &mut v].into_iter().for_each(|x| x.fill(T::nan()));
    }
    // SAFETY: by the caller's promise.
    unsafe {
        values.write::<S>(s);
        if let Some((to_u, to_v)) = vectors {
            u.write::<S>(to_u);
            v.write::<S>(to_v);
        }
    }
    Ok(())
}
