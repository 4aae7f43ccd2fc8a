//! `slice`: a regular part of a tensor, a view without a copy; dx is dy laid into zeros (`slice_back`), or added to the part of
//! what there is of dx already (`slice_add`). TensorFlow's `tf.slice` and `tf.strided_slice` are both this operation.

use super::public;
use kernels::backend::cpu::{CpuCall, View, copy, vector};
use kernels::backend::cuda::{self, Around, CudaCall};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Sizes, Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use kernels::shape::{Dim, Dims, IntoShape, MAX_RANK, Shape};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

mod add;
mod assign;

use add::SliceAdd;
pub(crate) use assign::AssignPart;

/// A part of a tensor: per dimension the first index, the number of elements, and the step between them.
#[derive(Clone)]
pub(crate) struct Slice {
    pub begin: Shape,
    pub size: Shape,
    pub steps: SmallVec<[i64; MAX_RANK]>,
}

impl Slice {
    /// The part as a layout over a tensor with these strides.
    fn layout(&self, strides: &[isize]) -> Layout {
        let mut layout = Layout { strides: [0; MAX_RANK], offset: 0 };
        for (axis, (&step, &stride)) in self.steps.iter().zip(strides).enumerate() {
            // A single element needs no stride, however long the step.
            layout.strides[axis] = if self.size[axis] > 1 { stride * step as isize } else { 0 };
            layout.offset += stride * self.begin[axis] as isize;
        }
        if self.size.num_elements() == 0 {
            layout.offset = 0;
        }
        layout
    }

    /// The part as a view of the whole.
    fn part_of(&self, whole: &View, dims: &[usize]) -> View {
        let layout = self.layout(whole.strides());
        let first = whole.ptr.wrapping_offset(layout.offset * whole.dtype.size() as isize);
        View::new(first, whole.dtype, dims, &layout.strides)
    }

    /// The same part with the sizes of a run.
    fn bound(&self, lookup: &Lookup<'_>) -> Result<Self> {
        Ok(Self { begin: self.begin.bind(lookup)?, size: self.size.bind(lookup)?, steps: self.steps.clone() })
    }

    /// An error unless every element of the part exists.
    fn check(&self, op: &str, from: &Shape) -> Result<()> {
        for axis in 0..self.steps.len() {
            let known = (self.begin.dim(axis).known_value(), self.size.dim(axis).known_value(), from.dim(axis).known_value());
            let (Some(begin), Some(size), Some(whole)) = known else { continue };
            let last = (begin as i64).saturating_add((size as i64 - 1).saturating_mul(self.steps[axis]));
            if size > 0 && (begin >= whole || last < 0 || last >= whole as i64) {
                return Err(Error::out_of_range(op, format!("the slice leaves dimension {axis}"))
                    .got(format!("elements {begin} to {last} of {from}"))
                    .expected(format!("indices within 0..{whole}")));
            }
        }
        Ok(())
    }
}

impl Op for Slice {
    identity!("slice", {
        "begin": Shape = |this| &this.begin,
        "size": Shape = |this| &this.size,
        "steps": Ints = |this| &this.steps,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(self.bound(lookup)?)))
    }

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::MOVABLE)?;
        self.check("slice", cx.shape(0))?;
        cx.output(cx.dtype(0), self.size);
        Ok(())
    }

    fn view(&self, _: &TensorType, strides: &[isize], _: &TensorType) -> Option<Layout> {
        Some(self.layout(strides))
    }

    fn sizes(&self, inputs: &[&Sizes], types: &[&TensorType], _: usize) -> Option<Sizes> {
        if types[0].shape.rank() == 0 {
            return Some(inputs[0].clone());
        }
        let (begin, size) = (self.begin.dim(0).known_value()?, self.size.dim(0).known_value()?);
        let at = |i: usize| usize::try_from(begin as i64 + i as i64 * self.steps[0]).ok();
        (0..size).map(|i| inputs[0].get(at(i)?).copied()).collect()
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let back = SliceBack { slice: self.clone(), whole: g.input_type(0).shape };
        let dy = g.dy(0)?;
        g.give_part(0, &back, smallvec![dy]);
        Ok(())
    }
}

/// The input laid into a part of zeros: the reverse of [`Slice`].
#[derive(Clone)]
pub(crate) struct SliceBack {
    slice: Slice,
    whole: Shape,
}

impl Op for SliceBack {
    identity!("slice_back", {
        "begin": Shape = |this| &this.slice.begin,
        "steps": Ints = |this| &this.slice.steps,
        "shape": Shape = |this| &this.whole,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { slice: self.slice.bound(lookup)?, whole: self.whole.bind(lookup)? })))
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::MOVABLE)?;
        self.slice.check("slice_back", &self.whole)?;
        cx.output(cx.dtype(0), self.whole);
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn onto(&self) -> Option<OpRef> {
        Some(OpRef::Shared(Arc::new(SliceAdd { slice: self.slice.clone(), whole: self.whole })))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let (input, out) = (&call.inputs[0], &call.outputs[0]);
        let layout = self.slice.layout(out.strides());
        // SAFETY: a dense fresh output, and a part of it that `check` found inside.
        unsafe {
            vector::fill(out.dtype.size(), out.ptr, 0, out.len());
            let first = out.ptr.wrapping_offset(layout.offset * out.dtype.size() as isize);
            copy::copy(input, &View::new(first, out.dtype, input.dims(), &layout.strides));
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (input, out) = (&call.inputs[0], &call.outputs[0]);
        if input.is_empty() {
            // SAFETY: a dense fresh output.
            return unsafe { cuda::fill(call, out, 0) };
        }
        let plain = self.slice.steps.iter().zip(input.dims()).all(|(&step, &size)| step == 1 || size == 1);
        // SAFETY: a dense fresh output, and a part of it that `check` found inside.
        unsafe {
            if plain && input.len() * 2 > out.len() {
                // One pass over the whole is less than two over most of it.
                return cuda::frame(call, input, out, |axis| self.slice.begin[axis], Around::Constant(0));
            }
            cuda::fill(call, out, 0)?;
            let layout = self.slice.layout(out.strides());
            let first = out.ptr.wrapping_offset(layout.offset * out.dtype.size() as isize);
            cuda::copy_to(call, input, &View::new(first, out.dtype, input.dims(), &layout.strides))
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dx = execute1(&self.slice, &[&g.dy(0)?])?;
        g.give(0, dx);
        Ok(())
    }
}

/// `size` elements from `begin` on along one axis.
#[track_caller]
pub(crate) fn slice_axis(x: &Tensor, axis: usize, begin: Dim, size: Dim) -> Result<Tensor> {
    let zeros: SmallVec<[Dim; MAX_RANK]> = SmallVec::from_elem(Dim::ZERO, x.rank());
    let begin = Shape::from_dims(&zeros)?.with(axis, begin)?;
    let size = x.shape().with(axis, size)?;
    execute1(&Slice { begin, size, steps: SmallVec::from_elem(1, x.rank()) }, &[x])
}

/// What lays a tensor of shape `part` into zeros of size `whole` along one axis, from `begin` on.
pub(crate) fn laying(part: &Shape, axis: usize, begin: Dim, whole: Dim) -> Result<SliceBack> {
    let zeros: SmallVec<[Dim; MAX_RANK]> = SmallVec::from_elem(Dim::ZERO, part.rank());
    let begin = Shape::from_dims(&zeros)?.with(axis, begin)?;
    let slice = Slice { begin, size: *part, steps: SmallVec::from_elem(1, part.rank()) };
    Ok(SliceBack { slice, whole: part.with(axis, whole)? })
}

/// The tensor laid into zeros of size `whole` along one axis, from `begin` on: the reverse of [`slice_axis`].
#[track_caller]
pub(crate) fn lay_axis(x: &Tensor, axis: usize, begin: Dim, whole: Dim) -> Result<Tensor> {
    execute1(&laying(x.shape(), axis, begin, whole)?, &[x])
}

public! {
    /// The part that starts at `begin` and has `size` elements per dimension; -1 stands for all that is left. Both may be sizes and
    /// integer tensors that have no number while a function is traced.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(tf::slice(&x, [0, 1], [-1, 2]).to_vec::<i32>(), [2, 3, 5, 6]);
    /// ```
    pub fn slice, try_slice(x, begin: impl IntoShape, size: impl IntoShape) -> Tensor {
        let (begin, size) = (begin.into_dims()?, size.into_target()?);
        let rank = x.rank();
        if begin.len() != rank || size.len() != rank {
            return Err(Error::invalid_argument("slice", "begin and size must name every dimension")
                .got(format!("begin {begin:?}, size {size:?} for {}", x.shape()))
                .expected(format!("{rank} numbers each")));
        }
        let mut sizes = Dims::new();
        for (axis, (&b, &s)) in begin.iter().zip(&size).enumerate() {
            let whole = x.shape().dim(axis);
            let beyond = b.known_value().zip(whole.known_value()).is_some_and(|(b, w)| b > w);
            if b.valid().is_err() || beyond {
                return Err(Error::out_of_range("slice", format!("the slice leaves dimension {axis}"))
                    .got(format!("begin {b} of {whole}"))
                    .expected("begin within the dimension"));
            }
            sizes.push(s.unwrap_or(whole - b));
        }
        let slice = Slice { begin: Shape::from_dims(&begin)?, size: Shape::from_dims(&sizes)?, steps: SmallVec::from_elem(1, rank) };
        execute1(&slice, &[x])
    }
}
