//! `gather`: slices of a tensor by index along an axis; dx adds dy's slices up at their indices, as rows for axis 0.
//! TensorFlow's `tf.gather` with `batch_dims`; an index out of range is an error, as on TensorFlow's CPU.

use super::AsTensor;
use kernels::backend::cpu::indexed_rows as rows;
use kernels::backend::cpu::{CpuCall, View, Work, part};
use kernels::backend::cuda::{CudaCall, DIVIDED, Moving, moving, unit_of};
use kernels::dtype::DTypes;
use kernels::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use kernels::shape::{Dim, MAX_RANK, Shape, resolve_axis};
use crate::tape::{Backward, IndexedRows};
use crate::tensor::Tensor;
use smallvec::{SmallVec, smallvec};
use std::panic::Location;

mod back;

use back::GatherBack;

/// Inputs: the tensor, and integer indices, whose dimensions after the batch take the axis' place.
#[derive(Clone)]
pub(crate) struct Gather {
    axis: usize,
    /// Leading dimensions that both inputs share: indices of a batch look at that batch only.
    batch: usize,
}

impl Op for Gather {
    identity!("gather", { "axis": Int = |this| this.axis as i64, "batch_dims": Int = |this| this.batch as i64 });

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::MOVABLE)?;
        cx.check_dtype(1, DTypes::INTEGERS)?;
        let (from, indices) = (cx.shape(0), cx.shape(1));
        for axis in 0..self.batch {
            let (a, b) = (from.dim(axis), indices.dim(axis));
            if !a.can_equal(b) {
                return Err(Error::invalid_argument("gather", format!("the batch sizes differ in dimension {axis}"))
                    .got(format!("{from} and indices {indices}"))
                    .expected(format!("{} equal leading sizes", self.batch)));
            }
            cx.constraints.push(a, b);
        }
        let mut dims: SmallVec<[Dim; MAX_RANK]> = from.iter().take(self.axis).collect();
        dims.extend(indices.iter().skip(self.batch));
        dims.extend(from.iter().skip(self.axis + 1));
        cx.output(cx.dtype(0), Shape::from_dims(&dims).map_err(|e| e.in_op("gather"))?);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let parts = Parts::new(self, call.inputs[0].dims(), call.inputs[1].dims());
        let (indices, out) = (&call.inputs[1], &call.outputs[0]);
        let bytes = out.len() * out.dtype.size();
        match parts.at_once(indices) {
            true => rows::gather_work(parts.each, bytes),
            false => rows::work(indices.len(), bytes, parts.groups * parts.each),
        }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let (from, indices, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let parts = Parts::new(self, from.dims(), indices.dims());
        if parts.at_once(indices) {
            let bytes = parts.row * out.dtype.size();
            let own = part(parts.each, chunk, self.work(call).phases[0], 1);
            // SAFETY: dense views; chunks write disjoint rows of the output. The error of the first chunk counts, so of the first index.
            return unsafe {
                let to = out.ptr.add(own.start * bytes);
                rows::gather_rows("gather", indices, own, parts.size, from.ptr, to, bytes)
            };
        }
        if phase == 0 {
            // SAFETY: a dense view of integers, and scratch as `work` asked for.
            return unsafe { rows::check("gather", indices, indices.len(), 1, &[parts.size], chunk, call.scratch) };
        }
        let bytes = parts.row * out.dtype.size();
        // SAFETY: phase 0 checked the numbers; chunks write disjoint rows of the dense output.
        unsafe {
            let numbers = rows::numbers(call.scratch, indices.len());
            if numbers.is_empty() {
                return Ok(());
            }
            let mut rows = part(parts.groups * parts.each, chunk, self.work(call).phases[1], 1);
            while !rows.is_empty() {
                let (group, first) = (rows.start / parts.each, rows.start % parts.each);
                let count = (parts.each - first).min(rows.len());
                let numbers = &numbers[parts.batch_of(group) * parts.each + first..][..count];
                let source = from.ptr.add(group * parts.size * bytes);
                rows::copy_rows(numbers, source, out.ptr.add(rows.start * bytes), bytes);
                rows.start += count;
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (from, indices, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let parts = Parts::new(self, from.dims(), indices.dims());
        let row = parts.row * out.dtype.size();
        let unit = unit_of([row, from.ptr.addr(), out.ptr.addr()]);
        let (kernel, ty) = GATHER.of(unit);
        // SAFETY: dense views of the inferred types; rows outside of the tensor are not read.
        unsafe {
            call.elements(kernel, &[ty, indices.dtype], parts.groups * parts.each * row / unit, |arguments| {
                arguments.faults(call);
                [from, indices, out].into_iter().for_each(|view| arguments.view(view));
                [row / unit, parts.each, parts.inner_groups, parts.size].into_iter().for_each(|n| arguments.size(n));
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
        let dy = g.dy(0)?;
        let indices = g.input(1)?.clone();
        let whole = g.input_type(0).shape;
        if self.axis > 0 {
            g.give_part(0, &GatherBack { gather: self.clone(), whole }, smallvec![dy, indices]);
            return Ok(());
        }
        let flat = super::reshape::flatten(&indices)?;
        let rows = whole.with(0, flat.shape().dim(0))?;
        let values = super::reshape_to(&dy, &rows)?;
        g.give_rows(0, IndexedRows { indices: flat, values, shape: whole });
        Ok(())
    }
}

static GATHER: Moving =
    moving!("gather", DIVIDED, include_str!("gather.cuh"));

/// A tensor as groups of rows along the axis, and the indices of each group.
struct Parts {
    /// Groups per batch times batches: all dimensions before the axis.
    groups: usize,
    /// Groups of one batch.
    inner_groups: usize,
    /// Rows of a group: the size of the axis.
    size: usize,
    /// Elements of a row.
    row: usize,
    /// Indices of one batch.
    each: usize,
}

impl Parts {
    fn new(gather: &Gather, from: &[usize], indices: &[usize]) -> Self {
        Self {
            groups: from[..gather.axis].iter().product(),
            inner_groups: from[gather.batch..gather.axis].iter().product(),
            size: from[gather.axis],
            row: from[gather.axis + 1..].iter().product(),
            each: indices[gather.batch..].iter().product(),
        }
    }

    /// Whether each index is looked at once, so that it is checked when its row is copied.
    fn at_once(&self, indices: &View) -> bool {
        self.groups == 1 && rows::gathers_by(indices.dtype)
    }

    fn batch_of(&self, group: usize) -> usize {
        group / self.inner_groups
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
    gather_in_batches(&params.as_tensor(), &indices.as_tensor(), axis, 0).map_err(|e| e.at(here))
}

/// As [`gather`], where the first `batch_dims` dimensions of both are a batch: each has its own indices.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
/// let picked = tf::gather_batched(&x, &tf::constant([[2], [0]]), 1, 1);
/// assert_eq!(picked.to_vec::<i32>(), [3, 4]);
/// ```
///
/// # Panics
/// As [`try_gather_batched`] fails.
#[track_caller]
pub fn gather_batched(params: impl AsTensor, indices: impl AsTensor, axis: isize, batch_dims: usize) -> Tensor {
    try_gather_batched(params, indices, axis, batch_dims).or_fail()
}

/// The slices of `params` along `axis` that `indices` names, batch by batch.
///
/// # Errors
/// As [`try_gather`], and InvalidArgument for batch dimensions that differ, or reach beyond the axis or the indices.
#[track_caller]
pub fn try_gather_batched(
    params: impl AsTensor,
    indices: impl AsTensor,
    axis: isize,
    batch_dims: usize,
) -> Result<Tensor> {
    let here = Location::caller();
    gather_in_batches(&params.as_tensor(), &indices.as_tensor(), axis, batch_dims).map_err(|e| e.at(here))
}

#[track_caller]
fn gather_in_batches(params: &Tensor, indices: &Tensor, axis: isize, batch: usize) -> Result<Tensor> {
    let axis = resolve_axis("gather", axis, params.rank())?;
    if batch > axis || batch > indices.rank() {
        return Err(Error::invalid_argument("gather", "the batch dimensions reach too far")
            .got(format!("{batch} for axis {axis} and indices {}", indices.shape()))
            .expected("at most the axis, and at most the rank of the indices"));
    }
    execute1(&Gather { axis, batch }, &[params, indices])
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_along_any_axis_and_in_batches() {
        let x = numbers(1, &[2, 3, 4]);
        let indices = tf::constant([[0, 2], [2, 2]]);
        for axis in 0..3 {
            let indices = if axis == 0 { tf::constant([1, 0, 1]) } else { indices.clone() };
            check(&|x| tf::gather(&x[0], &indices, axis).square(), std::slice::from_ref(&x));
        }
        for axis in 1..3 {
            check(&|x| tf::gather_batched(&x[0], &indices, axis, 1).square(), std::slice::from_ref(&x));
        }
        let pairs = tf::constant([[[0], [1], [3]], [[3], [3], [2]]]);
        check(&|x| tf::gather_batched(&x[0], &pairs, 2, 2).square(), std::slice::from_ref(&x));
    }

    #[test]
    fn several_parts_of_one_tensor_add_up() {
        let x = numbers(5, &[2, 3, 4]);
        let (a, b) = (tf::constant([0, 2, 2]), tf::constant([1, 1, 0]));
        for axis in 0..2 {
            let (a, b) = if axis == 0 { (a.clone() / 2, b.clone()) } else { (a.clone(), b.clone()) };
            let product = |x: &tf::Tensor| tf::gather(x, &a, axis) * tf::gather(x, &b, axis) + x.sum();
            check(&|x| product(&x[0]), std::slice::from_ref(&x));
        }
        let pairs = tf::constant([[1, 2], [0, 0], [1, 2]]);
        let both = |x: &tf::Tensor| tf::gather_nd(x, &pairs) * tf::gather_nd(x, &pairs).sum() * tf::gather(x, &b, 0).sum();
        check(&|x| both(&x[0]), std::slice::from_ref(&x));
    }

    #[test]
    fn large_ones_agree_with_a_plain_loop() {
        let x = tf::cast(&numbers(3, &[6, 500, 33]), tf::DType::F32);
        let indices = tf::cast(&(numbers(4, &[6, 4000]) * 249.0 + 250.0), tf::DType::I64);
        let (got, values, at) =
            (tf::gather_batched(&x, &indices, 1, 1).to_vec::<f32>(), x.to_vec::<f32>(), indices.to_vec::<i64>());
        for (i, got) in got.into_iter().enumerate() {
            let (batch, k) = (i / 33 / 4000, i / 33 % 4000);
            assert_eq!(got, values[(batch * 500 + at[batch * 4000 + k] as usize) * 33 + i % 33]);
        }
    }

    #[test]
    fn many_rows_are_checked_and_copied_at_once() {
        // Rows of whole vectors, of no whole vectors and of single elements; some megabytes of them go past the caches.
        for (row, dtype) in [(32, tf::DType::F32), (33, tf::DType::F32), (8, tf::DType::F64), (1, tf::DType::F16)] {
            let x = tf::cast(&(numbers(3, &[300, row]) * 9.0), dtype);
            for count in [1, 255, 256, 257, 70_001] {
                let at: Vec<i32> = (0..count).map(|i| i * 7919 % 300).collect();
                let indices = tf::cast(&tf::constant(&at[..]), if row == 8 { tf::DType::I32 } else { tf::DType::I64 });
                let got = tf::cast(&tf::gather(&x, &indices, 0), tf::DType::F64).to_vec::<f64>();
                let values = tf::cast(&x, tf::DType::F64).to_vec::<f64>();
                let want = at.iter().flat_map(|&i| &values[i as usize * row..][..row]);
                assert!(got.iter().eq(want), "{count} rows of {row} {dtype}");
            }
        }
    }

    #[test]
    fn wrong_indices_name_themselves() {
        let x = tf::ones([2, 3]);
        for index in [-1, 3] {
            let error = tf::try_gather(&x, &tf::constant([0, index]), 1).unwrap_err();
            let text = error.to_string();
            assert!(
                matches!(error, tf::Error::OutOfRange(_)) && text.contains("0..3") && text.contains(&index.to_string())
            );
        }
        let many = tf::concat(&[&tf::zeros_like(&tf::range(0, 100_000, 1)), &tf::constant([7])], 0);
        assert!(matches!(tf::try_gather(&x, &many, 0), Err(tf::Error::OutOfRange(_))));
        // Of several, also in different chunks, the first.
        let table = tf::ones([2, 64]);
        for (first, dtype) in [(300, tf::DType::I64), (70_000, tf::DType::I32), (99_990, tf::DType::U8)] {
            let wrong = tf::cast(&tf::range(0, 100_000, 1).greater_equal(first), tf::DType::I32) * 5;
            let error = tf::try_gather(&table, &tf::cast(&wrong, dtype), 0).unwrap_err();
            assert!(error.to_string().contains(&format!("index number {first} is 5")), "{error}");
        }
        assert!(tf::try_gather(&x, &tf::constant([0.5]), 0).is_err());
        assert!(tf::try_gather_batched(&x, &tf::constant([[0], [0], [0]]), 1, 1).is_err());
        assert!(tf::try_gather_batched(&x, &tf::constant([0, 0]), 0, 1).is_err());
        assert_eq!(tf::gather(&tf::zeros([0, 2]), &tf::cast(&tf::zeros([0]), tf::DType::I32), 0).shape(), [0, 2]);
        assert_eq!(tf::gather(&tf::zeros([2, 0]), &tf::constant([1, 1, 1]), 0).shape(), [3, 0]);
    }
}
