//! Lines of a strided tensor on their way to a buffer and back, some of them together so that columns are read by whole cache lines.
//! The passes of `fourier` transform what lies in the buffer.

use super::plans::Real;
use crate::shape::MAX_RANK;
use num_complex::Complex;
use smallvec::SmallVec;

/// Real and imaginary parts of a tensor, or real numbers alone, by raw pointer.
pub(super) struct Side<T> {
    pub re: *mut T,
    /// Null where there are none.
    pub im: *mut T,
    pub dims: SmallVec<[usize; MAX_RANK]>,
    /// In numbers of `T`, of both parts.
    pub strides: [SmallVec<[isize; MAX_RANK]>; 2],
}

/// Where the parts of some lines begin, in numbers from the first one of the tensor.
pub(super) type Starts = SmallVec<[[isize; 2]; 32]>;

impl<T: Real> Side<T> {
    /// Dense complex numbers.
    pub fn complex(at: *mut Complex<T>, dims: &[usize]) -> Self {
        let mut strides: SmallVec<[isize; MAX_RANK]> = SmallVec::from_elem(2, dims.len());
        for axis in (1..dims.len()).rev() {
            strides[axis - 1] = strides[axis] * dims[axis] as isize;
        }
        let re = at.cast::<T>();
        Self { re, im: re.wrapping_add(1), dims: dims.into(), strides: [strides.clone(), strides] }
    }

    /// Whether the parts of each number lie side by side, and numbers along an axis too.
    fn is_packed(&self, axis: usize) -> bool {
        std::ptr::eq(self.im, self.re.wrapping_add(1))
            && self.strides[0] == self.strides[1]
            && self.strides[0][axis] == 2
    }

    /// Where lines `first..first + count` along an axis begin; they are numbered in row-major order of the other axes.
    pub fn starts(&self, axis: usize, first: usize, count: usize, starts: &mut Starts) {
        starts.clear();
        let rank = self.dims.len();
        let mut index: SmallVec<[usize; MAX_RANK]> = SmallVec::from_elem(0, rank);
        let mut rest = first;
        for other in (0..rank).rev().filter(|&other| other != axis) {
            index[other] = rest % self.dims[other];
            rest /= self.dims[other];
        }
        let place = |strides: &[isize], index: &[usize]| -> isize {
            strides.iter().zip(index).map(|(stride, &i)| stride * i as isize).sum()
        };
        let mut at = [place(&self.strides[0], &index), place(&self.strides[1], &index)];
        for _ in 0..count {
            starts.push(at);
            for other in (0..rank).rev().filter(|&other| other != axis) {
                index[other] += 1;
                let end = index[other] == self.dims[other];
                let steps = if end { 1 - self.dims[other] as isize } else { 1 };
                at[0] += steps * self.strides[0][other];
                at[1] += steps * self.strides[1][other];
                if !end {
                    break;
                }
                index[other] = 0;
            }
        }
    }

    /// Brings `count` complex numbers of each line to `to`, whose lines are `length` apart, and zeros behind them.
    ///
    /// # Safety
    /// The lines are inside the tensor, and `to` has room for them.
    pub unsafe fn gather(&self, axis: usize, starts: &Starts, count: usize, length: usize, to: *mut Complex<T>) {
        let [step, step_im] = [self.strides[0][axis], self.strides[1][axis]];
        // SAFETY: by the caller's promise.
        unsafe {
            if self.is_packed(axis) {
                for (line, start) in starts.iter().enumerate() {
                    let from = self.re.offset(start[0]).cast::<Complex<T>>();
                    std::ptr::copy_nonoverlapping(from, to.add(line * length), count);
                }
            } else if self.im.is_null() {
                each(starts.len(), count, step, |line, i| {
                    let re = *self.re.offset(starts[line][0] + i as isize * step);
                    to.add(line * length + i).write(Complex::new(re, T::zero()));
                });
            } else {
                each(starts.len(), count, step, |line, i| {
                    let re = *self.re.offset(starts[line][0] + i as isize * step);
                    let im = *self.im.offset(starts[line][1] + i as isize * step_im);
                    to.add(line * length + i).write(Complex::new(re, im));
                });
            }
            clear(starts.len(), count, length, to);
        }
    }

    /// The same for the real parts.
    ///
    /// # Safety
    /// As [`Self::gather`].
    pub unsafe fn gather_real(&self, axis: usize, starts: &Starts, count: usize, length: usize, to: *mut T) {
        let step = self.strides[0][axis];
        // SAFETY: by the caller's promise.
        unsafe {
            each(starts.len(), count, step, |line, i| {
                to.add(line * length + i).write(*self.re.offset(starts[line][0] + i as isize * step));
            });
            clear(starts.len(), count, length, to);
        }
    }

    /// Brings the first `count` complex numbers of each line at `from` back, times `scale`, and zeros to where lines go on up to `size`.
    ///
    /// # Safety
    /// The lines are inside the tensor up to `size`, and `from` has them `length` apart.
    pub unsafe fn scatter(
        &self,
        axis: usize,
        starts: &Starts,
        [count, size]: [usize; 2],
        length: usize,
        from: *const Complex<T>,
        scale: T,
    ) {
        let [step, step_im] = [self.strides[0][axis], self.strides[1][axis]];
        // SAFETY: by the caller's promise.
        unsafe {
            if self.is_packed(axis) && scale == T::one() {
                for (line, start) in starts.iter().enumerate() {
                    let to = self.re.offset(start[0]).cast::<Complex<T>>();
                    std::ptr::copy_nonoverlapping(from.add(line * length), to, count);
                }
            } else {
                each(starts.len(), count, step, |line, i| {
                    let z = *from.add(line * length + i);
                    *self.re.offset(starts[line][0] + i as isize * step) = z.re * scale;
                    *self.im.offset(starts[line][1] + i as isize * step_im) = z.im * scale;
                });
            }
            each(starts.len(), size - count, step, |line, i| {
                *self.re.offset(starts[line][0] + (count + i) as isize * step) = T::zero();
                *self.im.offset(starts[line][1] + (count + i) as isize * step_im) = T::zero();
            });
        }
    }

    /// The same for real numbers.
    ///
    /// # Safety
    /// As [`Self::scatter`].
    pub unsafe fn scatter_real(
        &self,
        axis: usize,
        starts: &Starts,
        [count, size]: [usize; 2],
        length: usize,
        from: *const T,
        scale: T,
    ) {
        let step = self.strides[0][axis];
        // SAFETY: by the caller's promise.
        unsafe {
            each(starts.len(), count, step, |line, i| {
                *self.re.offset(starts[line][0] + i as isize * step) = *from.add(line * length + i) * scale;
            });
            each(starts.len(), size - count, step, |line, i| {
                *self.re.offset(starts[line][0] + (count + i) as isize * step) = T::zero();
            });
        }
    }
}

/// Zeros behind the first `count` numbers of each line.
unsafe fn clear<N>(lines: usize, count: usize, length: usize, to: *mut N) {
    if count < length {
        // SAFETY: by the callers' promise; zeros in all bytes are the number zero.
        (0..lines).for_each(|line| unsafe { to.add(line * length + count).write_bytes(0, length - count) });
    }
}

/// Numbers of a line that are moved before the next line has its turn, where lines are columns: about a cache line of them.
const TILE: usize = 8;

/// Calls for the first `count` numbers of each line: line by line where a line's numbers lie side by side, else in tiles.
#[inline(always)]
fn each(lines: usize, count: usize, step: isize, mut one: impl FnMut(usize, usize)) {
    if lines == 1 || step.unsigned_abs() <= 2 {
        for line in 0..lines {
            (0..count).for_each(|i| one(line, i));
        }
        return;
    }
    for first in (0..count).step_by(TILE) {
        let last = (first + TILE).min(count);
        for line in 0..lines {
            (first..last).for_each(|i| one(line, i));
        }
    }
}
