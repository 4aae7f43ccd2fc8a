//! `eye`: ones on the diagonal of a matrix of zeros; it has no inputs and so no gradient.
//! TensorFlow's `tf.eye`, for every dtype and any batch of matrices.

use kernels::backend::cpu::{CpuCall, vector};
use kernels::backend::cuda::{CudaCall, Kernel, bits_of};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use crate::execute::execute1;
use super::cast_to;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use kernels::shape::{IntoDim, IntoShape, Shape};
use crate::tensor::Tensor;
use std::panic::Location;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Eye {
    shape: Shape,
    dtype: DType,
}

impl Op for Eye {
    identity!("eye", { "shape": Shape = |this| &this.shape, "dtype": DType = |this| this.dtype });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)?, dtype: self.dtype })))
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.output(self.dtype, self.shape);
        Ok(())
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let out = &call.outputs[0];
        let (rows, columns) = (out.dims()[out.rank() - 2], out.dims()[out.rank() - 1]);
        let (size, one) = (self.dtype.size(), vector::encode(self.dtype, 1.0));
        // SAFETY: a dense fresh output of this dtype; diagonal elements lie inside their matrix.
        unsafe {
            vector::fill(size, out.ptr, 0, out.len());
            for matrix in 0..out.len().checked_div(rows * columns).unwrap_or(0) {
                for i in 0..rows.min(columns) {
                    let place = (matrix * rows + i) * columns + i;
                    vector::fill(size, out.ptr.add(place * size), one, 1);
                }
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let out = &call.outputs[0];
        let (rows, columns) = (out.dims()[out.rank() - 2], out.dims()[out.rank() - 1]);
        // SAFETY: a dense fresh output of as many elements of this size.
        unsafe {
            call.elements(&EYE, &[bits_of(self.dtype.size())], out.len(), |arguments| {
                arguments.view(out);
                arguments.value(vector::encode(self.dtype, 1.0));
                arguments.size(rows);
                arguments.size(columns);
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a constant depends on nothing")
    }
}

static EYE: Kernel = Kernel {
    name: "eye",
    text: &[r#"
extern "C" __global__ void eye(index_t count, T0* to, T0 one, index_t rows, index_t columns) {
  ELEMENTS(i, count) {
    index_t row = i / columns;
    to[i] = row % rows == i - row * columns ? one : (T0)0;
  }
}
"#],
};

/// The identity matrix with `rows` rows and columns, `float32`; [`try_eye`] takes other forms and dtypes.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::eye(2).to_vec::<f32>(), [1.0, 0.0, 0.0, 1.0]);
/// ```
///
/// # Panics
/// With more memory than there is.
#[track_caller]
pub fn eye(rows: impl IntoDim) -> Tensor {
    let here = Location::caller();
    let rows = rows.into_dim().map_err(|e| e.in_op("eye").at(here)).or_fail();
    try_eye([rows, rows], DType::F32).or_fail()
}

/// Ones on the diagonal of matrices of zeros; the last two sizes of `shape` are rows and columns, those before a batch.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::try_eye([2, 3], tf::DType::I32)?;
/// assert_eq!(x.to_vec::<i32>(), [1, 0, 0, 0, 1, 0]);
/// # Ok::<(), tf::Error>(())
/// ```
///
/// # Errors
/// InvalidArgument for fewer than two sizes or a negative one, ResourceExhausted without memory.
#[track_caller]
pub fn try_eye(shape: impl IntoShape, dtype: DType) -> Result<Tensor> {
    let here = Location::caller();
    shape.into_shape().and_then(|shape| diagonal(shape, dtype)).map_err(|e| e.in_op("eye").at(here))
}

#[track_caller]
fn diagonal(shape: Shape, dtype: DType) -> Result<Tensor> {
    if shape.rank() < 2 || dtype.size() == 0 {
        return Err(Error::invalid_argument("eye", "an identity matrix needs rows and columns of numbers")
            .got(format!("{dtype}{shape}"))
            .expected("at least two sizes and a dtype of numbers"));
    }
    // Of complex numbers, one whose elements have no imaginary part.
    cast_to(&execute1(&Eye { shape, dtype: dtype.real_dtype() }, &[])?, dtype)
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use tf::DType;

    #[test]
    fn batches_dtypes_and_edges() {
        assert_eq!(tf::try_eye([2, 2, 1], DType::Bool).unwrap().to_vec::<bool>(), [true, false, true, false]);
        assert_eq!(tf::eye(0).shape(), [0, 0]);
        assert_eq!(tf::try_eye([3, 0, 2], DType::F16).unwrap().shape(), [3, 0, 2]);
        assert!(tf::try_eye([3], DType::F32).is_err() && tf::try_eye([2, -1], DType::F32).is_err());
    }
}
