//! Copies between strided views, and sums of one into another; single rows for the tile machine.
//! `execute` and plans make inputs dense with [`copy_shared`], and movement operations copy the parts of their chunks.

mod operand;
#[cfg(test)]
mod tests;
mod transposed;

pub use operand::worth_transposing;

use super::indexed_rows::{Write, change};
#[cfg(target_arch = "x86_64")]
use super::isa::Isa;
use super::merge_dims::collapse;
use super::{View, part, thread_pool};
use crate::dtype::{Complex, DType, bf16, f16};
use crate::shape::MAX_RANK;
use ndarray::{ArrayView, ArrayViewMut, IxDyn, ShapeBuilder};
use smallvec::SmallVec;
use std::ops::Range;

/// Copies `n` elements that lie `stride` elements apart into a dense row.
///
/// # Safety
/// Source and target are valid for these elements, aligned to `size` (to 8 for elements of 16 bytes), and apart.
pub unsafe fn strided_row(size: usize, from: *const u8, stride: isize, to: *mut u8, n: usize) {
    // Elements of eight bytes gain nothing by longer vectors.
    #[cfg(target_arch = "x86_64")]
    if size <= 4 && n >= WORTH_LONG_VECTORS && Isa::current() != Isa::Portable {
        // SAFETY: by the caller's promise; every set but the portable one has AVX2.
        return unsafe { strided_row_avx2(size, from, stride, to, n) };
    }
    // SAFETY: by the caller's promise.
    unsafe { strided_row_of(size, from, stride, to, n) }
}

/// [`strided_row`] in vectors of 32 bytes: elements of one byte take a twentieth of the time, of two a half to a fifth.
///
/// # Safety
/// As [`strided_row`]; the processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn strided_row_avx2(size: usize, from: *const u8, stride: isize, to: *mut u8, n: usize) {
    // SAFETY: by the caller's promise.
    unsafe { strided_row_of(size, from, stride, to, n) }
}

/// The loops of [`strided_row`], compiled for the instructions of whoever calls.
///
/// # Safety
/// As [`strided_row`].
#[inline(always)]
unsafe fn strided_row_of(size: usize, from: *const u8, stride: isize, to: *mut u8, n: usize) {
    /// # Safety
    /// As the outer function, for elements of type `T`.
    #[inline(always)]
    unsafe fn by<T: Copy>(from: *const T, stride: isize, to: *mut T, n: usize) {
        // A closure would not have the caller's instructions.
        for i in 0..n {
            // SAFETY: by the caller's promise.
            unsafe { *to.add(i) = *from.offset(i as isize * stride) };
        }
    }
    /// # Safety
    /// As the outer function, for elements of type `T`.
    #[inline(always)]
    unsafe fn row<T: Copy>(from: *const T, stride: isize, to: *mut T, n: usize) {
        // SAFETY: by the caller's promise. Rows whose stride is known take whole vectors.
        unsafe {
            match stride {
                -1 => by(from, -1, to, n),
                0 => by(from, 0, to, n),
                2 => by(from, 2, to, n),
                3 => by(from, 3, to, n),
                4 => by(from, 4, to, n),
                _ => by(from, stride, to, n),
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

/// Elements from which a row is worth the call for longer vectors.
#[cfg(target_arch = "x86_64")]
const WORTH_LONG_VECTORS: usize = 16;
/// Bytes that one chunk of a shared copy moves, about.
const CHUNK: usize = 256 * 1024;
/// Bytes of a run from which on it is worth a call that copies memory.
const RUN: usize = 32;
/// Bytes of a copy from which on it is written past the caches, which would not hold it for whoever reads it.
pub(super) const PAST_CACHES: usize = 4 << 20;

/// Copies a view into another of the same dims and dtype on this thread; each may have any strides.
///
/// # Safety
/// Both views are valid, the target's elements are distinct and not read by anyone else meanwhile.
pub unsafe fn copy(from: &View, to: &View) {
    if let Some(pair) = Pair::of(from, to) {
        // SAFETY: by the caller's promise.
        unsafe { pair.copy(from.dtype.size()) };
    }
}

/// As [`copy`], on as many threads as the elements are worth.
///
/// # Safety
/// As [`copy`].
pub unsafe fn copy_shared(from: &View, to: &View) {
    /// Chunks write disjoint parts of the target.
    struct Shared(Pair);
    // SAFETY: a pair is addresses with a shape, whose contract the caller of `copy_shared` keeps.
    unsafe impl Sync for Shared {}

    let Some(pair) = Pair::of(from, to) else { return };
    let size = from.dtype.size();
    let cut = pair.cut(pair.bytes.div_ceil(CHUNK).min(64));
    let len = pair.dims[cut.axis];
    let shared = Shared(pair);
    thread_pool::run(&[cut.chunks], &|_, chunk| {
        let Shared(pair) = &shared;
        let own = part(len, chunk, cut.chunks, cut.grain);
        if !own.is_empty() {
            // SAFETY: by the caller's promise; this part of the views is written by no other chunk.
            unsafe { pair.slab(cut.axis, own, size).copy(size) };
        }
    });
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
    /// Of the whole copy, also in a part of it.
    bytes: usize,
}

/// Parts of one axis.
struct Cut {
    axis: usize,
    chunks: usize,
    grain: usize,
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
        let bytes = from.len() * from.dtype.size();
        Some(Self { dims: SmallVec::from_slice(&space.dims), from: from.ptr, to: to.ptr, strides, bytes })
    }

    /// Whether both are dense, one element after the other.
    fn is_run(&self) -> bool {
        self.dims.len() == 1 && self.strides[0][0] == 1 && self.strides[1][0] == 1
    }

    /// How about `chunks` parts are cut: along the axis whose parts lie farthest apart in the target, if it has enough of them.
    fn cut(&self, chunks: usize) -> Cut {
        let of = |axis: usize| {
            // Parts of an axis that is dense on one side have whole lines of the cache.
            let grain = if self.strides.iter().any(|strides| strides[axis] == 1) { 32 } else { 1 };
            Cut { axis, chunks: chunks.min(self.dims[axis].div_ceil(grain)), grain }
        };
        let cuts = || (0..self.dims.len()).map(of);
        let enough = cuts().filter(|cut| cut.chunks >= chunks.min(8));
        let far = enough.max_by_key(|cut| self.strides[1][cut.axis].unsigned_abs());
        far.or_else(|| cuts().max_by_key(|cut| cut.chunks)).unwrap_or_else(|| of(0))
    }

    /// The indices `range` of one axis, for elements of `size` bytes.
    fn slab(&self, axis: usize, range: Range<usize>, size: usize) -> Self {
        let skipped = |operand: usize| self.strides[operand][axis] * (range.start * size) as isize;
        let (from, to) = (self.from.wrapping_offset(skipped(0)), self.to.wrapping_offset(skipped(1)));
        let mut dims = self.dims.clone();
        dims[axis] = range.len();
        Self { dims, from, to, ..*self }
    }

    /// # Safety
    /// As [`copy`], for elements of `size` bytes.
    unsafe fn copy(&self, size: usize) {
        // SAFETY: by the caller's promise.
        unsafe {
            match size {
                1 => self.copy_as::<u8>(),
                2 => self.copy_as::<u16>(),
                4 => self.copy_as::<u32>(),
                8 => self.copy_as::<u64>(),
                16 => self.copy_as::<[u64; 2]>(),
                _ => {}
            }
        }
    }

    /// # Safety
    /// As [`copy`], for elements of type `T`.
    unsafe fn copy_as<T: Copy>(&self) {
        let dense = |operand: usize| (0..self.dims.len()).find(|&axis| self.strides[operand][axis] == 1);
        // SAFETY: by the caller's promise; runs and planes lie in the views, apart.
        unsafe {
            match (dense(0), dense(1)) {
                (Some(a), Some(b)) if a == b && self.dims[a] * size_of::<T>() >= RUN => {
                    self.over::<T>(&[a], |from, to| std::ptr::copy_nonoverlapping(from, to, self.dims[a]));
                }
                (Some(a), Some(b)) if a != b => {
                    let plane = transposed::Plane {
                        dims: [self.dims[a], self.dims[b]],
                        from_stride: self.strides[0][b],
                        to_stride: self.strides[1][a],
                        past_caches: self.bytes >= PAST_CACHES,
                    };
                    self.over::<T>(&[a, b], |from, to| plane.copy(from, to));
                }
                (None, Some(b)) if self.dims[b] * size_of::<T>() >= RUN => self.over::<T>(&[b], |from, to| {
                    strided_row(size_of::<T>(), from.cast(), self.strides[0][b], to.cast(), self.dims[b]);
                }),
                _ => self.each::<T>(|to, from| *to = from),
            }
        }
    }

    /// Calls `visit` with the first elements for every index of all axes but those of `inner`.
    fn over<T>(&self, inner: &[usize], mut visit: impl FnMut(*const T, *mut T)) {
        let outer: SmallVec<[usize; MAX_RANK]> = (0..self.dims.len()).filter(|axis| !inner.contains(axis)).collect();
        let mut index = [0usize; MAX_RANK];
        let (mut from, mut to) = (self.from.cast::<T>(), self.to.cast::<T>());
        loop {
            visit(from, to);
            let Some(&axis) = outer.iter().rev().find(|&&axis| {
                index[axis] += 1;
                let ends = index[axis] == self.dims[axis];
                if ends {
                    index[axis] = 0;
                    let back = 1 - self.dims[axis] as isize;
                    from = from.wrapping_offset(self.strides[0][axis] * back);
                    to = to.wrapping_offset(self.strides[1][axis] * back);
                }
                !ends
            }) else {
                return;
            };
            from = from.wrapping_offset(self.strides[0][axis]);
            to = to.wrapping_offset(self.strides[1][axis]);
        }
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
