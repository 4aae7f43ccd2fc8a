//! Systems with a triangular matrix, or with its conjugate transpose.
//! The operation `triangular_solve` calls it, and so do the solvers of this crate.

use crate::columns::Columns;
use crate::matrix::{Field, Matrix, Refused, for_field};
use crate::number::Number;
use crate::small;
use crate::together::{Apart, LARGE, Together, for_parts};
use faer::linalg::triangular_solve as by_faer;
use faer::{Conj, MatMut, Par};

/// Which triangle is read, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Triangle {
    /// The lower one; else the upper one.
    pub lower: bool,
    /// As its conjugate transpose.
    pub adjoint: bool,
    /// With ones on the diagonal, whatever stands there.
    pub unit: bool,
}

/// Writes X of A X = B, or of Aᴴ X = B.
///
/// # Safety
/// All matrices are valid, `a` is square of as many rows as the others, `x` is the caller's alone.
pub unsafe fn triangular_solve(
    field: Field,
    kind: Triangle,
    a: &Matrix,
    b: &Matrix,
    x: &Matrix,
    together: Together,
) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe {
        let a = Columns::<T>::read::<S>(a);
        let mut all = Columns::<T>::read::<S>(b);
        solve_together(&a, kind, &mut all, together);
        all.write::<S>(x);
    });
    Ok(())
}

/// Replaces the right hand sides by the solution.
pub(crate) fn solve_in_place<T: Number>(a: &Columns<T>, kind: Triangle, x: &mut Columns<T>) {
    if a.rows <= small::SIZE {
        return small::triangular_solve(a, kind.lower, kind.adjoint, kind.unit, x);
    }
    solve_columns(a, kind, x.view_mut());
}

/// The same for columns of a large matrix, by parts that do not depend on the number of threads.
pub(crate) fn solve_together<T: Number>(a: &Columns<T>, kind: Triangle, x: &mut Columns<T>, together: Together) {
    if a.rows < LARGE {
        return solve_in_place(a, kind, x);
    }
    let all = 0..x.cols;
    let x = Apart::of(x);
    // SAFETY: parts are apart.
    for_parts(all, a.rows, together, &|part| solve_columns(a, kind, unsafe { x.columns(part) }));
}

fn solve_columns<T: Number>(a: &Columns<T>, kind: Triangle, x: MatMut<'_, T>) {
    let conj = if kind.adjoint { Conj::Yes } else { Conj::No };
    let read = if kind.adjoint { a.view().transpose() } else { a.view() };
    match (kind.lower != kind.adjoint, kind.unit) {
        (true, false) => by_faer::solve_lower_triangular_in_place_with_conj(read, conj, x, Par::Seq),
        (true, true) => by_faer::solve_unit_lower_triangular_in_place_with_conj(read, conj, x, Par::Seq),
        (false, false) => by_faer::solve_upper_triangular_in_place_with_conj(read, conj, x, Par::Seq),
        (false, true) => by_faer::solve_unit_upper_triangular_in_place_with_conj(read, conj, x, Par::Seq),
    }
}
