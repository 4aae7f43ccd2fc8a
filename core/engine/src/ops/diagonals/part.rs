//! A band of diagonals taken from matrices, the shorter ones filled up; dx is dy as a band in zeros.
//! `diag_part_with` calls it, and the gradient of setting a band.

use super::band::{Band, begin_of};
use super::set::SetBand;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::ops::{broadcast_to_shape, zeros_of};
use crate::tape::Backward;
use crate::tensor::TensorType;
use kernels::backend::cpu::{CpuCall, Work, copy, part};
use kernels::backend::cuda::{CudaCall, DIVIDED, Moving, moving};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};

/// Inputs: matrices, and what fills the shorter diagonals up, if not zeros.
#[derive(Clone)]
pub(super) struct PartOfBand {
    pub band: Band,
    /// Whether diagonals outside of the matrices are refused.
    pub strict: bool,
}

/// Bytes that one chunk writes, about.
const CHUNK: usize = 128 * 1024;

impl Op for PartOfBand {
    identity!("band_of_diagonals", { "band": Ints = |this| &this.band.words(), "strict": Bool = |this| this.strict });

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn may_refuse_sizes(&self, inputs: &[&TensorType]) -> bool {
        inputs[0].shape.known_dims().is_none()
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::ALL)?;
        let x = cx.shape(0);
        let Some(axis) = x.rank().checked_sub(2) else {
            return Err(Error::invalid_argument(cx.op(), "the tensor holds no matrices")
                .got(cx.input(0))
                .expected("at least two dimensions"));
        };
        if self.strict {
            self.band.check(cx.op(), x.dim(axis), x.dim(axis + 1))?;
        }
        cx.output(cx.dtype(0), self.band.shape_of(x)?);
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let out = &call.outputs[0];
        let rows = out.len() / out.dims()[out.rank() - 1].max(1);
        Work::chunks((out.len() * out.dtype.size()).div_ceil(CHUNK).min(64).min(rows))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let (x, out) = (&call.inputs[0], &call.outputs[0]);
        let (axis, size) = (x.rank() - 2, out.dtype.size());
        let lines = self.band.within(x.dims()[axis], x.dims()[axis + 1]);
        if lines.longest == 0 {
            return Ok(());
        }
        let longest = lines.longest as usize;
        let [down, right] = [x.strides()[axis], x.strides()[axis + 1]];
        let padding = call.inputs.get(1).map(|value| value.ptr.cast_const());
        for row in part(out.len() / longest, chunk, self.work(call).phases[0], 1) {
            let (batch, number) = (row / self.band.count(), row % self.band.count());
            let d = lines.high - number as i64;
            let (before, length) = (lines.before(d) as usize, lines.length(d) as usize);
            let from = begin_of(x, 2, batch) + (-d).max(0) as isize * down + d.max(0) as isize * right;
            // SAFETY: views of the inferred types; chunks write disjoint rows of the dense output, and the diagonal lies in its matrix.
            unsafe {
                let to = out.ptr.add(row * longest * size);
                repeat(size, padding, to, before);
                if length > 0 {
                    copy::strided_row(size, x.ptr.offset(from * size as isize), down + right, to.add(before * size), length);
                }
                repeat(size, padding, to.add((before + length) * size), longest - before - length);
            }
        }
        Ok(())
    }

    /// The padding.
    fn takes_from_host(&self, index: usize) -> bool {
        index == 1
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (x, out) = (&call.inputs[0], &call.outputs[0]);
        let (axis, size) = (x.rank() - 2, out.dtype.size());
        let lines = self.band.within(x.dims()[axis], x.dims()[axis + 1]);
        let (mut bits, mut place) = ([0; 2], 0);
        match call.inputs.get(1) {
            // SAFETY: a scalar of the dtype in the host's memory.
            Some(value) if call.is_here(1) => unsafe {
                std::ptr::copy_nonoverlapping(value.ptr, bits.as_mut_ptr().cast::<u8>(), size);
            },
            Some(value) => place = value.ptr.addr() as u64,
            None => {}
        }
        let (kernel, ty) = PART.of(size);
        // SAFETY: views of the inferred types; only places within the matrices are read.
        unsafe {
            call.elements(kernel, &[ty], out.len(), |arguments| {
                arguments.views(&[x, out]);
                arguments.strided(x);
                arguments.value(lines.words());
                [bits[0], bits[1], place].into_iter().for_each(|word| arguments.address(word));
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        if g.needs(0) {
            let whole = *g.input_type(0);
            let zeros = broadcast_to_shape(&zeros_of(&TensorType::scalar(whole.dtype))?, &whole.shape)?;
            let dx = execute1(&SetBand { band: self.band, strict: false }, &[&zeros, &g.dy(0)?])?;
            g.give(0, dx);
        }
        Ok(())
    }
}

static PART: Moving = moving!("diagonals_part", DIVIDED, include_str!("lines.cuh"), include_str!("part.cuh"));

/// Writes one element `n` times, or zeros.
///
/// # Safety
/// The element, and the target for `n` of them, are valid and aligned to `size`, or to 8.
unsafe fn repeat(size: usize, value: Option<*const u8>, to: *mut u8, n: usize) {
    // SAFETY: by the caller's promise; a step of 0 reads the one element again.
    unsafe {
        match value {
            Some(value) => copy::strided_row(size, value, 0, to, n),
            None => std::ptr::write_bytes(to, 0, n * size),
        }
    }
}
