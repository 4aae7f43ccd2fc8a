//! `gather_nd`: elements or slices by tuples of indices; dx adds dy's slices up at their tuples.
//! TensorFlow's `tf.gather_nd`; an index out of range is an error, as on TensorFlow's CPU.

use super::cumsum::try_cumsum_with;
use super::cumulative::Cumulative;
use super::scatter_nd::{scattering, tuples};
use super::{AsTensor, broadcast_to_shape, cast_to, concat_all, ones_of, reshape_to};
use kernels::backend::cpu::indexed_rows as rows;
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::backend::cuda::{CudaCall, DIVIDED, Moving, Strided, moving, unit_of};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use kernels::shape::{Dim, MAX_RANK, Shape};
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use smallvec::{SmallVec, smallvec};
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
        cx.check_dtype(0, DTypes::MOVABLE)?;
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
            return unsafe { rows::check("gather_nd", indices, count, depth, from.dims(), chunk, call.scratch) };
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

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (from, indices, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let (count, depth) = tuples(indices.dims());
        let row = from.dims()[depth..].iter().product::<usize>() * from.dtype.size();
        let unit = unit_of([row, from.ptr.addr(), out.ptr.addr()]);
        let (kernel, ty) = GATHER_ND.of(unit);
        // SAFETY: dense views of the inferred types; rows outside of the tensor are not read.
        unsafe {
            call.elements(kernel, &[ty, indices.dtype], count * row / unit, |arguments| {
                arguments.faults(call);
                [from, indices, out].into_iter().for_each(|view| arguments.view(view));
                arguments.size(row / unit);
                arguments.value(Strided::new(&from.dims()[..depth], &[]));
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[1])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let (indices, dy) = (g.input(1)?.clone(), g.dy(0)?);
        g.give_part(0, &scattering(&g.input_type(0).shape), smallvec![indices, dy]);
        Ok(())
    }
}

static GATHER_ND: Moving =
    moving!("gather_nd", DIVIDED, include_str!("gather.cuh"));

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

/// As [`gather_nd`], where the first `batch_dims` dimensions of both are a batch: each has its own tuples.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
/// assert_eq!(tf::gather_nd_batched(&x, &tf::constant([[2], [0]]), 1).to_vec::<i32>(), [3, 4]);
/// ```
///
/// # Panics
/// As [`try_gather_nd_batched`] fails.
#[track_caller]
pub fn gather_nd_batched(params: impl AsTensor, indices: impl AsTensor, batch_dims: usize) -> Tensor {
    try_gather_nd_batched(params, indices, batch_dims).or_fail()
}

/// The elements (or slices) that the tuples of indices name, batch by batch: TensorFlow's `batch_dims`.
///
/// # Errors
/// As [`try_gather_nd`], and InvalidArgument for batch dimensions that differ or reach into the tuples.
#[track_caller]
pub fn try_gather_nd_batched(params: impl AsTensor, indices: impl AsTensor, batch_dims: usize) -> Result<Tensor> {
    let here = Location::caller();
    gather_in_batches(&params.as_tensor(), &indices.as_tensor(), batch_dims).map_err(|e| e.in_op("gather_nd").at(here))
}

/// The tuples get the numbers of their batch in front, and then name places of the whole tensor.
#[track_caller]
fn gather_in_batches(params: &Tensor, indices: &Tensor, batch: usize) -> Result<Tensor> {
    if batch == 0 || !indices.dtype().is_integer() {
        return gather_at(params, indices);
    }
    let last = indices.rank().saturating_sub(1);
    let agree = |i: usize| params.shape().dim(i).can_equal(indices.shape().dim(i));
    if batch > last || batch > params.rank() || !(0..batch).all(agree) {
        return Err(Error::invalid_argument("gather_nd", "the batch dimensions do not fit")
            .got(format!("{batch} of {} and {}", params.shape(), indices.shape()))
            .expected("equal sizes in the tensor and the indices, and fewer than the indices have dimensions"));
    }
    let (mut whole, tuples) = (*params.shape(), indices.shape().with(last, Dim::ONE)?);
    let mut parts = Vec::with_capacity(batch + 1);
    for axis in 0..batch {
        // Numbers along one axis that hold for any size: a running sum of ones, without the element's own.
        let size = indices.shape().dim(axis);
        let mut line = [Dim::ONE; MAX_RANK];
        line[axis] = size;
        let ones = ones_of(&TensorType::new(DType::I64, Shape::from_dims(&line[..=last])?))?;
        let how = Cumulative { exclusive: true, ..Cumulative::default() };
        parts.push(broadcast_to_shape(&try_cumsum_with(&ones, axis as isize, how)?, &tuples)?);
        whole = whole.with(axis, size)?;
    }
    parts.push(cast_to(indices, DType::I64)?);
    // Batches whose sizes have no numbers yet must turn out equal.
    gather_at(&reshape_to(params, &whole)?, &concat_all(&parts.iter().collect::<Vec<_>>(), last)?)
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn batches_have_their_own_tuples() {
        let x = numbers(1, &[2, 3, 4]);
        let indices = tf::constant([[[2, 3], [0, 1]], [[1, 1], [1, 1]]]);
        let picked = tf::gather_nd_batched(&x, &indices, 1);
        let plain = tf::gather_nd(&x, &tf::constant([[[0, 2, 3], [0, 0, 1]], [[1, 1, 1], [1, 1, 1]]]));
        assert_eq!(picked.to_vec::<f64>(), plain.to_vec::<f64>());
        check(&|x| tf::gather_nd_batched(&x[0], &indices, 1).square(), std::slice::from_ref(&x));
        let pairs = tf::constant_of([[[3], [0], [1]], [[2], [2], [2]]], tf::DType::U8);
        check(&|x| tf::gather_nd_batched(&x[0], &pairs, 2).square(), std::slice::from_ref(&x));
    }

    #[test]
    fn of_many_wrong_tuples_the_first_is_told() {
        let x = numbers(3, &[5, 4]);
        let at: Vec<i32> = (0..150_000).map(|i| i * 7919 % 5).collect();
        let tuples = |at: &[i32]| tf::stack(&[&tf::constant(at), &tf::floormod(tf::constant(at), 4)], 1);
        let values = x.to_vec::<f64>();
        let want = at.iter().map(|&i| values[(i * 4 + i % 4) as usize]);
        assert!(tf::gather_nd(&x, &tuples(&at)).to_vec::<f64>().into_iter().eq(want));
        for first in [0, 70_000, 149_999] {
            let mut wrong = at.clone();
            wrong[first] = 6;
            wrong[149_999] = 7;
            let error = tf::try_gather_nd(&x, &tuples(&wrong)).unwrap_err().to_string();
            assert!(error.contains(&format!("index number {first} is")), "{error}");
        }
    }

    #[test]
    fn batches_that_do_not_fit_are_refused() {
        let x = tf::ones([2, 3]);
        for (indices, batch) in [(tf::constant([[0], [1]]), 2), (tf::constant([[0], [0], [0]]), 1), (tf::constant(0), 1)] {
            let text = tf::try_gather_nd_batched(&x, &indices, batch).unwrap_err().to_string();
            assert!(text.contains("gather_nd") && text.contains("batch"), "{text}");
        }
        assert!(matches!(tf::try_gather_nd_batched(&x, &tf::constant([[0], [3]]), 1), Err(tf::Error::OutOfRange(_))));
    }
}
