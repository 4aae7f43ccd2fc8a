//! Systems with a triangular matrix, or with its conjugate transpose.
//! The operation `triangular_solve` calls it, and so do the solvers of this crate.

use crate::columns::Columns;
use crate::matrix::{Field, Matrix, Refused, for_field};
use crate::number::Number;
use crate::small;
use faer::linalg::triangular_solve as by_faer;
use faer::{Conj, Par};

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
) -> Result<(), Refused> {
    // SAFETY: by the caller's promise.
    for_field!(field, T, S => unsafe {
        let a = Columns::<T>::read::<S>(a);
        let mut all = Columns::<T>::read::<S>(b);
        solve_in_place(&a, kind, &mut all);
        all.write::<S>(x);
    });
    Ok(())
}

/// Replaces the right hand sides by the solution.
pub(crate) fn solve_in_place<T: Number>(a: &Columns<T>, kind: Triangle, x: &mut Columns<T>) {
    if a.rows <= small::SIZE {
        return small::triangular_solve(a, kind.lower, kind.adjoint, kind.unit, x);
    }
    let conj = if kind.adjoint { Conj::Yes } else { Conj::No };
    let read = if kind.adjoint { a.view().transpose() } else { a.view() };
    match (kind.lower != kind.adjoint, kind.unit) {
        (true, false) => by_faer::solve_lower_triangular_in_place_with_conj(read, conj, x.view_mut(), Par::Seq),
        (true, true) => by_faer::solve_unit_lower_triangular_in_place_with_conj(read, conj, x.view_mut(), Par::Seq),
        (false, false) => by_faer::solve_upper_triangular_in_place_with_conj(read, conj, x.view_mut(), Par::Seq),
        (false, true) => by_faer::solve_unit_upper_triangular_in_place_with_conj(read, conj, x.view_mut(), Par::Seq),
    }
}
