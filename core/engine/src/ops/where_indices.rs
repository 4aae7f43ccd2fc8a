//! `where_indices`: the indices of all elements that are not zero, one row each, in row-major order; no gradient flows.
//! TensorFlow's `tf.where` with one argument. How many rows there are is known only when it runs.

use super::{NotEqual, NumberOf, public};
use kernels::backend::cpu::{CpuCall, View};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::{DType, DTypes, Number, bf16, f16};
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Outputs, identity};
use kernels::shape::{Dim, Shape};
use crate::tensor::Tensor;
use smallvec::smallvec;

#[derive(Clone)]
pub(crate) struct WhereIndices;

impl Op for WhereIndices {
    identity!("where_indices");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::ALL)?;
        let count = match cx.count_set(0).map(Dim::known) {
            Some(count) => count,
            None => match cx.value(0) {
            Some(view) => {
                let mut count = 0;
                // SAFETY: a valid view.
                unsafe { for_each_set(&view, |_| count += 1) };
                Dim::known(count)
            }
            None => cx.unknown_dim(),
            },
        };
        cx.output(DType::I64, Shape::from_dims(&[count, Dim::known(cx.shape(0).rank())])?);
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let (input, mut out) = (&call.inputs[0], call.outputs[0].ptr.cast::<i64>());
        // The value may be changed only between calls, so this counts as `infer` did; the guard keeps memory safe.
        let mut left = call.outputs[0].dims()[0];
        // SAFETY: a valid view, and room for as many rows as `left` counts.
        unsafe {
            for_each_set(input, |flat| {
                if left == 0 {
                    return;
                }
                left -= 1;
                let mut rest = flat;
                for axis in (0..input.rank()).rev() {
                    out.add(axis).write((rest % input.dims()[axis]) as i64);
                    rest /= input.dims()[axis];
                }
                out = out.add(input.rank());
            });
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        // SAFETY: a valid view, and a dense fresh output.
        unsafe { cuda::write_set(call, &call.inputs[0], &call.outputs[0]) }
    }

    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        let zero = Number::Int(0).tensor("where", inputs[0].dtype())?;
        let set = execute1(&NotEqual, &[inputs[0], &zero])?;
        Ok(Some(smallvec![execute1(&Self, &[&set])?]))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("indices do not change with small changes of the values")
    }
}

/// Calls `visit` with the flat index of every element that is not zero (or that is NaN).
///
/// # Safety
/// The view is valid.
unsafe fn for_each_set(view: &View, mut visit: impl FnMut(usize)) {
    macro_rules! walk {
        ($t:ty, $zero:expr) => {{
            let mut flat = 0;
            kernels::backend::cpu::merge_dims::for_each_row(view.dims(), view.strides(), |offset, len, stride| {
                for i in 0..len {
                    // SAFETY: an element of the view.
                    if unsafe { *view.ptr.cast::<$t>().offset(offset + i as isize * stride) } != $zero {
                        visit(flat + i);
                    }
                }
                flat += len;
            });
        }};
    }
    match view.dtype {
        DType::F32 => walk!(f32, 0.0),
        DType::F64 => walk!(f64, 0.0),
        DType::F16 => walk!(f16, f16::ZERO),
        DType::BF16 => walk!(bf16, bf16::ZERO),
        other => match other.size() {
            1 => walk!(u8, 0),
            2 => walk!(u16, 0),
            4 => walk!(u32, 0),
            _ => walk!(u64, 0),
        },
    }
}

/// The indices of all true elements, `[count, rank]`.
#[track_caller]
pub(crate) fn indices_of(x: &Tensor) -> Result<Tensor> {
    execute1(&WhereIndices, &[x])
}

public! {
    /// The indices of all elements that are true (or not zero), as rows of an `int64` matrix in row-major order.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[0, 7], [8, 0]]);
    /// assert_eq!(tf::where_indices(&x).to_vec::<i64>(), [0, 1, 1, 0]);
    /// ```
    pub fn where_indices, try_where_indices(x) -> Tensor {
        indices_of(x)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn layouts_and_edges() {
        let x = tf::constant([[0.0, f32::NAN], [-0.0, 2.0], [3.0, 0.0]]);
        assert_eq!(tf::where_indices(&x).to_vec::<i64>(), [0, 1, 1, 1, 2, 0]);
        assert_eq!(tf::where_indices(&tf::transpose(&x, [])).to_vec::<i64>(), [0, 2, 1, 0, 1, 1]);
        assert_eq!(tf::where_indices(&tf::constant(true)).shape(), [1, 0]);
        assert_eq!(tf::where_indices(&tf::constant(false)).shape(), [0, 0]);
        assert_eq!(tf::where_indices(&tf::zeros([0, 3])).shape(), [0, 2]);
        assert_eq!(tf::where_indices(&tf::ones([1; 8])).to_vec::<i64>(), [0; 8]);
    }
}
