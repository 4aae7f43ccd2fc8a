//! [`TensorSpec`]: the dtype and the sizes of a tensor that is not there yet, some of them open. Users describe inputs of concrete
//! functions and of models with it, and results of host functions.

use crate::module::InputSpec;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, Shape};
use smallvec::SmallVec;
use std::fmt;

/// The dtype and shape of an input, in which `None` is any size: TensorFlow's `tf.TensorSpec`.
///
/// ```
/// use eagerflow as tf;
/// let words = tf::TensorSpec::new([None, Some(128)], tf::int32);
/// assert_eq!(words.to_string(), "int32[_,128]");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorSpec {
    dtype: DType,
    sizes: SmallVec<[Option<usize>; 8]>,
}

impl TensorSpec {
    /// Of a shape of numbers or of `Option`s, and a dtype.
    pub fn new<S: Into<Option<usize>>, const N: usize>(shape: [S; N], dtype: DType) -> Self {
        Self { dtype, sizes: shape.into_iter().map(Into::into).collect() }
    }

    /// The dtype.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Of a type, whose sizes that are not known are open.
    pub(crate) fn of_type(ty: &TensorType) -> Self {
        Self { dtype: ty.dtype, sizes: ty.shape.iter().map(Dim::known_value).collect() }
    }

    /// The type with a size of its own for each that is open, of all tensors of one list.
    pub(crate) fn types(list: &[Self]) -> Result<Vec<TensorType>> {
        let mut open = 0;
        let mut size = |size: &Option<usize>| {
            open += 1;
            size.map_or(Dim::unbacked(open - 1), Dim::known)
        };
        let mut one = |spec: &Self| {
            let sizes: SmallVec<[Dim; 8]> = spec.sizes.iter().map(&mut size).collect();
            Ok(TensorType::new(spec.dtype, Shape::from_dims(&sizes)?))
        };
        list.iter().map(&mut one).collect()
    }

    /// The sizes, as far as they are fixed.
    pub fn shape(&self) -> &[Option<usize>] {
        &self.sizes
    }
}

impl fmt::Display for TensorSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.dtype)?;
        for (i, size) in self.sizes.iter().enumerate() {
            f.write_str(if i > 0 { "," } else { "" })?;
            match size {
                Some(size) => write!(f, "{size}")?,
                None => f.write_str("_")?,
            }
        }
        f.write_str("]")
    }
}

impl InputSpec for TensorSpec {
    type Tensors = Tensor;

    fn tensors(&self, make: &mut dyn FnMut(&TensorType) -> Tensor) -> Result<Tensor> {
        let size = |(axis, size): (usize, &Option<usize>)| size.map_or(Dim::symbol(axis as u32), Dim::known);
        let sizes: SmallVec<[Dim; 8]> = self.sizes.iter().enumerate().map(size).collect();
        Ok(make(&TensorType::new(self.dtype, Shape::from_dims(&sizes)?)))
    }
}
