//! `shape`, `size` and `rank`: the sizes of a tensor as a tensor, which a graph computes when it runs; no gradient.
//! TensorFlow's `tf.shape`, `tf.size` and `tf.rank`, `int32`.

use super::support::size_of;
use super::AsTensor;
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use kernels::shape::AxisSet;
use crate::tensor::Tensor;

/// The sizes of the axes, an `int32` vector. In a traced function they are values of the graph: reading them pins nothing.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::shape(&tf::zeros([2, 3])).to_vec::<i32>(), [2, 3]);
/// ```
///
/// # Panics
/// Without memory.
#[track_caller]
pub fn shape(x: impl AsTensor) -> Tensor {
    sizes(&x.as_tensor()).or_fail()
}

/// The number of elements, an `int32` scalar.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::size(&tf::zeros([2, 3])).item::<i32>(), 6);
/// ```
///
/// # Panics
/// Without memory.
#[track_caller]
pub fn size(x: impl AsTensor) -> Tensor {
    let x = x.as_tensor();
    super::reduce_mean::count_of(x.shape(), AxisSet::all(x.rank()), DType::I32).or_fail()
}

/// The number of axes, an `int32` scalar, as TensorFlow's `tf.rank`; [`Tensor::rank`] is the same as a number.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::rank(&tf::zeros([2, 3])).item::<i32>(), 2);
/// ```
///
/// # Panics
/// Without memory.
#[track_caller]
pub fn rank(x: impl AsTensor) -> Tensor {
    crate::constant::try_constant_of(x.as_tensor().rank() as i32, DType::I32).or_fail()
}

#[track_caller]
fn sizes(x: &Tensor) -> Result<Tensor> {
    if x.shape().is_known() {
        let sizes: Vec<i32> = x.shape().dims().iter().map(|&d| i32::try_from(d).unwrap_or(i32::MAX)).collect();
        return crate::constant::try_constant_of(sizes, DType::I32);
    }
    let mut sizes = Vec::with_capacity(x.rank());
    // No closure asks: inside one the caller would be this file.
    for axis in 0..x.rank() {
        sizes.push(size_of(x.shape(), axis)?);
    }
    super::functions::try_stack(&sizes, 0)
}
