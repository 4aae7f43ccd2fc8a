//! Blocks of an operand as the products read them: where they lie, or widened and copied to rows of unit stride.
//! Both directions of attention ask for their blocks here.

use super::Number;
use crate::backend::cpu::gemm::Factor;
use crate::backend::cpu::view::View;
use crate::dtype::{DType, bf16, f16};

/// The matrix of one head: its first element, strides in elements, and the type that lies there.
#[derive(Clone, Copy)]
pub(super) struct Matrix {
    at: *const u8,
    dtype: DType,
    rows: isize,
    columns: isize,
}

impl Matrix {
    /// The last two dimensions of a view from element `start` on; dimensions of size 1 stand for all.
    pub fn new(view: &View, start: isize) -> Self {
        let stride = |back: usize| match view.rank().checked_sub(back) {
            Some(axis) if view.dims()[axis] != 1 => view.strides()[axis],
            _ => 0,
        };
        let at = view.ptr.wrapping_offset(start * view.dtype.size() as isize);
        Self { at, dtype: view.dtype, rows: stride(2), columns: stride(1) }
    }

    /// As [`Self::new`], of an operand whose rows are elements that products run over.
    pub fn of_rows(view: &View, start: isize) -> Self {
        let one = view.dims()[view.rank() - 1] == 1;
        Self { columns: if one { 1 } else { view.strides()[view.rank() - 1] }, ..Self::new(view, start) }
    }

    /// Whether blocks must be copied to be read as rows of unit stride in the type that is computed in.
    pub fn must_move(&self) -> bool {
        self.dtype != self.dtype.compute() || self.columns != 1
    }

    fn row(&self, row: usize) -> *const u8 {
        self.at.wrapping_offset(row as isize * self.rows * self.dtype.size() as isize)
    }

    /// Element `[row, column]`.
    ///
    /// # Safety
    /// The matrix has it.
    #[inline(always)]
    pub unsafe fn element<T: Number>(&self, row: usize, column: usize) -> T {
        let place = row as isize * self.rows + column as isize * self.columns;
        // SAFETY: by the caller's promise.
        unsafe {
            match self.dtype {
                DType::F16 => T::of_single(self.at.cast::<f16>().offset(place).read().to_f32()),
                DType::BF16 => T::of_single(self.at.cast::<bf16>().offset(place).read().to_f32()),
                _ => self.at.cast::<T>().offset(place).read(),
            }
        }
    }

    /// Whether element `[row, column]`, a truth value, is true.
    ///
    /// # Safety
    /// The matrix has it.
    #[inline(always)]
    pub unsafe fn holds(&self, row: usize, column: usize) -> bool {
        // SAFETY: by the caller's promise.
        unsafe { *self.at.offset(row as isize * self.rows + column as isize * self.columns) != 0 }
    }

    /// Whether all rows are one.
    pub fn is_one_row(&self) -> bool {
        self.rows == 0
    }

    /// Writes `count` rows from `first` on as rows of unit stride, times `scale`.
    ///
    /// # Safety
    /// The matrix has the rows, and `to` room for them.
    pub unsafe fn copy<T: Number>(&self, first: usize, [count, width]: [usize; 2], scale: T, to: *mut T) {
        for row in 0..count {
            let from = self.row(first + row);
            // SAFETY: the row lies in the matrix and in the copy.
            unsafe {
                let to = std::slice::from_raw_parts_mut(to.add(row * width), width);
                macro_rules! each {
                    ($s:ty, $wide:expr) => {
                        if self.columns == 1 {
                            // Neighbours, which go through vectors.
                            let from = std::slice::from_raw_parts(from.cast::<$s>(), width);
                            to.iter_mut().zip(from).for_each(|(to, &value)| *to = $wide(value) * scale);
                        } else {
                            for (i, to) in to.iter_mut().enumerate() {
                                let value: $s = from.cast::<$s>().offset(i as isize * self.columns).read();
                                *to = $wide(value) * scale;
                            }
                        }
                    };
                }
                match self.dtype {
                    DType::F16 => each!(f16, |v: f16| T::of_single(v.to_f32())),
                    DType::BF16 => each!(bf16, |v: bf16| T::of_single(v.to_f32())),
                    _ => each!(T, |v| v),
                }
            }
        }
    }

    /// A block of rows as a factor: where it lies, or copied to `room`.
    ///
    /// # Safety
    /// The matrix has the rows, and `room` has room for them if the matrix must move.
    pub unsafe fn block<T: Number>(&self, first: usize, [count, width]: [usize; 2], room: *mut T) -> Factor<T> {
        if self.must_move() {
            // SAFETY: by the caller's promise.
            unsafe { self.copy(first, [count, width], T::ONE, room) };
            return Factor { at: room, rows: width as isize, columns: 1 };
        }
        Factor { at: self.row(first).cast(), rows: self.rows, columns: 1 }
    }
}

/// Writes a row of results times `scale` to a dense output of its dtype.
///
/// # Safety
/// The output has `row.len()` elements from `place` on, which nobody else uses.
pub(super) unsafe fn write<T: Number>(row: &[T], scale: T, out: &View, place: usize, narrow: impl Fn(T) -> f32) {
    macro_rules! each {
        ($s:ty, $narrow:expr) => {{
            // SAFETY: by the caller's promise.
            let to = unsafe { std::slice::from_raw_parts_mut(out.ptr.cast::<$s>().add(place), row.len()) };
            for (to, &value) in to.iter_mut().zip(row) {
                *to = $narrow(value * scale);
            }
        }};
    }
    match out.dtype {
        DType::F16 => each!(f16, |v| f16::from_f32(narrow(v))),
        DType::BF16 => each!(bf16, |v| bf16::from_f32(narrow(v))),
        _ => each!(T, |v| v),
    }
}
