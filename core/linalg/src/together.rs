//! How an algorithm shares out columns of one large matrix among threads that are not its own.
//! The factors, solutions and eigenvectors of large matrices use it; the engine gives its thread pool.

use crate::columns::Columns;
use crate::number::Number;
use faer::MatMut;
use std::marker::PhantomData;
use std::ops::Range;

/// Runs a task once for each number below the first argument, in any order, on any threads.
pub type Together = fn(usize, &(dyn Fn(usize) + Sync));

/// On this thread alone.
pub(crate) fn alone(parts: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..parts).for_each(task);
}

/// Rows from which on a matrix is worth several threads.
pub(crate) const LARGE: usize = 256;
/// Columns of one part. It does not depend on the number of threads, so that results do not either.
pub(crate) const WIDTH: usize = 128;

/// A matrix of whose columns several threads change different ones.
pub(crate) struct Apart<'a, T> {
    at: *mut T,
    rows: usize,
    step: usize,
    of: PhantomData<&'a mut T>,
}

// SAFETY: `columns` is unsafe, and whoever calls it keeps parts apart.
unsafe impl<T: Send> Sync for Apart<'_, T> {}

impl<'a, T: Number> Apart<'a, T> {
    pub fn of(all: &'a mut Columns<T>) -> Self {
        let (rows, step) = (all.rows, all.step);
        Self { at: all.as_mut_ptr(), rows, step, of: PhantomData }
    }

    /// Some columns.
    ///
    /// # Safety
    /// The matrix has them, and nobody else uses them meanwhile.
    #[allow(clippy::mut_from_ref, reason = "parts are apart by the caller's promise")]
    pub unsafe fn columns(&self, range: Range<usize>) -> MatMut<'_, T> {
        // SAFETY: by the caller's promise; columns lie `step` apart.
        unsafe {
            let first = self.at.add(range.start * self.step);
            MatMut::from_raw_parts_mut(first, self.rows, range.len(), 1, self.step as isize)
        }
    }
}

/// Calls `task` for parts of `columns`, of a large matrix together.
pub(crate) fn for_parts(columns: Range<usize>, rows: usize, together: Together, task: &(dyn Fn(Range<usize>) + Sync)) {
    if rows < LARGE || columns.len() <= WIDTH {
        return task(columns);
    }
    together(columns.len().div_ceil(WIDTH), &|part| {
        let first = columns.start + part * WIDTH;
        task(first..(first + WIDTH).min(columns.end));
    });
}
