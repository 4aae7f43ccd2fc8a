//! `diagonal`: the elements whose indices along several axes are equal, a view without a copy; dx is dy laid onto the diagonal of
//! zeros (`diagonal_back`). `einsum` takes it for labels that stand twice in one operand.

use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use kernels::backend::cpu::{CpuCall, View, copy, vector};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;
use std::sync::Arc;

/// Which axis of the result each axis of the input goes along: several go along one, which then runs over their diagonal.
#[derive(Clone)]
pub(crate) struct Diagonal {
    axes: SmallVec<[i64; MAX_RANK]>,
}

/// The shape with one axis for all that go along it; sizes of these that differ are an error, or a constraint.
fn taken(axes: &[i64], whole: &Shape, mut differ: impl FnMut(Dim, Dim)) -> Result<Shape> {
    let mut sizes: SmallVec<[Option<Dim>; MAX_RANK]> = SmallVec::new();
    for (&axis, size) in axes.iter().zip(whole.iter()) {
        let axis = axis as usize;
        sizes.resize(sizes.len().max(axis + 1), None);
        match sizes[axis] {
            None => sizes[axis] = Some(size),
            Some(other) if other == size => {}
            Some(other) if other.can_equal(size) => differ(other, size),
            Some(other) => {
                return Err(Error::invalid_argument("diagonal", "the axes of a diagonal have different sizes")
                    .got(format!("{other} and {size} in {whole}"))
                    .expected("equal sizes"));
            }
        }
    }
    Shape::from_dims(&sizes.iter().map(|size| size.unwrap_or(Dim::ONE)).collect::<SmallVec<[Dim; MAX_RANK]>>())
}

impl Diagonal {
    /// The diagonal as a layout over a tensor with these strides.
    fn layout(&self, strides: &[isize]) -> Layout {
        let mut layout = Layout { strides: [0; MAX_RANK], offset: 0 };
        self.axes.iter().zip(strides).for_each(|(&axis, &stride)| layout.strides[axis as usize] += stride);
        layout
    }
}

impl Op for Diagonal {
    identity!("diagonal", { "axes": Ints = |this| &this.axes });

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::MOVABLE)?;
        let whole = *cx.shape(0);
        let shape = taken(&self.axes, &whole, |a, b| cx.constraints.push(a, b))?;
        cx.output(cx.dtype(0), shape);
        Ok(())
    }

    fn view(&self, _: &TensorType, strides: &[isize], _: &TensorType) -> Option<Layout> {
        Some(self.layout(strides))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let back = DiagonalBack { diagonal: self.clone(), whole: g.input_type(0).shape };
        let dx = execute1(&back, &[&g.dy(0)?])?;
        g.give(0, dx);
        Ok(())
    }
}

/// The input on the diagonal of zeros: the reverse of [`Diagonal`].
#[derive(Clone)]
pub(crate) struct DiagonalBack {
    diagonal: Diagonal,
    whole: Shape,
}

impl Op for DiagonalBack {
    identity!("diagonal_back", { "axes": Ints = |this| &this.diagonal.axes, "shape": Shape = |this| &this.whole });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { diagonal: self.diagonal.clone(), whole: self.whole.bind(lookup)? })))
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::MOVABLE)?;
        cx.output(cx.dtype(0), self.whole);
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let (input, out) = (&call.inputs[0], &call.outputs[0]);
        let layout = self.diagonal.layout(out.strides());
        // SAFETY: a dense fresh output, whose diagonal has the input's sizes.
        unsafe {
            vector::fill(out.dtype.size(), out.ptr, 0, out.len());
            copy::copy(input, &View::new(out.ptr, out.dtype, input.dims(), &layout.strides));
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (input, out) = (&call.inputs[0], &call.outputs[0]);
        let layout = self.diagonal.layout(out.strides());
        // SAFETY: a dense fresh output, whose diagonal has the input's sizes.
        unsafe {
            cuda::fill(call, out, 0)?;
            if input.is_empty() {
                return Ok(());
            }
            cuda::copy_to(call, input, &View::new(out.ptr, out.dtype, input.dims(), &layout.strides))
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = execute1(&self.diagonal, &[&g.dy(0)?])?;
        g.give(0, dx);
        Ok(())
    }
}

/// The elements whose indices are equal along all axes that go along one: `axes[i]` is the axis of the result for axis `i` of `x`.
#[track_caller]
pub(crate) fn diagonal(x: &Tensor, axes: &[usize]) -> Result<Tensor> {
    if axes.iter().copied().eq(0..x.rank()) {
        return Ok(x.clone());
    }
    execute1(&Diagonal { axes: axes.iter().map(|&axis| axis as i64).collect() }, &[x])
}

/// The elements on the diagonal of zeros of a shape: the reverse of [`diagonal`] with these axes.
#[track_caller]
pub(crate) fn onto_diagonal(x: &Tensor, axes: &[usize], whole: &Shape) -> Result<Tensor> {
    let diagonal = Diagonal { axes: axes.iter().map(|&axis| axis as i64).collect() };
    execute1(&DiagonalBack { diagonal, whole: *whole }, &[x])
}
