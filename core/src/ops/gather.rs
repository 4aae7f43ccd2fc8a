//! `gather`: slices of a tensor by index along an axis; dx adds dy's slices up at their indices, as rows for axis 0.
//! TensorFlow's `tf.gather`; an index out of range is an error, as on TensorFlow's CPU.

use super::{AsTensor, scatter_rows, transpose};
use crate::backend::cpu::{CpuCall, View};
use crate::dtype::DTypes;
use crate::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::shape::{Dim, MAX_RANK, Shape, resolve_axis};
use crate::tape::{Backward, IndexedRows};
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::panic::Location;

/// Inputs: the tensor, and integer indices of any shape, which takes the axis' place.
#[derive(Clone)]
pub(crate) struct Gather {
    axis: usize,
}

impl Op for Gather {
    identity!("gather", { "axis": Int = |this| this.axis as i64 });

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::ALL)?;
        cx.check_dtype(1, DTypes::INTEGERS)?;
        let (from, indices) = (cx.shape(0), cx.shape(1));
        let mut dims: SmallVec<[Dim; MAX_RANK]> = from.iter().take(self.axis).collect();
        dims.extend(indices.iter());
        dims.extend(from.iter().skip(self.axis + 1));
        cx.output(cx.dtype(0), Shape::from_dims(&dims).map_err(|e| e.in_op("gather"))?);
        Ok(())
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let (from, out) = (&call.inputs[0], &call.outputs[0]);
        // SAFETY: views of the inferred types, all dense.
        let indices = unsafe { checked_indices("gather", &call.inputs[1], from.dims()[self.axis])? };
        let outer: usize = from.dims()[..self.axis].iter().product();
        let row: usize = from.dims()[self.axis + 1..].iter().product::<usize>() * from.dtype.size();
        let size = from.dims()[self.axis];
        for o in 0..outer {
            for (i, &index) in indices.iter().enumerate() {
                // SAFETY: the index was checked, and rows of the output follow each other.
                unsafe {
                    let source = from.ptr.add((o * size + index) * row);
                    std::ptr::copy_nonoverlapping(source, out.ptr.add((o * indices.len() + i) * row), row);
                }
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[1])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dy = g.dy(0)?;
        let indices = g.input(1)?.clone();
        let whole = g.input_type(0).shape;
        let flat = super::reshape::flatten(&indices)?;
        let count = flat.shape().dim(0);
        // Rows of dy: the indexed dimensions in front as one, then the others in their order.
        let front = indices.rank();
        let mut order: SmallVec<[isize; MAX_RANK]> = (self.axis..self.axis + front).map(|a| a as isize).collect();
        order.extend((0..dy.rank()).filter(|a| !(self.axis..self.axis + front).contains(a)).map(|a| a as isize));
        let rows = if self.axis == 0 { dy } else { transpose::try_transpose(&dy, &order)? };
        let mut dims: SmallVec<[Dim; MAX_RANK]> = SmallVec::from_slice(&[count]);
        dims.extend(whole.iter().enumerate().filter(|(i, _)| *i != self.axis).map(|(_, d)| d));
        let values = super::reshape_to(&rows, &Shape::from_dims(&dims)?)?;
        if self.axis == 0 {
            g.give_rows(0, IndexedRows { indices: flat, values, shape: whole });
            return Ok(());
        }
        let mut moved: SmallVec<[Dim; MAX_RANK]> = SmallVec::from_slice(&[whole.dim(self.axis)]);
        moved.extend(dims[1..].iter().copied());
        let dense = scatter_rows(&flat, &values, &Shape::from_dims(&moved)?)?;
        // Back to the axis' own place.
        let mut back: SmallVec<[isize; MAX_RANK]> = (1..=self.axis as isize).collect();
        back.push(0);
        back.extend(self.axis as isize + 1..whole.rank() as isize);
        g.give(0, transpose::try_transpose(&dense, &back)?);
        Ok(())
    }
}

/// Indices as numbers, each inside `0..size`.
///
/// # Safety
/// The view is valid.
pub(crate) unsafe fn checked_indices(op: &str, view: &View, size: usize) -> Result<Vec<usize>> {
    // SAFETY: by the caller's promise.
    let indices = unsafe { view.integers() };
    match indices.iter().position(|&i| i < 0 || i >= size as i64) {
        None => Ok(indices.into_iter().map(|i| i as usize).collect()),
        Some(at) => Err(Error::out_of_range(op, format!("index number {at} is outside the tensor"))
            .got(indices[at])
            .expected(format!("0..{size}"))),
    }
}

/// The slices of `params` along `axis` that `indices` names; the shape of the indices takes the axis' place.
///
/// ```
/// use eagerflow as tf;
/// let table = tf::constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
/// let rows = tf::gather(&table, &tf::constant([2, 0]), 0);
/// assert_eq!(rows.to_vec::<f32>(), [5.0, 6.0, 1.0, 2.0]);
/// ```
///
/// # Panics
/// As [`try_gather`] fails.
#[track_caller]
pub fn gather(params: impl AsTensor, indices: impl AsTensor, axis: isize) -> Tensor {
    try_gather(params, indices, axis).or_fail()
}

/// The slices of `params` along `axis` that `indices` names.
///
/// # Errors
/// OutOfRange for an index outside the axis, InvalidArgument for indices that are not integers or a wrong axis.
#[track_caller]
pub fn try_gather(params: impl AsTensor, indices: impl AsTensor, axis: isize) -> Result<Tensor> {
    let here = Location::caller();
    let (params, indices) = (params.as_tensor(), indices.as_tensor());
    let gathered = match resolve_axis("gather", axis, params.rank()) {
        Ok(axis) => execute1(&Gather { axis }, &[&params, &indices]),
        Err(error) => Err(error),
    };
    gathered.map_err(|e| e.at(here))
}
