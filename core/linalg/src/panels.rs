//! LU of a large matrix by panels of columns: each is factored alone, and the columns behind it are brought up to date together.
//! The right-looking blocked algorithm of LAPACK's `getrf`; `lu.rs` calls it.

use crate::columns::{Columns, with_memory};
use crate::matrix::Refused;
use crate::number::Number;
use crate::together::{Apart, Together, WIDTH};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_unit_lower_triangular_in_place;
use faer::{Accum, MatMut, Par};

/// Columns of a panel: its factors are made by one thread, so narrow ones are good, and its products want many.
const PANEL: usize = 64;

/// L and U in place of the matrix, by partial pivoting; `rows[i]` is the row of the matrix that row `i` of them is.
pub(crate) fn lu<T: Number>(a: &mut Columns<T>, rows: &mut [usize], together: Together) -> Result<(), Refused> {
    let n = a.rows;
    rows.iter_mut().enumerate().for_each(|(i, row)| *row = i);
    let all = Apart::of(a);
    for first in (0..n).step_by(PANEL) {
        let end = (first + PANEL).min(n);
        // SAFETY: only this thread uses the matrix here.
        let panel = unsafe { all.columns(first..end) }.subrows_mut(first, n - first);
        let moved = factor(panel, &mut rows[first..])?;
        // SAFETY: the panel is only read until the next one.
        let panel = unsafe { all.columns(first..end) };
        let panel = panel.as_ref();
        let corner = panel.submatrix(first, 0, end - first, end - first);
        let below = panel.subrows(end, n - end);
        let behind = (n - end).div_ceil(WIDTH);
        // The columns behind it, which cost more, come first.
        together(behind + usize::from(first > 0), &|part| {
            let columns = if part < behind { end + part * WIDTH..(end + (part + 1) * WIDTH).min(n) } else { 0..first };
            // SAFETY: parts are apart, and none has columns of the panel.
            let mut columns = unsafe { all.columns(columns) }.subrows_mut(first, n - first);
            exchange(columns.as_mut(), &moved);
            if part < behind {
                let (mut top, rest) = columns.split_at_row_mut(end - first);
                solve_unit_lower_triangular_in_place(corner, top.as_mut(), Par::Seq);
                matmul(rest, Accum::Add, below, top.as_ref(), -T::ONE, Par::Seq);
            }
        });
    }
    Ok(())
}

/// Factors a panel, whose rows are the matrix's `rows`; answers which of its rows now hold which others.
fn factor<T: Number>(panel: MatMut<'_, T>, rows: &mut [usize]) -> Result<Vec<(usize, usize)>, Refused> {
    let (count, width) = (panel.nrows(), panel.ncols());
    let (mut order, mut back) = (vec![0usize; count], vec![0usize; count]);
    with_memory(lu_in_place_scratch::<usize, T>(count, width, Par::Seq, Default::default()), |stack| {
        lu_in_place(panel, &mut order, &mut back, Par::Seq, stack, Default::default());
    })?;
    let moved: Vec<_> = order.into_iter().enumerate().filter(|(to, from)| to != from).collect();
    let held: Vec<usize> = moved.iter().map(|&(_, from)| rows[from]).collect();
    moved.iter().zip(held).for_each(|(&(to, _), row)| rows[to] = row);
    Ok(moved)
}

/// The same exchange of rows in other columns.
fn exchange<T: Number>(mut columns: MatMut<'_, T>, moved: &[(usize, usize)]) {
    let mut held = Vec::with_capacity(moved.len());
    for j in 0..columns.ncols() {
        held.clear();
        held.extend(moved.iter().map(|&(_, from)| columns[(from, j)]));
        moved.iter().zip(&held).for_each(|(&(to, _), &x)| columns[(to, j)] = x);
    }
}
