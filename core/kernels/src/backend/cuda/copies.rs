//! Copies of strided elements into row-major order, element by element or, where a transposed operand lies the other way
//! round, by tiles. `execute` brings tensors into order here, scalar programs their large operands.

use super::buffers::Buffer;
use super::call::{CudaCall, Strided, THREADS, grid};
use super::elementwise::space_of;
use super::program::Kernel;
use super::strided_copy::{Along, DIVIDED, unit_of, walk};
use crate::backend::cpu::View;
use crate::backend::cpu::merge_dims::Collapsed;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::shape::MAX_RANK;
use smallvec::SmallVec;

/// The shortest sides for which a copy by tiles is worth another one before a program reads it.
const TILE: usize = 32;
/// The shortest sides that are worth tiles.
const SHORT: usize = 8;

/// Copies elements into row-major order.
///
/// # Safety
/// As `run_program`; the views have one dtype and shape, and the second is dense.
pub unsafe fn copy(call: &CudaCall<'_>, from: &View, to: &View) -> Result<()> {
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
        16 => DType::C128,
        other => return Err(Error::internal(call.op, format!("elements of {other} bytes"))),
    };
    if let Some(turned) = Turned::of(&space) {
        // SAFETY: by the caller's promise.
        return unsafe { turned.copy(call, unsigned, from, to) };
    }
    let last = space.dims.len() - 1;
    if space.stride(last, 0) == 1 {
        // Whole runs, as many bytes at a time as their lengths allow; operand 1 is the dense target.
        let side = |axis: usize| [space.stride(axis, 0), space.stride(axis, 1)];
        let along = |axis: usize| Along { size: space.dims[axis], from: side(axis)[0], to: side(axis)[1] };
        let along: SmallVec<[Along; MAX_RANK]> = (0..=last).map(along).collect();
        // SAFETY: by the caller's promise.
        return unsafe { walk(call, from.dtype.size(), from.ptr, to.ptr, &along) };
    }
    let strides: SmallVec<[isize; MAX_RANK]> = (0..=last).map(|axis| space.stride(axis, 0)).collect();
    // SAFETY: by the caller's promise.
    unsafe {
        call.elements(&COPY, &[unsigned], to.len(), |arguments| {
            arguments.view(from);
            arguments.value(Strided::new(&space.dims, &strides));
            arguments.view(to);
        })
    }
}

/// Elements from which transposed operands of a scalar program are brought into order before it runs: reading them across their rows
/// fetches several times what it uses, and a copy by tiles reads and writes them once. An estimate, until a device has measured it.
const LARGE: usize = 1 << 20;

/// Operands that lie as a program's results do, and the memory of those that were copied for that.
pub(super) type Ordered = (SmallVec<[View; 8]>, SmallVec<[Buffer; 2]>);

/// The operands of a scalar program with large transposed ones brought into order; `None` if there are none, as nearly always.
///
/// # Safety
/// As `run_program`.
pub(super) unsafe fn in_order(call: &CudaCall<'_>, inputs: &[View], numbers: &[bool]) -> Result<Option<Ordered>> {
    let large = |i: usize| inputs[i].len() >= LARGE && numbers.get(i) != Some(&true) && !inputs[i].is_dense();
    if !(0..inputs.len()).any(large) {
        return Ok(None);
    }
    let mut all: Ordered = (SmallVec::from_slice(inputs), SmallVec::new());
    for i in (0..inputs.len()).filter(|&i| large(i)) {
        let view = inputs[i];
        let space = space_of(view.dims(), &[view]);
        let repeats = (0..space.dims.len()).any(|axis| space.stride(axis, 0) == 0);
        let sides = |turned: &Turned| turned.across.min(turned.inner);
        if repeats || Turned::of(&space).is_none_or(|turned| sides(&turned) < TILE) {
            continue;
        }
        let room = call.scratch(view.len() * view.dtype.size())?;
        all.0[i] = View::dense(std::ptr::without_provenance_mut(room.address() as usize), view.dtype, view.dims());
        // SAFETY: by the caller's promise; the room is of the view's size.
        unsafe { copy(call, &view, &all.0[i])? };
        all.1.push(room);
    }
    Ok(Some(all))
}

static COPY: Kernel = Kernel {
    name: "copy",
    text: &[r#"
extern "C" __global__ void copy(index_t count, const T0* __restrict__ from, Strided layout, T0* __restrict__ to) {
  ELEMENTS(i, count) to[i] = from[place(layout, i)];
}
"#],
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

    /// Whether both sides lie at whole 16 bytes, and are whole numbers of them.
    fn is_whole(&self, size: usize, from: &View, to: &View) -> bool {
        let steps = self.from.iter().chain(&self.to).chain([&self.stride, &self.row]).map(|step| step.unsigned_abs());
        let all = steps.chain([self.across, self.inner]).map(|n| n * size).chain([from.ptr.addr(), to.ptr.addr()]);
        unit_of(all) == 16
    }

    /// # Safety
    /// As [`copy`].
    unsafe fn copy(&self, call: &CudaCall<'_>, unsigned: DType, from: &View, to: &View) -> Result<()> {
        let size = unsigned.size();
        // The sides of tiles, as the text has them.
        let (kernel, [high, wide]) = match self.is_whole(size, from, to) {
            true => {
                let high = [128, 64, 32][usize::from(size > 1) + usize::from(size > 4)];
                (&TURN_WHOLE, [high, 16384 / size / high])
            }
            false => (&TURN, [if size <= 4 { 64 } else { 32 }; 2]),
        };
        let (across, inner) = (self.across.div_ceil(high), self.inner.div_ceil(wide));
        let tiles = self.dims.iter().product::<usize>() * across * inner;
        // SAFETY: by the caller's promise; the arguments are those of the text.
        unsafe {
            call.launch(kernel, &[unsigned], grid(tiles, THREADS), |arguments| {
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

static TURN: Kernel = Kernel { name: "turn", text: &[DIVIDED, include_str!("turn.cuh")] };
static TURN_WHOLE: Kernel = Kernel { name: "turn_whole", text: &[DIVIDED, include_str!("turn.cuh")] };
