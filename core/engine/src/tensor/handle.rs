//! [`TensorRef`]: a tensor as operations are given it, a reference or a handle to keep.
//! Conversions of operands make them, and tapes keep what they are given instead of counting handles of their own.

use super::Tensor;
use std::ops::Deref;

/// A tensor that was given, or read from a variable.
#[doc(hidden)]
pub enum TensorRef<'a> {
    /// Given by reference.
    Borrowed(&'a Tensor),
    /// Made for the call.
    Owned(Tensor),
}

impl TensorRef<'_> {
    /// The tensor, or a handle of it.
    #[inline]
    pub(crate) fn into_owned(self) -> Tensor {
        match self {
            Self::Borrowed(tensor) => tensor.clone(),
            Self::Owned(tensor) => tensor,
        }
    }
}

impl Deref for TensorRef<'_> {
    type Target = Tensor;

    #[inline]
    fn deref(&self) -> &Tensor {
        match self {
            Self::Borrowed(tensor) => tensor,
            Self::Owned(tensor) => tensor,
        }
    }
}
