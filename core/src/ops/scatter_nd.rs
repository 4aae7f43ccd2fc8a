//! `scatter_nd`: updates laid into zeros at indices, repeats added up; each update's gradient is gathered from dy.
//! TensorFlow's `tf.scatter_nd`, and the dense form of an embedding's gradient.

use super::gather::checked_indices;
use super::gather_nd::gather_at;
use super::AsTensor;
use crate::backend::cpu::{CpuCall, View, vector};
use crate::dtype::{DType, DTypes};
use crate::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Saves, identity};
use crate::scalar::Code;
use crate::shape::{IntoShape, Shape};
use crate::tape::Backward;
use crate::tensor::Tensor;
use std::panic::Location;
use std::sync::Arc;

/// Inputs: indices `[..., depth]`, updates `[..., rest of the shape after depth]`.
#[derive(Clone)]
pub(crate) struct ScatterNd {
    shape: Shape,
}

impl Op for ScatterNd {
    identity!("scatter_nd", { "shape": Shape = |this| &this.shape });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)? })))
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::INTEGERS)?;
        cx.check_dtype(1, DTypes::ALL)?;
        check_updates("scatter_nd", cx, &self.shape)?;
        cx.output(cx.dtype(1), self.shape);
        Ok(())
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let out = &call.outputs[0];
        // SAFETY: dense views of the inferred types; the output is fresh.
        unsafe {
            let rows = row_numbers("scatter_nd", &call.inputs[0], out.dims())?;
            vector::fill(out.dtype.size(), out.ptr, 0, out.len());
            combine_rows("scatter_nd", &rows, &call.inputs[1], out, call.isa)
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        if g.needs(1) {
            let dx = gather_at(&g.dy(0)?, g.input(0)?)?;
            g.give(1, dx);
        }
        Ok(())
    }
}

/// An error unless the updates' shape is the indices' without the last dimension, then the rest of `whole`.
pub(crate) fn check_updates(op: &str, cx: &Infer<'_>, whole: &Shape) -> Result<()> {
    let (indices, updates) = (cx.shape(0), cx.shape(1));
    let depth = match indices.rank() {
        0 => None,
        rank => indices.dim(rank - 1).known_value(),
    };
    let Some(depth) = depth.filter(|&d| d <= whole.rank()) else {
        return Err(Error::invalid_argument(op, "the last dimension of the indices must count dimensions of the shape")
            .got(format!("indices {indices} for shape {whole}"))
            .expected(format!("a last dimension of at most {}", whole.rank())));
    };
    let expected: Vec<_> = indices.iter().take(indices.rank() - 1).chain(whole.iter().skip(depth)).collect();
    let same = updates.rank() == expected.len() && updates.iter().zip(&expected).all(|(a, &b)| a.can_equal(b));
    if !same {
        return Err(Error::invalid_argument(op, "the updates do not fit the indices and the shape")
            .got(updates)
            .expected(Shape::from_dims(&expected)?));
    }
    Ok(())
}

/// For each index tuple, the flat number of the row it names in a dense tensor of `dims`.
///
/// # Safety
/// The view is valid and dense.
pub(crate) unsafe fn row_numbers(op: &str, indices: &View, dims: &[usize]) -> Result<Vec<usize>> {
    let depth = indices.dims().last().copied().unwrap_or(0);
    let tuples: usize = indices.dims()[..indices.rank() - 1].iter().product();
    if depth == 0 {
        return Ok(vec![0; tuples]);
    }
    if depth == 1 {
        // SAFETY: by the caller's promise.
        return unsafe { checked_indices(op, indices, dims[0]) };
    }
    // SAFETY: by the caller's promise.
    let numbers = unsafe { indices.integers() };
    numbers
        .chunks(depth)
        .map(|tuple| {
            let inside = tuple.iter().zip(dims).all(|(&i, &d)| i >= 0 && i < d as i64);
            if !inside {
                return Err(Error::out_of_range(op, "an index is outside the tensor")
                    .got(format!("{tuple:?}"))
                    .expected(format!("indices within {:?}", &dims[..depth])));
            }
            Ok(tuple.iter().zip(dims).fold(0, |row, (&i, &d)| row * d + i as usize))
        })
        .collect()
}

/// Adds each row of `updates` to the row of `out` that it belongs to.
///
/// # Safety
/// Dense views of one dtype; `rows` are rows of `out` as long as those of the updates.
unsafe fn combine_rows(op: &str, rows: &[usize], updates: &View, out: &View, isa: crate::backend::cpu::Isa) -> Result<()> {
    let (size, dtype) = (out.dtype.size(), out.dtype);
    let len = if rows.is_empty() { 0 } else { updates.len() / rows.len() };
    let code = if dtype == DType::Bool { Code::Or } else { Code::Add };
    let compute = dtype.compute();
    let Some(add) = vector::lookup(code, compute, compute, isa) else {
        return Err(Error::internal(op, "no addition for this dtype"));
    };
    let convert = (vector::lookup(Code::Cast, dtype, compute, isa), vector::lookup(Code::Cast, compute, dtype, isa));
    let (Some(widen), Some(narrow)) = convert else {
        return Err(Error::internal(op, "no conversion for this dtype"));
    };
    const TILE: usize = 256;
    let mut tiles = [[0u64; TILE]; 3];
    for (i, &row) in rows.iter().enumerate() {
        for at in (0..len).step_by(TILE) {
            let n = TILE.min(len - at);
            // SAFETY: parts of rows that exist; tiles hold TILE elements of any dtype.
            unsafe {
                let to = out.ptr.add((row * len + at) * size);
                let from = updates.ptr.add((i * len + at) * size);
                let [a, b, c] = &mut tiles;
                let (a, b, c) = (a.as_mut_ptr().cast(), b.as_mut_ptr().cast(), c.as_mut_ptr().cast());
                widen(n, a, to, std::ptr::null(), std::ptr::null());
                widen(n, b, from, std::ptr::null(), std::ptr::null());
                add(n, c, a, b, std::ptr::null());
                narrow(n, to, c, std::ptr::null(), std::ptr::null());
            }
        }
    }
    Ok(())
}

/// Updates laid into zeros of a shape.
#[track_caller]
pub(crate) fn scatter_into(indices: &Tensor, updates: &Tensor, shape: &Shape) -> Result<Tensor> {
    execute1(&ScatterNd { shape: *shape }, &[indices, updates])
}

/// Updates laid into zeros of `shape` at `indices`, whose last dimension counts the leading dimensions it indexes;
/// updates of the same place add up (for `bool`: or).
///
/// ```
/// use eagerflow as tf;
/// let x = tf::scatter_nd(&tf::constant([[1], [3], [1]]), &tf::constant([5.0, 7.0, 2.0]), [4]);
/// assert_eq!(x.to_vec::<f32>(), [0.0, 7.0, 0.0, 7.0]);
/// ```
///
/// # Panics
/// As [`try_scatter_nd`] fails.
#[track_caller]
pub fn scatter_nd(indices: impl AsTensor, updates: impl AsTensor, shape: impl IntoShape) -> Tensor {
    try_scatter_nd(indices, updates, shape).or_fail()
}

/// Updates laid into zeros of `shape` at `indices`.
///
/// # Errors
/// OutOfRange for an index outside the shape, InvalidArgument for shapes that do not fit each other.
#[track_caller]
pub fn try_scatter_nd(indices: impl AsTensor, updates: impl AsTensor, shape: impl IntoShape) -> Result<Tensor> {
    let here = Location::caller();
    let scattered = match shape.into_shape() {
        Ok(shape) => scatter_into(&indices.as_tensor(), &updates.as_tensor(), &shape),
        Err(error) => Err(error.in_op("scatter_nd")),
    };
    scattered.map_err(|e| e.at(here))
}
