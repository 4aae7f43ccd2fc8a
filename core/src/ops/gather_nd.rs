//! `gather_nd`: elements or slices by tuples of indices; dx adds dy's slices up at their tuples.
//! TensorFlow's `tf.gather_nd`; an index out of range is an error, as on TensorFlow's CPU.

use super::AsTensor;
use super::scatter_nd::{scatter_into, tuples};
use crate::backend::cpu::numbered_rows as rows;
use crate::backend::cpu::{CpuCall, Work, part};
use crate::dtype::DTypes;
use crate::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::shape::{Dim, MAX_RANK, Shape};
use crate::tape::Backward;
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::panic::Location;

/// Inputs: the tensor, and indices `[..., depth]` into its first `depth` dimensions.
#[derive(Clone)]
pub(crate) struct GatherNd;

impl Op for GatherNd {
    identity!("gather_nd");

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::ALL)?;
        cx.check_dtype(1, DTypes::INTEGERS)?;
        let (from, indices) = (cx.shape(0), cx.shape(1));
        let depth = match indices.rank() {
            0 => None,
            rank => indices.dim(rank - 1).known_value(),
        };
        let Some(depth) = depth.filter(|&d| d <= from.rank()) else {
            return Err(Error::invalid_argument(
                "gather_nd",
                "the last dimension of the indices must count dimensions of the tensor",
            )
            .got(format!("indices {indices} into {from}"))
            .expected(format!("a last dimension of at most {}", from.rank())));
        };
        let dims: SmallVec<[Dim; MAX_RANK]> =
            indices.iter().take(indices.rank() - 1).chain(from.iter().skip(depth)).collect();
        cx.output(cx.dtype(0), Shape::from_dims(&dims).map_err(|e| e.in_op("gather_nd"))?);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let (count, _) = tuples(call.inputs[1].dims());
        rows::work(count, call.outputs[0].len() * call.outputs[0].dtype.size(), count)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let (from, indices, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let (count, depth) = tuples(indices.dims());
        if phase == 0 {
            // SAFETY: a dense view of integers, and scratch as `work` asked for.
            return unsafe { rows::check("gather_nd", indices, count, depth, from.dims(), call.scratch) };
        }
        let bytes = from.dims()[depth..].iter().product::<usize>() * from.dtype.size();
        // SAFETY: phase 0 checked the numbers; chunks write disjoint rows of the dense output.
        unsafe {
            let numbers = rows::numbers(call.scratch, count);
            let own = part(numbers.len(), chunk, self.work(call).phases[1], 1);
            rows::copy_rows(&numbers[own.clone()], from.ptr, out.ptr.add(own.start * bytes), bytes);
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
        let dx = scatter_into(g.input(1)?, &g.dy(0)?, &g.input_type(0).shape)?;
        g.give(0, dx);
        Ok(())
    }
}

/// Elements or slices by tuples of indices.
#[track_caller]
pub(crate) fn gather_at(x: &Tensor, indices: &Tensor) -> Result<Tensor> {
    execute1(&GatherNd, &[x, indices])
}

/// The elements (or slices) of `params` that the tuples in the last dimension of `indices` name.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1, 2], [3, 4]]);
/// assert_eq!(tf::gather_nd(&x, &tf::constant([[0, 1], [1, 0]])).to_vec::<i32>(), [2, 3]);
/// ```
///
/// # Panics
/// As [`try_gather_nd`] fails.
#[track_caller]
pub fn gather_nd(params: impl AsTensor, indices: impl AsTensor) -> Tensor {
    try_gather_nd(params, indices).or_fail()
}

/// The elements (or slices) of `params` that the tuples in the last dimension of `indices` name.
///
/// # Errors
/// OutOfRange for an index outside the tensor, InvalidArgument for indices that are not integers or too deep.
#[track_caller]
pub fn try_gather_nd(params: impl AsTensor, indices: impl AsTensor) -> Result<Tensor> {
    let here = Location::caller();
    gather_at(&params.as_tensor(), &indices.as_tensor()).map_err(|e| e.at(here))
}
