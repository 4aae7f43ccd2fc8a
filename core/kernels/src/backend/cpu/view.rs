//! What a kernel is given: strided views by raw pointer, scratch memory, and its part of the work.
//! `execute` fills them for eager calls; a plan fills them from its arena.

use super::Isa;
use crate::dtype::{DType, Element};
use crate::shape::MAX_RANK;

/// A strided view of elements, by raw pointer because an output may lie over an input.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The first element.
    pub ptr: *mut u8,
    pub dtype: DType,
    rank: u8,
    dims: [usize; MAX_RANK],
    /// In elements.
    strides: [isize; MAX_RANK],
}

// SAFETY: a view is an address with a shape; whoever runs a kernel over it from several threads keeps its contract.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl View {
    pub fn new(ptr: *mut u8, dtype: DType, dims: &[usize], strides: &[isize]) -> Self {
        let mut view = Self { ptr, dtype, rank: dims.len() as u8, dims: [1; MAX_RANK], strides: [0; MAX_RANK] };
        view.dims[..dims.len()].copy_from_slice(dims);
        view.strides[..dims.len()].copy_from_slice(&strides[..dims.len()]);
        view
    }

    /// A row-major view.
    pub fn dense(ptr: *mut u8, dtype: DType, dims: &[usize]) -> Self {
        let mut view = Self { ptr, dtype, rank: dims.len() as u8, dims: [1; MAX_RANK], strides: [0; MAX_RANK] };
        view.dims[..dims.len()].copy_from_slice(dims);
        crate::shape::contiguous_strides(dims, &mut view.strides);
        view
    }

    #[inline]
    pub fn rank(&self) -> usize {
        self.rank as usize
    }

    #[inline]
    pub fn dims(&self) -> &[usize] {
        &self.dims[..self.rank as usize]
    }

    #[inline]
    pub fn strides(&self) -> &[isize] {
        &self.strides[..self.rank as usize]
    }

    pub fn len(&self) -> usize {
        self.dims().iter().product()
    }

    pub fn is_empty(&self) -> bool {
        self.dims().contains(&0)
    }

    /// Whether the elements lie in row-major order without gaps.
    pub fn is_dense(&self) -> bool {
        let mut expected = 1;
        for (&d, &s) in self.dims().iter().zip(self.strides()).rev() {
            if d == 0 {
                return true;
            }
            if d != 1 {
                if s != expected {
                    return false;
                }
                expected *= d as isize;
            }
        }
        true
    }

    /// `len` elements of a dense view from element `start` on, as one dimension.
    pub fn part(&self, start: usize, len: usize) -> Self {
        debug_assert!(self.is_dense() && start + len <= self.len());
        Self::dense(self.ptr.wrapping_add(start * self.dtype.size()), self.dtype, &[len])
    }

    /// The same layout at another address.
    pub fn at(&self, ptr: *mut u8) -> Self {
        Self { ptr, ..*self }
    }

    /// The indices `range` of one axis.
    pub fn slab(&self, axis: usize, range: std::ops::Range<usize>) -> Self {
        let mut slab = *self;
        slab.ptr = self.ptr.wrapping_offset(range.start as isize * self.strides[axis] * self.dtype.size() as isize);
        slab.dims[axis] = range.len();
        slab
    }

    /// The first element as a typed pointer.
    #[inline]
    pub fn as_ptr<T: Element>(&self) -> *mut T {
        debug_assert_eq!(self.dtype, T::DTYPE);
        self.ptr.cast()
    }

    /// The elements of a dense view.
    ///
    /// # Safety
    /// The view is dense and valid, and nobody writes it while the slice lives.
    pub unsafe fn as_slice<'a, T: Element>(&self) -> &'a [T] {
        debug_assert!(self.is_dense());
        // SAFETY: by the caller's promise; the pointer of an empty view may dangle but is aligned.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.len()) }
    }

    /// Reads integers of any integer dtype, as axes and shapes come: in row-major order.
    ///
    /// # Safety
    /// The view is valid.
    pub unsafe fn integers(&self) -> Vec<i64> {
        let mut out = Vec::with_capacity(self.len());
        crate::backend::cpu::merge_dims::for_each_offset(self.dims(), self.strides(), |offset| {
            // SAFETY: the offset lies inside the view.
            let value = unsafe {
                match self.dtype {
                    DType::I8 => i64::from(*self.ptr.cast::<i8>().offset(offset)),
                    DType::I16 => i64::from(*self.ptr.cast::<i16>().offset(offset)),
                    DType::I32 => i64::from(*self.ptr.cast::<i32>().offset(offset)),
                    DType::I64 => *self.ptr.cast::<i64>().offset(offset),
                    DType::U8 | DType::Bool => i64::from(*self.ptr.offset(offset)),
                    DType::U16 => i64::from(*self.ptr.cast::<u16>().offset(offset)),
                    DType::U32 => i64::from(*self.ptr.cast::<u32>().offset(offset)),
                    DType::U64 => *self.ptr.cast::<u64>().offset(offset) as i64,
                    _ => 0,
                }
            };
            out.push(value);
        });
        out
    }
}

/// One call of a kernel.
pub struct CpuCall<'a> {
    pub inputs: &'a [View],
    pub outputs: &'a [View],
    /// As many bytes as [`Work::scratch`] asked for, aligned to 64; null when none.
    pub scratch: *mut u8,
    pub isa: Isa,
}

impl CpuCall<'_> {
    /// Whether the output lies over input `index`, as `Op::overwrites` allows it. The same when a call
    /// is planned and when it runs.
    #[inline]
    pub fn lies_over(&self, index: usize) -> bool {
        std::ptr::eq(self.inputs[index].ptr, self.outputs[0].ptr)
    }
}

// SAFETY: kernels share the call between the threads of one job, each working on its own chunks.
unsafe impl Sync for CpuCall<'_> {}

/// The most phases of a call.
pub const PHASES: usize = 5;

/// How the work of a call splits, never by the number of threads. What results depend on follows from shapes alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    /// Bytes of scratch memory, aligned to 64; its contents stay from phase to phase.
    pub scratch: usize,
    /// Independent chunks per phase, with a barrier between phases; a phase of 0 chunks is skipped and keeps its number.
    pub phases: [usize; PHASES],
}

impl Work {
    /// One chunk, no scratch.
    pub const SERIAL: Self = Self { scratch: 0, phases: [1, 0, 0, 0, 0] };

    /// One phase of `chunks` parts, no scratch.
    pub const fn chunks(chunks: usize) -> Self {
        Self { scratch: 0, phases: [if chunks == 0 { 1 } else { chunks }, 0, 0, 0, 0] }
    }
}

/// Elements `chunk` of `chunks` takes of `len`, in runs that are multiples of `align`.
pub fn part(len: usize, chunk: usize, chunks: usize, align: usize) -> std::ops::Range<usize> {
    let step = len.div_ceil(chunks).next_multiple_of(align);
    (chunk * step).min(len)..((chunk + 1) * step).min(len)
}
