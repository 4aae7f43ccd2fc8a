//! Copies of strided elements into row-major order, element by element or, where a transposed operand lies the other way
//! round, by tiles. The door brings tensors into order here, products and convolutions their factors.

use super::call::{CudaCall, Strided, THREADS, grid};
use super::elementwise::space_of;
use super::program::Kernel;
use crate::backend::cpu::View;
use crate::backend::cpu::collapse::Collapsed;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::shape::MAX_RANK;
use smallvec::SmallVec;

/// Elements of a tile along either side.
const TILE: usize = 32;
/// The shortest sides that are worth tiles.
const SHORT: usize = 8;

/// Copies elements into row-major order.
///
/// # Safety
/// As `run_program`; the views have one dtype and shape, and the second is dense.
pub(crate) unsafe fn copy(call: &CudaCall<'_>, from: &View, to: &View) -> Result<()> {
    let bytes = to.len() * to.dtype.size();
    if bytes == 0 {
        return Ok(());
    }
    if from.is_dense() {
        // SAFETY: by the caller's promise.
        return unsafe { call.gpu.copy(to.ptr.addr() as u64, from.ptr.addr() as u64, bytes) };
    }
    let space = space_of(to.dims(), std::slice::from_ref(from));
    let unsigned = match from.dtype.size() {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        8 => DType::U64,
        other => return Err(Error::internal(call.op, format!("elements of {other} bytes"))),
    };
    if let Some(turned) = Turned::of(&space) {
        // SAFETY: by the caller's promise.
        return unsafe { turned.copy(call, unsigned, from, to) };
    }
    let strides: SmallVec<[isize; MAX_RANK]> = (0..space.dims.len()).map(|axis| space.stride(axis, 0)).collect();
    // SAFETY: by the caller's promise.
    unsafe {
        call.elements(&COPY, &[unsigned], to.len(), |arguments| {
            arguments.view(from);
            arguments.value(Strided::new(&space.dims, &strides));
            arguments.view(to);
        })
    }
}

static COPY: Kernel = Kernel {
    name: "copy",
    text: r#"
extern "C" __global__ void copy(index_t count, const T0* from, Strided layout, T0* to) {
  ELEMENTS(i, count) to[i] = from[place(layout, i)];
}
"#,
};

/// A source whose neighbours lie along another dimension than the innermost one.
struct Turned {
    /// Elements along the source's neighbours, and along the innermost dimension.
    across: usize,
    inner: usize,
    /// How far the source's elements lie apart along the innermost dimension, and the target's across it.
    stride: isize,
    row: isize,
    /// The other dimensions: sizes, strides of the source and of the target.
    dims: SmallVec<[usize; MAX_RANK]>,
    from: SmallVec<[isize; MAX_RANK]>,
    to: SmallVec<[isize; MAX_RANK]>,
}

impl Turned {
    /// The operand of a space, where tiles serve it better than single elements.
    fn of(space: &Collapsed) -> Option<Self> {
        let last = space.dims.len().checked_sub(1)?;
        let neighbours = |&axis: &usize| space.stride(axis, 0) == 1 && space.dims[axis] >= SHORT;
        if space.stride(last, 0) == 1 || space.dims[last] < SHORT {
            return None;
        }
        let across = (0..last).find(neighbours)?;
        let dense = |axis: usize| space.dims[axis + 1..].iter().product::<usize>() as isize;
        let others = || (0..last).filter(|&axis| axis != across);
        Some(Self {
            across: space.dims[across],
            inner: space.dims[last],
            stride: space.stride(last, 0),
            row: dense(across),
            dims: others().map(|axis| space.dims[axis]).collect(),
            from: others().map(|axis| space.stride(axis, 0)).collect(),
            to: others().map(dense).collect(),
        })
    }

    /// # Safety
    /// As [`copy`].
    unsafe fn copy(&self, call: &CudaCall<'_>, unsigned: DType, from: &View, to: &View) -> Result<()> {
        let (across, inner) = (self.across.div_ceil(TILE), self.inner.div_ceil(TILE));
        let tiles = self.dims.iter().product::<usize>() * across * inner;
        // SAFETY: by the caller's promise; the arguments are those of the text.
        unsafe {
            call.launch(&TURN, &[unsigned], grid(tiles, THREADS), |arguments| {
                arguments.view(from);
                arguments.view(to);
                arguments.sizes(&[tiles, across, inner, self.across, self.inner]);
                arguments.value(self.stride as i64);
                arguments.value(self.row as i64);
                arguments.value(Strided::new(&self.dims, &self.from));
                arguments.value(Strided::new(&self.dims, &self.to));
            })
        }
    }
}

static TURN: Kernel = Kernel { name: "turn", text: concat!(include_str!("divided.cuh"), include_str!("turn.cuh")) };
