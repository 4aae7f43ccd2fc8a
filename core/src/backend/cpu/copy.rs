//! Copies from strided to dense memory: whole views, and single rows for the tile machine.
//! The door makes inputs dense with it, and movement operations are calls of it.

use super::View;
use super::collapse::collapse;
use crate::shape::MAX_RANK;
use ndarray::{ArrayView, ArrayViewMut, IxDyn, ShapeBuilder};

/// Copies `n` elements that lie `stride` elements apart into a dense row.
///
/// # Safety
/// Source and target are valid for these elements, aligned to `size`, and apart.
pub(crate) unsafe fn strided_row(size: usize, from: *const u8, stride: isize, to: *mut u8, n: usize) {
    /// # Safety
    /// As the outer function, for elements of type `T`.
    unsafe fn row<T: Copy>(from: *const T, stride: isize, to: *mut T, n: usize) {
        // SAFETY: by the caller's promise. A reversed row whose stride is known takes whole vectors.
        unsafe {
            match stride {
                -1 => (0..n).for_each(|i| *to.add(i) = *from.sub(i)),
                _ => (0..n).for_each(|i| *to.add(i) = *from.offset(i as isize * stride)),
            }
        }
    }
    // SAFETY: by the caller's promise.
    unsafe {
        match size {
            1 => row(from, stride, to, n),
            2 => row::<u16>(from.cast(), stride, to.cast(), n),
            4 => row::<u32>(from.cast(), stride, to.cast(), n),
            _ => row::<u64>(from.cast(), stride, to.cast(), n),
        }
    }
}

/// Copies a view into another of the same dims and dtype; each may have any strides.
///
/// # Safety
/// Both views are valid, the target's elements are distinct and not read by anyone else meanwhile.
pub(crate) unsafe fn copy(from: &View, to: &View) {
    debug_assert_eq!((from.dims(), from.dtype), (to.dims(), to.dtype));
    if from.len() == 0 {
        return;
    }
    let stride = |operand: usize, axis: usize| if operand == 0 { from.strides()[axis] } else { to.strides()[axis] };
    let space = collapse(from.dims(), 2, stride, |_, _| true);
    let mut strides = [[0isize; MAX_RANK]; 2];
    for (operand, strides) in strides.iter_mut().enumerate() {
        (0..space.dims.len()).for_each(|axis| strides[axis] = space.stride(axis, operand));
    }
    // SAFETY: by the caller's promise.
    unsafe {
        match from.dtype.size() {
            1 => assign::<u8>(&space.dims, from.ptr, &strides[0], to.ptr, &strides[1]),
            2 => assign::<u16>(&space.dims, from.ptr, &strides[0], to.ptr, &strides[1]),
            4 => assign::<u32>(&space.dims, from.ptr, &strides[0], to.ptr, &strides[1]),
            8 => assign::<u64>(&space.dims, from.ptr, &strides[0], to.ptr, &strides[1]),
            _ => {}
        }
    }
}

/// # Safety
/// As [`copy`], for collapsed dims.
unsafe fn assign<T: Copy>(dims: &[usize], from: *const u8, from_strides: &[isize], to: *mut u8, to_strides: &[isize]) {
    let rank = dims.len();
    if rank == 1 && from_strides[0] == 1 && to_strides[0] == 1 {
        // SAFETY: dense runs of the same length, apart by the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from.cast::<T>(), to.cast::<T>(), dims[0]) };
        return;
    }
    // ndarray counts strides as unsigned numbers, so axes that run backwards start at their other end.
    let (mut from, mut to) = (from.cast::<T>(), to.cast::<T>());
    let (mut a, mut b) = ([0usize; MAX_RANK], [0usize; MAX_RANK]);
    let mut flips = 0u32;
    for axis in 0..rank {
        let reach = dims[axis] as isize - 1;
        if from_strides[axis] < 0 {
            from = from.wrapping_offset(from_strides[axis] * reach);
        }
        if to_strides[axis] < 0 {
            to = to.wrapping_offset(to_strides[axis] * reach);
        }
        a[axis] = from_strides[axis].unsigned_abs();
        b[axis] = to_strides[axis].unsigned_abs();
        // Both axes backwards cancel out.
        if (from_strides[axis] < 0) != (to_strides[axis] < 0) {
            flips |= 1 << axis;
        }
    }
    // SAFETY: valid views by the caller's promise, with the pointers moved to the lowest addresses.
    unsafe {
        let mut source = ArrayView::from_shape_ptr(IxDyn(dims).strides(IxDyn(&a[..rank])), from);
        let mut target = ArrayViewMut::from_shape_ptr(IxDyn(dims).strides(IxDyn(&b[..rank])), to);
        for axis in 0..rank {
            if flips >> axis & 1 == 1 {
                source.invert_axis(ndarray::Axis(axis));
            }
        }
        target.assign(&source);
    }
}
