//! `one_hot`: a new axis that is `on` at each index and `off` elsewhere; no gradient flows, as in TensorFlow.
//! TensorFlow's `tf.one_hot`; an index outside the depth gives a row of `off`.

use super::AsTensor;
use super::operand::{Operand, ToOperand};
use kernels::backend::cpu::vector::{fill, load_bits};
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::backend::cuda::{CudaCall, DIVIDED, Kernel, bits_of};
use kernels::dtype::DTypes;
use kernels::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::meaning::{joined, parts};
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Outputs, identity};
use kernels::shape::{Dim, IntoDim, Shape, resolve_axis};
use crate::tensor::Tensor;
use smallvec::smallvec;
use std::panic::Location;
use std::sync::Arc;

/// Inputs: indices, and the two values as scalars of one dtype.
#[derive(Clone)]
pub(crate) struct OneHot {
    /// The size of the new axis, as a shape of one dimension so that it may be a symbol.
    depth: Shape,
    axis: usize,
}

/// Bytes of output that one chunk writes, about.
const CHUNK: usize = 128 * 1024;

impl Op for OneHot {
    identity!("one_hot", { "depth": Shape = |this| &this.depth, "axis": Int = |this| this.axis as i64 });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { depth: self.depth.bind(lookup)?, axis: self.axis })))
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::INTEGERS)?;
        cx.check_dtype(1, DTypes::MOVABLE)?;
        if cx.dtype(1) != cx.dtype(2) || cx.shape(1).rank() + cx.shape(2).rank() != 0 {
            return Err(Error::invalid_argument("one_hot", "the values must be two scalars of one dtype")
                .got(format!("{} and {}", cx.input(1), cx.input(2)))
                .help("convert one of them with `cast`"));
        }
        let shape = cx.shape(0).insert(self.axis, self.depth.dim(0)).map_err(|e| e.in_op("one_hot"))?;
        cx.output(cx.dtype(1), shape);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let (outer, ..) = self.split(call);
        let bytes = call.outputs[0].len() * call.outputs[0].dtype.size();
        Work::chunks(bytes.div_ceil(CHUNK).clamp(1, outer.max(1)))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let out = &call.outputs[0];
        let (outer, depth, inner) = self.split(call);
        let size = out.dtype.size();
        let rows = part(outer, chunk, self.work(call).phases[0], 1);
        // SAFETY: dense views of the inferred types; each chunk has its own rows of indices and output.
        unsafe {
            let (on, off) = (load_bits(size, call.inputs[1].ptr), load_bits(size, call.inputs[2].ptr));
            fill(size, out.ptr.add(rows.start * depth * inner * size), off, rows.len() * depth * inner);
            let indices = call.inputs[0].part(rows.start * inner, rows.len() * inner).integers();
            for (i, &index) in indices.iter().enumerate().filter(|(_, at)| **at >= 0 && **at < depth as i64) {
                let place = ((rows.start + i / inner) * depth + index as usize) * inner + i % inner;
                fill(size, out.ptr.add(place * size), on, 1);
            }
        }
        Ok(())
    }

    /// The two values.
    fn takes_from_host(&self, index: usize) -> bool {
        index > 0
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (indices, out) = (&call.inputs[0], &call.outputs[0]);
        let inner: usize = indices.dims()[self.axis..].iter().product();
        // SAFETY: dense views of the inferred types.
        unsafe {
            call.elements(&ONE_HOT, &[bits_of(out.dtype.size()), indices.dtype], out.len(), |arguments| {
                arguments.view(indices);
                arguments.number_or_place(call, 1);
                arguments.number_or_place(call, 2);
                arguments.view(out);
                arguments.size(out.dims()[self.axis]);
                arguments.size(inner);
            })
        }
    }

    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        let [indices, on, off] = inputs else { return Ok(None) };
        if on.dtype() != off.dtype() || indices.dtype().is_complex() {
            return Ok(None);
        }
        let (on, off) = (parts(on)?, parts(off)?);
        let (re, im) = (execute1(self, &[*indices, &on.0, &off.0])?, execute1(self, &[*indices, &on.1, &off.1])?);
        Ok(Some(smallvec![joined(&re, &im)?]))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("`one_hot` only looks at indices")
    }
}

static ONE_HOT: Kernel = Kernel {
    name: "one_hot",
    text: &[
        DIVIDED,
        r#"
extern "C" __global__ void one_hot(index_t count, const T1* indices, T0 on, const T0* on_place, T0 off,
                                   const T0* off_place, T0* to, index_t depth, index_t inner) {
  if (on_place) on = *on_place;
  if (off_place) off = *off_place;
  ELEMENTS(i, count) {
    index_t within, at;
    index_t outer = divided(divided(i, inner, within), depth, at);
    to[i] = (index_t)wide(indices[outer * inner + within]) == at ? on : off;
  }
}
"#
    ],
};

impl OneHot {
    /// Indices before the new axis, its size, and indices after it.
    fn split(&self, call: &CpuCall<'_>) -> (usize, usize, usize) {
        let dims = call.inputs[0].dims();
        let inner: usize = dims[self.axis..].iter().product();
        // An inner size of 0 has no indices at all.
        let outer = if inner == 0 { 0 } else { dims[..self.axis].iter().product() };
        (outer, call.outputs[0].dims()[self.axis], inner)
    }
}

/// Rows of `depth` numbers (`float32`) that are 1 at the index and 0 elsewhere, along a new last axis.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::one_hot(&tf::constant([2, 0]), 3);
/// assert_eq!(x.to_vec::<f32>(), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
/// ```
///
/// # Panics
/// As [`try_one_hot`] fails.
#[track_caller]
pub fn one_hot(indices: impl AsTensor, depth: impl IntoDim) -> Tensor {
    try_one_hot(indices, depth, 1.0, 0.0, -1).or_fail()
}

/// As [`one_hot`] with the value at the index, the value elsewhere (numbers or scalar tensors) and the position of the
/// new axis.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::one_hot_with(&tf::constant([2, 0]), 3, 5, -1, 0);
/// assert_eq!(x.to_vec::<i32>(), [-1, 5, -1, -1, 5, -1]);
/// ```
///
/// # Panics
/// As [`try_one_hot`] fails.
#[track_caller]
pub fn one_hot_with(
    indices: impl AsTensor,
    depth: impl IntoDim,
    on: impl ToOperand,
    off: impl ToOperand,
    axis: isize,
) -> Tensor {
    try_one_hot(indices, depth, on, off, axis).or_fail()
}

/// `on` at the index and `off` elsewhere, along a new axis of size `depth`.
///
/// # Errors
/// InvalidArgument for indices that are not integers, values of different dtypes, or an axis that cannot be.
#[track_caller]
pub fn try_one_hot(
    indices: impl AsTensor,
    depth: impl IntoDim,
    on: impl ToOperand,
    off: impl ToOperand,
    axis: isize,
) -> Result<Tensor> {
    let here = Location::caller();
    let (on, off) = (on.to_operand(), off.to_operand());
    let depth = depth.into_dim().map_err(|e| e.in_op("one_hot").at(here))?;
    hot(&indices.as_tensor(), depth, on, off, axis).map_err(|e| e.in_op("one_hot").at(here))
}

#[track_caller]
fn hot(indices: &Tensor, depth: Dim, on: Operand<'_>, off: Operand<'_>, axis: isize) -> Result<Tensor> {
    let axis = resolve_axis("one_hot", axis, indices.rank() + 1)?;
    let dtype = Operand::common_dtype(&[&on, &off]);
    let (on, off) = (on.tensor("one_hot", dtype)?, off.tensor("one_hot", dtype)?);
    execute1(&OneHot { depth: Shape::from_dims(&[depth])?, axis }, &[indices, &on, &off])
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn axes_values_and_edges() {
        let x = tf::constant([[0, 1], [3, -1]]);
        let y = tf::one_hot_with(&x, 4, 5.0, 1.0, 1);
        let want = [5.0, 1.0, 1.0, 5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 5.0, 1.0];
        assert_eq!(y.to_vec::<f32>(), want);
        assert_eq!(tf::one_hot(&tf::constant(1), 3).to_vec::<f32>(), [0.0, 1.0, 0.0]);
        assert_eq!(tf::one_hot(&x, 0).shape(), [2, 2, 0]);
        assert_eq!(
            tf::one_hot_with(&tf::cast(&tf::zeros([0, 2]), tf::DType::I64), 3, true, false, 0).shape(),
            [3, 0, 2]
        );
        assert!(tf::try_one_hot(&tf::constant(1.5), 3, 1, 0, -1).is_err());
        assert!(tf::try_one_hot(&x, 3, 1, &tf::constant([0, 0]), -1).is_err());
        assert!(tf::try_one_hot(&x, 3, 1, 0, 3).is_err());
    }

    #[test]
    fn many_rows_are_shared_out() {
        let labels = tf::range(0, 50_000, 1) % 10;
        let y = tf::one_hot(&labels, 10).to_vec::<f32>();
        assert!(y.iter().enumerate().all(|(i, &v)| v == f32::from(i / 10 % 10 == i % 10)));
    }
}
