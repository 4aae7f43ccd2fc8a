//! [`IntoCount`]: what `repeat`, `take` and `skip` take for a number of elements or passes.
//! A number of the host, or a tensor that a traced function computes.

use crate::ops::AsTensor;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// A number of elements or passes: `usize`, or an integer scalar. `None`, and a tensor below zero, stand for all of them, as -1 does in
/// TensorFlow.
pub trait IntoCount {
    /// The number as an `int64` scalar, below zero for all.
    #[doc(hidden)]
    #[track_caller]
    fn into_count(self) -> Result<Tensor>;
}

impl IntoCount for usize {
    fn into_count(self) -> Result<Tensor> {
        Ok(Tensor::from(i64::try_from(self).unwrap_or(i64::MAX)))
    }
}

impl IntoCount for Option<usize> {
    fn into_count(self) -> Result<Tensor> {
        self.map_or_else(|| Ok(Tensor::from(-1i64)), IntoCount::into_count)
    }
}

impl IntoCount for &Tensor {
    #[track_caller]
    fn into_count(self) -> Result<Tensor> {
        let given = self.as_tensor();
        match given.rank() == 0 && given.dtype().is_integer() {
            true => given.try_cast(DType::I64),
            false => Err(Error::invalid_argument("dataset", "a count is no integer")
                .got(given.ty())
                .expected("an integer scalar")),
        }
    }
}

impl IntoCount for Tensor {
    #[track_caller]
    fn into_count(self) -> Result<Tensor> {
        (&self).into_count()
    }
}

/// The number, `None` for all.
pub(super) fn counted(count: &Tensor) -> Result<Option<usize>> {
    Ok(usize::try_from(count.try_item::<i64>()?).ok())
}
