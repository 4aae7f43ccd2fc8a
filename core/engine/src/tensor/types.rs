//! What is known of a tensor before it is computed: dtype and shape.
//! Operations infer such types from those of their inputs; tensors, tapes and graphs carry them.

use kernels::dtype::DType;
use kernels::shape::Shape;
use std::fmt;

/// Dtype and shape of a tensor, TensorFlow's `TensorSpec` without a name.
///
/// ```
/// use eagerflow::{DType, Shape, TensorType};
/// let ty = TensorType::new(DType::F32, Shape::new(&[2, 3]).unwrap());
/// assert_eq!(ty.to_string(), "float32[2, 3]");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// The shape.
    pub shape: Shape,
    /// The element type.
    pub dtype: DType,
}

impl TensorType {
    /// The type of tensors with this dtype and shape.
    #[inline]
    pub const fn new(dtype: DType, shape: Shape) -> Self {
        Self { shape, dtype }
    }

    /// The type of scalars of this dtype.
    pub const fn scalar(dtype: DType) -> Self {
        Self { shape: Shape::SCALAR, dtype }
    }

    /// Bytes of all elements; more than any memory has, if that is no number of bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.shape.num_elements().saturating_mul(self.dtype.size())
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape)
    }
}

impl fmt::Debug for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
