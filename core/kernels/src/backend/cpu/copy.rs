//! Copies between strided views, and sums of one into another; single rows for the tile machine.
//! `execute` makes inputs dense with it, and movement operations are calls of it.

use super::View;
use super::indexed_rows::{Write, change};
use super::merge_dims::collapse;
use crate::dtype::{Complex, DType, bf16, f16};
use crate::shape::MAX_RANK;
use ndarray::{ArrayView, ArrayViewMut, IxDyn, ShapeBuilder};
use smallvec::SmallVec;

/// Copies `n` elements that lie `stride` elements apart into a dense row.
///
/// # Safety
/// Source and target are valid for these elements, aligned to `size` (to 8 for elements of 16 bytes), and apart.
pub unsafe fn strided_row(size: usize, from: *const u8, stride: isize, to: *mut u8, n: usize) {
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
            16 => row::<[u64; 2]>(from.cast(), stride, to.cast(), n),
            _ => row::<u64>(from.cast(), stride, to.cast(), n),
        }
    }
}

/// Copies a view into another of the same dims and dtype; each may have any strides.
///
/// # Safety
/// Both views are valid, the target's elements are distinct and not read by anyone else meanwhile.
pub unsafe fn copy(from: &View, to: &View) {
    let Some(pair) = Pair::of(from, to) else { return };
    if pair.is_run() {
        // SAFETY: dense runs of the same length, apart by the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(from.ptr, to.ptr, pair.dims[0] * from.dtype.size()) };
        return;
    }
    // SAFETY: by the caller's promise.
    unsafe {
        match from.dtype.size() {
            1 => pair.each::<u8>(|to, from| *to = from),
            2 => pair.each::<u16>(|to, from| *to = from),
            4 => pair.each::<u32>(|to, from| *to = from),
            8 => pair.each::<u64>(|to, from| *to = from),
            16 => pair.each::<[u64; 2]>(|to, from| *to = from),
            _ => {}
        }
    }
}

/// Adds a view to another of the same dims and dtype; each may have any strides. Integers wrap; truth values are joined by or.
///
/// # Safety
/// As [`copy`].
pub unsafe fn add(from: &View, to: &View) {
    let Some(pair) = Pair::of(from, to) else { return };
    if pair.is_run() {
        // SAFETY: dense runs of the same length, apart by the caller's promise.
        unsafe { change(Write::Add, from.dtype, to.ptr, from.ptr, pair.dims[0]) };
        return;
    }
    // SAFETY: by the caller's promise.
    unsafe {
        match from.dtype {
            DType::F32 => pair.each::<f32>(|to, from| *to += from),
            DType::F64 => pair.each::<f64>(|to, from| *to += from),
            DType::F16 => pair.each::<f16>(|to, from| *to += from),
            DType::BF16 => pair.each::<bf16>(|to, from| *to += from),
            // Wrapping sums have the same bits for signed and unsigned numbers.
            DType::I8 | DType::U8 => pair.each::<u8>(|to, from| *to = to.wrapping_add(from)),
            DType::I16 | DType::U16 => pair.each::<u16>(|to, from| *to = to.wrapping_add(from)),
            DType::I32 | DType::U32 => pair.each::<u32>(|to, from| *to = to.wrapping_add(from)),
            DType::I64 | DType::U64 => pair.each::<u64>(|to, from| *to = to.wrapping_add(from)),
            DType::Bool => pair.each::<u8>(|to, from| *to |= from),
            DType::C64 => pair.each::<Complex<f32>>(|to, from| *to += from),
            DType::C128 => pair.each::<Complex<f64>>(|to, from| *to += from),
            DType::Resource | DType::Variant | DType::String => {}
        }
    }
}

/// Two views of the same dims, walked together over as few dimensions as they allow.
struct Pair {
    dims: SmallVec<[usize; MAX_RANK]>,
    from: *const u8,
    to: *mut u8,
    strides: [[isize; MAX_RANK]; 2],
}

impl Pair {
    /// `None` if there are no elements.
    fn of(from: &View, to: &View) -> Option<Self> {
        debug_assert_eq!((from.dims(), from.dtype), (to.dims(), to.dtype));
        if from.is_empty() {
            return None;
        }
        let stride = |operand: usize, axis: usize| if operand == 0 { from.strides()[axis] } else { to.strides()[axis] };
        let space = collapse(from.dims(), 2, stride, |_, _| true);
        let mut strides = [[0isize; MAX_RANK]; 2];
        for (operand, strides) in strides.iter_mut().enumerate() {
            (0..space.dims.len()).for_each(|axis| strides[axis] = space.stride(axis, operand));
        }
        Some(Self { dims: SmallVec::from_slice(&space.dims), from: from.ptr, to: to.ptr, strides })
    }

    /// Whether both are dense, one element after the other.
    fn is_run(&self) -> bool {
        self.dims.len() == 1 && self.strides[0][0] == 1 && self.strides[1][0] == 1
    }

    /// Calls `combine` for each element of the target with that of the source.
    ///
    /// # Safety
    /// As [`copy`], for elements of type `T`.
    unsafe fn each<T: Copy>(&self, combine: impl Fn(&mut T, T)) {
        let rank = self.dims.len();
        // ndarray counts strides as unsigned numbers, so axes that run backwards start at their other end.
        let (mut from, mut to) = (self.from.cast::<T>(), self.to.cast::<T>());
        let (mut a, mut b) = ([0usize; MAX_RANK], [0usize; MAX_RANK]);
        let mut flips = 0u32;
        for axis in 0..rank {
            let reach = self.dims[axis] as isize - 1;
            let [from_stride, to_stride] = [self.strides[0][axis], self.strides[1][axis]];
            if from_stride < 0 {
                from = from.wrapping_offset(from_stride * reach);
            }
            if to_stride < 0 {
                to = to.wrapping_offset(to_stride * reach);
            }
            a[axis] = from_stride.unsigned_abs();
            b[axis] = to_stride.unsigned_abs();
            // Both axes backwards cancel out.
            if (from_stride < 0) != (to_stride < 0) {
                flips |= 1 << axis;
            }
        }
        let dims = &self.dims[..];
        // SAFETY: valid views by the caller's promise, with the pointers moved to the lowest addresses.
        unsafe {
            let mut source = ArrayView::from_shape_ptr(IxDyn(dims).strides(IxDyn(&a[..rank])), from);
            let mut target = ArrayViewMut::from_shape_ptr(IxDyn(dims).strides(IxDyn(&b[..rank])), to);
            for axis in 0..rank {
                if flips >> axis & 1 == 1 {
                    source.invert_axis(ndarray::Axis(axis));
                }
            }
            target.zip_mut_with(&source, |to, from| combine(to, *from));
        }
    }
}
