//! Eigenvalues and eigenvectors: of Hermitian matrices, and of any.
//! The operations `eigh` and `eig` call these.

use crate::columns::{Columns, with_memory};
use crate::matrix::{Field, Matrix, Refused, for_field};
use crate::number::{Number, Stored};
use crate::together::{Apart, LARGE, Together, for_parts};
use faer::diag::{DiagMut, DiagRef};
use faer::linalg::evd;
use faer::linalg::evd::tridiag::{tridiag_in_place, tridiag_in_place_scratch};
use faer::linalg::evd::{ComputeEigenvectors, EvdParams, SchurParams};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as turn_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as turn,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Auto, Conj, Par, Spec};
use faer_traits::ComplexField;
use num_complex::Complex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

fn wanted(vectors: bool) -> ComputeEigenvectors {
    if vectors { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No }
}

/// What the algorithm for any matrix is told.
fn parameters<T: ComplexField>() -> Spec<EvdParams, T> {
    let mut all = Spec::<EvdParams, T>::default();
    all.schur.recommended_deflation_window = deflation_window;
    all
}

/// Rows in which converged eigenvalues are looked for before each sweep. Where faer is built without `std`, its own number for 150 to 589
/// rows is 0 by mistake: the logarithm of a quotient instead of the quotient by a logarithm. That costs two thirds of the time.
extern "C" fn deflation_window(n: usize, active: usize) -> usize {
    match n {
        150..590 => (n as f64 / (n as f64).log2()) as usize,
        _ => (<SchurParams as Auto<f64>>::auto().recommended_deflation_window)(n, active),
    }
}

/// Writes the eigenvalues of a Hermitian matrix, of which the lower triangle is read: one column of real numbers in ascending order,
/// and the eigenvectors as columns.
///
/// # Safety
/// All matrices are valid, `a` and `v` square of one size, the results the caller's alone.
pub unsafe fn eigh(
    field: Field,
    a: &Matrix,
    e: &Matrix,
    v: Option<&Matrix>,
    together: Together,
) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe { eigh_of::<T, S>(a, e, v, together) })
}

unsafe fn eigh_of<T: Number, S: Stored>(
    a: &Matrix,
    e: &Matrix,
    v: Option<&Matrix>,
    together: Together,
) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    let mut all = unsafe { Columns::<T>::read::<S>(a) };
    let n = a.rows;
    for j in 0..n {
        (0..j).for_each(|i| all.set(i, j, all.at(j, i).conjugate()));
        if T::COMPLEX {
            all.set(j, j, T::of(all.at(j, j).re(), 0.0));
        }
    }
    let mut vectors = Columns::<T>::identity(n, if v.is_some() { n } else { 0 });
    let mut values = Columns::<T>::zeros(n, 1);
    let mut found = all.is_finite();
    if n == 1 {
        values.set(0, 0, all.at(0, 0));
    } else if n >= LARGE && v.is_some() && found {
        found = by_steps(&mut all, &mut values, &mut vectors, together)?;
    } else if n > 1 && found {
        let memory = evd::self_adjoint_evd_scratch::<T>(n, wanted(v.is_some()), Par::Seq, Default::default());
        let mut diagonal = vec![T::ZERO; n];
        found = with_memory(memory, |stack| {
            evd::self_adjoint_evd(
                all.view(),
                DiagMut::from_slice_mut(&mut diagonal),
                v.is_some().then(|| vectors.view_mut()),
                Par::Seq,
                stack,
                Default::default(),
            )
            .is_ok()
        })?;
        diagonal.into_iter().enumerate().for_each(|(i, x)| values.set(i, 0, x));
    }
    if !found {
        values.fill(T::nan());
        vectors.fill(T::nan());
    }
    // SAFETY: by the caller's promise.
    unsafe {
        values.write::<S>(e);
        if let Some(v) = v {
            vectors.write::<S>(v);
        }
    }
    Ok(())
}

/// Eigenvalues and eigenvectors of a large Hermitian matrix in faer's three steps: it becomes tridiagonal, that is solved, and the
/// vectors are turned back, which is a third of the work and whose columns know nothing of each other.
fn by_steps<T: Number>(
    all: &mut Columns<T>,
    values: &mut Columns<T>,
    vectors: &mut Columns<T>,
    together: Together,
) -> Result<bool, Refused> {
    let n = all.rows;
    let block = recommended_block_size::<T>(n, n);
    let mut turns = Columns::<T>::zeros(block, n - 1);
    with_memory(tridiag_in_place_scratch::<T>(n, Par::Seq, Default::default()), |stack| {
        tridiag_in_place(all.view_mut(), turns.view_mut(), Par::Seq, stack, Default::default());
    })?;
    let mut diagonal: Vec<T> = (0..n).map(|i| all.at(i, i)).collect();
    let beside: Vec<T> = (0..n).map(|i| if i + 1 < n { all.at(i + 1, i) } else { T::ZERO }).collect();
    let memory = evd::self_adjoint_evd_scratch::<T>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    let found = with_memory(memory, |stack| {
        let given = diagonal.clone();
        evd::tridiagonal_self_adjoint_evd(
            DiagRef::from_slice(&given),
            DiagRef::from_slice(&beside),
            DiagMut::from_slice_mut(&mut diagonal),
            Some(vectors.view_mut()),
            Par::Seq,
            stack,
            Default::default(),
        )
        .is_ok()
    })?;
    diagonal.into_iter().enumerate().for_each(|(i, x)| values.set(i, 0, x));
    let refused = AtomicBool::new(false);
    let vectors = Apart::of(vectors);
    for_parts(0..n, n, together, &|part| {
        let memory = turn_scratch::<T>(n - 1, block, part.len());
        let turned = with_memory(memory, |stack| {
            // SAFETY: parts are apart.
            let columns = unsafe { vectors.columns(part.clone()) }.subrows_mut(1, n - 1);
            let basis = all.view().submatrix(1, 0, n - 1, n - 1);
            turn(basis, turns.view(), Conj::No, columns, Par::Seq, stack);
        });
        refused.fetch_or(turned.is_err(), Relaxed);
    });
    if refused.into_inner() { Err(Refused::NoMemory) } else { Ok(found) }
}

/// Writes the eigenvalues of any square matrix, a column of complex numbers, and its right eigenvectors, columns of norm 1.
///
/// # Safety
/// All matrices are valid, `a` and `v` square of one size, the results complex and the caller's alone.
pub unsafe fn eig(field: Field, a: &Matrix, e: &Matrix, v: Option<&Matrix>) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    unsafe {
        match field {
            Field::F32 => eig_real::<f32>(a, e, v),
            Field::F64 => eig_real::<f64>(a, e, v),
            Field::C32 => eig_complex::<f32>(a, e, v),
            Field::C64 => eig_complex::<f64>(a, e, v),
        }
    }
}

unsafe fn eig_real<S: Stored>(a: &Matrix, e: &Matrix, v: Option<&Matrix>) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    let all = unsafe { Columns::<f64>::read::<S>(a) };
    let n = a.rows;
    let mut packed = Columns::<f64>::identity(n, if v.is_some() { n } else { 0 });
    let (mut re, mut im) = (vec![0.0; n], vec![0.0; n]);
    if !all.is_finite() {
        return Err(Refused::Diverged);
    }
    match n {
        0 => {}
        1 => re[0] = all.at(0, 0),
        _ => {
            let no = ComputeEigenvectors::No;
            let memory = evd::evd_scratch::<f64>(n, no, wanted(v.is_some()), Par::Seq, parameters());
            with_memory(memory, |stack| {
                evd::evd_real(
                    all.view(),
                    DiagMut::from_slice_mut(&mut re),
                    DiagMut::from_slice_mut(&mut im),
                    None,
                    v.is_some().then(|| packed.view_mut()),
                    Par::Seq,
                    stack,
                    parameters(),
                )
            })?
            .map_err(|_| Refused::Diverged)?;
        }
    }
    let mut vectors = Columns::<Complex<f64>>::zeros(n, packed.cols);
    let mut j = 0;
    while j < packed.cols {
        // A pair of conjugate eigenvalues has real and imaginary part of the first one's vector in two columns.
        let pair = im[j] != 0.0 && j + 1 < n;
        for i in 0..n {
            let (x, y) = (packed.at(i, j), if pair { packed.at(i, j + 1) } else { 0.0 });
            vectors.set(i, j, Complex::new(x, y));
            if pair {
                vectors.set(i, j + 1, Complex::new(x, -y));
            }
        }
        j += if pair { 2 } else { 1 };
    }
    let values = re.into_iter().zip(im).map(|(x, y)| Complex::new(x, y)).collect();
    // SAFETY: by the caller's promise.
    unsafe { give::<S>(values, vectors, e, v) };
    Ok(())
}

unsafe fn eig_complex<S: Stored>(a: &Matrix, e: &Matrix, v: Option<&Matrix>) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    let all = unsafe { Columns::<Complex<f64>>::read::<S>(a) };
    let n = a.rows;
    let mut vectors = Columns::<Complex<f64>>::identity(n, if v.is_some() { n } else { 0 });
    let mut values = vec![Complex::ZERO; n];
    if !all.is_finite() {
        return Err(Refused::Diverged);
    }
    match n {
        0 => {}
        1 => values[0] = all.at(0, 0),
        _ => {
            let no = ComputeEigenvectors::No;
            let memory = evd::evd_scratch::<Complex<f64>>(n, no, wanted(v.is_some()), Par::Seq, parameters());
            with_memory(memory, |stack| {
                evd::evd_cplx::<f64>(
                    all.view(),
                    DiagMut::from_slice_mut(&mut values),
                    None,
                    v.is_some().then(|| vectors.view_mut()),
                    Par::Seq,
                    stack,
                    parameters(),
                )
            })?
            .map_err(|_| Refused::Diverged)?;
        }
    }
    // SAFETY: by the caller's promise.
    unsafe { give::<S>(values, vectors, e, v) };
    Ok(())
}

/// # Safety
/// As of [`eig`].
unsafe fn give<S: Stored>(
    values: Vec<Complex<f64>>,
    mut vectors: Columns<Complex<f64>>,
    e: &Matrix,
    v: Option<&Matrix>,
) {
    for j in 0..vectors.cols {
        let norm = (0..vectors.rows).map(|i| vectors.at(i, j).norm_sqr()).sum::<f64>().sqrt();
        (0..vectors.rows).for_each(|i| vectors.set(i, j, vectors.at(i, j) / norm));
    }
    let mut column = Columns::<Complex<f64>>::zeros(values.len(), 1);
    values.into_iter().enumerate().for_each(|(i, x)| column.set(i, 0, x));
    // SAFETY: by the caller's promise.
    unsafe {
        column.write::<S>(e);
        if let Some(v) = v {
            vectors.write::<S>(v);
        }
    }
}
