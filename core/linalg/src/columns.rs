//! A matrix of one call in memory of its own, column by column as faer likes it, and the way from and to the caller's memory.
//! Every algorithm reads its operands into [`Columns`] and writes its results from them.

use crate::matrix::{Matrix, Refused};
use crate::number::{Number, Stored};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::{MatMut, MatRef};

/// One number of the caller's matrix.
///
/// # Safety
/// It lies inside the matrix, which is valid, with parts of type `S`.
#[inline(always)]
pub(crate) unsafe fn get<T: Number, S: Stored>(m: &Matrix, i: usize, j: usize) -> T {
    let at = |p: usize| i as isize * m.row_stride[p] + j as isize * m.col_stride[p];
    // SAFETY: by the caller's promise.
    unsafe {
        let im = if T::COMPLEX { (*m.im.cast::<S>().offset(at(1))).widen() } else { 0.0 };
        T::of((*m.re.cast::<S>().offset(at(0))).widen(), im)
    }
}

/// Writes one number of the caller's matrix.
///
/// # Safety
/// As [`get`], and nobody else touches it.
#[inline(always)]
pub(crate) unsafe fn put<T: Number, S: Stored>(m: &Matrix, i: usize, j: usize, x: T) {
    let at = |p: usize| i as isize * m.row_stride[p] + j as isize * m.col_stride[p];
    // SAFETY: by the caller's promise.
    unsafe {
        m.re.cast::<S>().offset(at(0)).write(S::narrow(x.re()));
        if !m.im.is_null() {
            m.im.cast::<S>().offset(at(1)).write(S::narrow(x.im()));
        }
    }
}

/// A matrix, column by column.
pub(crate) struct Columns<T> {
    data: Vec<T>,
    pub rows: usize,
    pub cols: usize,
    /// From column to column.
    pub step: usize,
}

/// Rows and columns that are read together where the caller's matrix lies row by row.
const TILE: usize = 16;

impl<T: Number> Columns<T> {
    pub fn zeros(rows: usize, cols: usize) -> Self {
        // Columns a multiple of 4 KiB apart would fall into the same sets of the cache.
        let step = if rows >= 64 && rows.is_multiple_of(64) { rows + 8 } else { rows.max(1) };
        Self { data: vec![T::ZERO; step * cols], rows, cols, step }
    }

    pub fn identity(rows: usize, cols: usize) -> Self {
        let mut all = Self::zeros(rows, cols);
        (0..rows.min(cols)).for_each(|i| all.set(i, i, T::ONE));
        all
    }

    /// The caller's matrix, or its conjugate transpose.
    ///
    /// # Safety
    /// The matrix is valid, with parts of type `S`.
    pub unsafe fn read<S: Stored>(m: &Matrix) -> Self {
        let mut all = Self::zeros(m.rows, m.cols);
        for j0 in (0..m.cols).step_by(TILE) {
            for i0 in (0..m.rows).step_by(TILE) {
                for j in j0..(j0 + TILE).min(m.cols) {
                    for i in i0..(i0 + TILE).min(m.rows) {
                        // SAFETY: inside the matrix, by the caller's promise.
                        all.data[i + j * all.step] = unsafe { get::<T, S>(m, i, j) };
                    }
                }
            }
        }
        all
    }

    /// Writes the upper left part of these numbers that the caller's matrix has room for.
    ///
    /// # Safety
    /// The matrix is valid, with parts of type `S`, and nobody else touches it.
    pub unsafe fn write<S: Stored>(&self, m: &Matrix) {
        for i0 in (0..m.rows).step_by(TILE) {
            for j0 in (0..m.cols).step_by(TILE) {
                for i in i0..(i0 + TILE).min(m.rows) {
                    for j in j0..(j0 + TILE).min(m.cols) {
                        // SAFETY: inside the matrix, by the caller's promise.
                        unsafe { put::<T, S>(m, i, j, self.data[i + j * self.step]) };
                    }
                }
            }
        }
    }

    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> T {
        self.data[i + j * self.step]
    }

    #[inline(always)]
    pub fn set(&mut self, i: usize, j: usize, x: T) {
        self.data[i + j * self.step] = x;
    }

    pub fn fill(&mut self, x: T) {
        self.data.fill(x);
    }

    pub fn is_finite(&self) -> bool {
        (0..self.cols).all(|j| self.data[j * self.step..j * self.step + self.rows].iter().all(|x| x.finite()))
    }

    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.data.as_mut_ptr()
    }

    pub fn view(&self) -> MatRef<'_, T> {
        MatRef::from_column_major_slice_with_stride(&self.data, self.rows, self.cols, self.step)
    }

    pub fn view_mut(&mut self) -> MatMut<'_, T> {
        MatMut::from_column_major_slice_with_stride_mut(&mut self.data, self.rows, self.cols, self.step)
    }
}

/// Runs an algorithm of faer with the memory it asks for.
pub(crate) fn with_memory<R>(wanted: StackReq, run: impl FnOnce(&mut MemStack) -> R) -> Result<R, Refused> {
    let mut memory = MemBuffer::try_new(wanted).map_err(|_| Refused::NoMemory)?;
    Ok(run(MemStack::new(&mut memory)))
}
