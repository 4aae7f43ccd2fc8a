//! `scatter_nd`: updates laid into zeros at indices, repeats added up; each update's gradient is gathered from dy.
//! TensorFlow's `tf.scatter_nd`, and the dense form of an embedding's gradient.

use super::gather_nd::gather_at;
use super::{AsTensor, reshape_to};
use kernels::backend::cpu::indexed_rows::{self as rows, Changes, Write};
use kernels::backend::cpu::vector::fill;
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::backend::cuda::{self, CudaCall, Names, Rows};
use kernels::dtype::DTypes;
use kernels::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::op::{Attr, Gradient, Infer, Kind, Lookup, Op, OpRef, Saves, identity};
use kernels::shape::{IntoShape, Shape};
use crate::tape::Backward;
use crate::tensor::Tensor;
use std::panic::Location;
use std::sync::Arc;

/// Inputs: indices `[..., depth]`, updates `[..., rest of the shape after depth]`.
#[derive(Clone)]
pub(crate) struct ScatterNd {
    shape: Shape,
    /// Whether this is a part of a cotangent. A user's scatter is never taken into a sum: its errors have its name, and 0 added to -0
    /// is 0.
    part: bool,
}

impl Op for ScatterNd {
    identity!("scatter_nd", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("shape", Attr::Shape(&self.shape));
        if self.part {
            visit("part", Attr::Bool(true));
        }
    }

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)?, part: self.part })))
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::INTEGERS)?;
        cx.check_dtype(1, DTypes::ALL)?;
        check_updates("scatter_nd", cx.shape(0), cx.shape(1), &self.shape)?;
        cx.output(cx.dtype(1), self.shape);
        Ok(())
    }

    fn onto(&self) -> Option<OpRef> {
        self.part.then_some(OpRef::Static(&super::tensor_scatter::ADD))
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let (indices, updates, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        Target { op: "scatter_nd", write: Write::Add, out, indices, updates }.work(out)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let (indices, out) = (&call.inputs[0], &call.outputs[0]);
        let target = Target { op: "scatter_nd", write: Write::Add, out, indices, updates: &call.inputs[1] };
        // SAFETY: dense views of the inferred types and scratch as `work` asked for; the output is fresh.
        unsafe {
            target.run(call, phase, chunk, self.work(call).phases[1], |to, elements| {
                fill(out.dtype.size(), out.ptr.add(to * out.dtype.size()), 0, elements);
            })
        }
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (indices, updates, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let target = Target { op: "scatter_nd", write: Write::Add, out, indices, updates };
        // SAFETY: dense views of the inferred types; the output is fresh.
        unsafe {
            cuda::fill(call, out, 0)?;
            target.run_cuda(call, false)
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
            let dx = reshape_to(&dx, &g.input_type(1).shape)?;
            g.give(1, dx);
        }
        Ok(())
    }
}

/// The number of index tuples, and how many indices each has.
pub(crate) fn tuples(indices: &[usize]) -> (usize, usize) {
    match indices.split_last() {
        Some((&depth, outer)) => (outer.iter().product(), depth),
        None => (1, 0),
    }
}

/// Rows of a dense tensor that are changed by updates, each at its place.
pub(crate) struct Target<'a> {
    pub op: &'static str,
    pub write: Write,
    pub out: &'a View,
    pub indices: &'a View,
    pub updates: &'a View,
}

impl Target<'_> {
    fn changes(&self) -> Changes {
        let (count, depth) = tuples(self.indices.dims());
        let (places, rest) = self.out.dims().split_at(depth);
        let [rows, row] = [places, rest].map(|dims| dims.iter().product());
        Changes { write: self.write, dtype: self.out.dtype, count, rows, row, sorted: false }
    }

    /// The work with changes that move `moved`.
    pub fn work(&self, moved: &View) -> Work {
        self.changes().work(moved.len() * moved.dtype.size())
    }

    /// Phase 0 checks the indices, phase 1 changes what belongs to `chunk`, each row in the order of the updates.
    ///
    /// `prepare` is given the first element of what will be changed and how many there are, before that, as often as it takes.
    ///
    /// # Safety
    /// As `Op::cpu`, with dense views, and the work that [`Target::work`] says.
    pub unsafe fn run(
        &self,
        call: &CpuCall<'_>,
        phase: usize,
        chunk: usize,
        chunks: usize,
        prepare: impl Fn(usize, usize),
    ) -> Result<()> {
        let (count, depth) = tuples(self.indices.dims());
        if phase == 0 {
            let places = &self.out.dims()[..depth];
            // SAFETY: by the caller's promise.
            return unsafe {
                rows::check(self.op, self.indices, count, depth, places, chunk, call.scratch)?;
                match self.write {
                    Write::Div if chunk == 0 => rows::check_divisors(self.op, self.updates, call.scratch),
                    _ => Ok(()),
                }
            };
        }
        let changes = self.changes();
        let own = changes.share(chunk, chunks);
        match own.columns.len() == changes.row {
            true => prepare(own.rows.start * changes.row, own.rows.len() * changes.row),
            false => own.rows.clone().for_each(|at| prepare(at * changes.row + own.columns.start, own.columns.len())),
        }
        // SAFETY: phase 0 checked the numbers; chunks change disjoint parts.
        unsafe { changes.run(&own, rows::numbers(call.scratch, count), self.out.ptr, self.updates.ptr) };
        Ok(())
    }
}

impl Target<'_> {
    /// The same on a GPU. With `all_or_nothing` no row changes if an index is refused.
    ///
    /// # Safety
    /// As `Op::cuda`, with dense views.
    pub unsafe fn run_cuda(&self, call: &CudaCall<'_>, all_or_nothing: bool) -> Result<()> {
        let (count, depth) = tuples(self.indices.dims());
        let (sizes, rest) = self.out.dims().split_at(depth);
        let names = Names::Tuples { indices: self.indices, sizes };
        let rows = Rows {
            write: self.write,
            to: self.out,
            rows: sizes.iter().product(),
            row: rest.iter().product(),
            updates: self.updates,
            count,
            all_or_nothing,
        };
        // SAFETY: by the caller's promise; the type rule checked that the updates fit.
        unsafe { cuda::scatter(call, &names, &rows) }
    }
}

/// An error unless the updates' shape is the indices' without the last dimension, then the rest of `whole`.
pub(crate) fn check_updates(op: &str, indices: &Shape, updates: &Shape, whole: &Shape) -> Result<()> {
    let depth = match indices.rank() {
        0 => None,
        rank => indices.dim(rank - 1).known_value(),
    };
    let Some(depth) = depth.filter(|&d| d <= whole.rank()) else {
        return Err(Error::invalid_argument(
            op,
            "the last dimension of the indices must count dimensions of the shape",
        )
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

/// What lays a part of a cotangent of this shape into zeros.
pub(crate) fn scattering(shape: &Shape) -> ScatterNd {
    ScatterNd { shape: *shape, part: true }
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
        Ok(shape) => {
            execute1(&ScatterNd { shape, part: false }, &[&*indices.as_tensor(), &*updates.as_tensor()])
        }
        Err(error) => Err(error.in_op("scatter_nd")),
    };
    scattered.map_err(|e| e.at(here))
}
