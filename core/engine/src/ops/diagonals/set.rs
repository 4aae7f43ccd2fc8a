//! A band of diagonals put into matrices; the cotangent of the matrices is dy with zeros there, that of the band its part of dy.
//! `set_diag_with` and `diag_with` call it, and the gradient of taking a band.

use super::band::{Band, Lines, begin_of};
use super::part::PartOfBand;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::ops::{broadcast_to_shape, zeros_of};
use crate::tape::Backward;
use crate::tensor::TensorType;
use kernels::backend::cpu::{CpuCall, View, Work, copy, part};
use kernels::backend::cuda::{CudaCall, DIVIDED, Moving, moving};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};

/// Inputs: matrices, and their new diagonals as [`PartOfBand`] gives them.
#[derive(Clone)]
pub(super) struct SetBand {
    pub band: Band,
    /// Whether diagonals outside of the matrices are refused.
    pub strict: bool,
}

/// Bytes that one chunk writes, about.
const CHUNK: usize = 128 * 1024;

impl Op for SetBand {
    identity!("set_band_of_diagonals", { "band": Ints = |this| &this.band.words(), "strict": Bool = |this| this.strict });

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
        let (x, diagonals) = (*cx.shape(0), *cx.shape(1));
        let Some(axis) = x.rank().checked_sub(2) else {
            return Err(Error::invalid_argument(cx.op(), "the tensor holds no matrices")
                .got(cx.input(0))
                .expected("at least two dimensions"));
        };
        if self.strict {
            self.band.check(cx.op(), x.dim(axis), x.dim(axis + 1))?;
        }
        let wanted = self.band.shape_of(&x)?;
        let fits = wanted.rank() == diagonals.rank() && wanted.iter().zip(diagonals.iter()).all(|(a, b)| a.can_equal(b));
        if !fits {
            return Err(Error::invalid_argument(cx.op(), "the diagonals do not fit the matrices")
                .got(format!("{diagonals} for {} of {x}", self.band))
                .expected(wanted));
        }
        for (a, b) in wanted.iter().zip(diagonals.iter()).filter(|(a, b)| a != b) {
            cx.constraints.push(a, b);
        }
        cx.output(cx.dtype(0), x);
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn overwrites(&self) -> Option<usize> {
        Some(0)
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let out = &call.outputs[0];
        let moved = if call.lies_over(0) { &call.inputs[1] } else { out };
        let rows = out.len() / out.dims()[out.rank() - 1].max(1);
        Work::chunks((moved.len() * out.dtype.size()).div_ceil(CHUNK).min(64).min(rows))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let (x, diagonals, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        if out.is_empty() {
            return Ok(());
        }
        let (axis, size, in_place) = (x.rank() - 2, out.dtype.size(), call.lies_over(0));
        let (rows, cols) = (x.dims()[axis], x.dims()[axis + 1]);
        let lines = self.band.within(rows, cols);
        for row in part(out.len() / cols, chunk, self.work(call).phases[0], 1) {
            let (batch, r) = (row / rows, row % rows);
            // SAFETY: views of the inferred types; chunks write disjoint rows of the dense output, which lies over the matrices or is fresh.
            unsafe {
                let to = out.ptr.add(row * cols * size);
                if !in_place {
                    let from = x.ptr.offset((begin_of(x, 2, batch) + r as isize * x.strides()[axis]) * size as isize);
                    match x.strides()[axis + 1] {
                        1 => std::ptr::copy_nonoverlapping(from, to, cols * size),
                        step => copy::strided_row(size, from, step, to, cols),
                    }
                }
                match size {
                    1 => self.lay::<u8>(&lines, diagonals, batch, r as i64, to),
                    2 => self.lay::<u16>(&lines, diagonals, batch, r as i64, to),
                    4 => self.lay::<u32>(&lines, diagonals, batch, r as i64, to),
                    16 => self.lay::<[u64; 2]>(&lines, diagonals, batch, r as i64, to),
                    _ => self.lay::<u64>(&lines, diagonals, batch, r as i64, to),
                }
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (x, diagonals, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let axis = x.rank() - 2;
        let lines = self.band.within(x.dims()[axis], x.dims()[axis + 1]);
        let (kernel, ty) = SET.of(out.dtype.size());
        // SAFETY: views of the inferred types; each element is written from one place, or left where it lies.
        unsafe {
            call.elements(kernel, &[ty], out.len(), |arguments| {
                arguments.views(&[x, diagonals, out]);
                arguments.strided(x);
                arguments.strided(diagonals);
                arguments.value(lines.words());
                arguments.size(usize::from(call.lies_over(0)));
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dy = g.dy(0)?;
        if g.needs(0) {
            let diagonals = *g.input_type(1);
            let zeros = broadcast_to_shape(&zeros_of(&TensorType::scalar(diagonals.dtype))?, &diagonals.shape)?;
            let dx = execute1(&Self { band: self.band, strict: false }, &[&dy, &zeros])?;
            g.give(0, dx);
        }
        if g.needs(1) {
            let dx = execute1(&PartOfBand { band: self.band, strict: false }, &[&dy])?;
            let dx = crate::ops::reshape_to(&dx, &g.input_type(1).shape)?;
            g.give(1, dx);
        }
        Ok(())
    }
}

impl SetBand {
    /// Puts its part of the diagonals into row `r` of a matrix.
    ///
    /// # Safety
    /// Diagonals of elements as wide as `T` for a batch with that entry, and a dense row of a matrix.
    unsafe fn lay<T: Copy>(&self, lines: &Lines, diagonals: &View, batch: usize, r: i64, to: *mut u8) {
        let tail = if self.band.is_one() { 1 } else { 2 };
        let begin = begin_of(diagonals, tail, batch);
        let along = diagonals.strides()[diagonals.rank() - 1];
        let next = if tail == 2 { diagonals.strides()[diagonals.rank() - 2] } else { 0 };
        let (from, to) = (diagonals.ptr.cast::<T>(), to.cast::<T>());
        for c in (r + lines.low).max(0)..(r + lines.high + 1).min(lines.cols) {
            let d = c - r;
            let at = (lines.before(d) + c - d.max(0)) as isize;
            // SAFETY: by the caller's promise; the diagonal has an element for each of its places in the matrix.
            unsafe { *to.add(c as usize) = *from.offset(begin + (lines.high - d) as isize * next + at * along) };
        }
    }
}

static SET: Moving = moving!("diagonals_set", DIVIDED, include_str!("lines.cuh"), include_str!("set.cuh"));
