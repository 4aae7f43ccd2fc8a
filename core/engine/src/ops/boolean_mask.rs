//! `boolean_mask`: the slices of a tensor where a mask is true, one after another; dx is dy at those places, else zero.
//! TensorFlow's `tf.boolean_mask`: `where_indices` of the mask, then `gather`.

use super::gather::try_gather;
use super::where_indices::indices_of;
use super::{AsTensor, reshape_to};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{Dim, MAX_RANK, Shape, resolve_axis};
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::panic::Location;

/// The slices of `x` where `mask` is true; the mask covers as many axes as it has, the first of them `axis`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1, 2], [3, 4], [5, 6]]);
/// let mask = tf::constant([true, false, true]);
/// assert_eq!(tf::boolean_mask(&x, &mask, 0).to_vec::<i32>(), [1, 2, 5, 6]);
/// assert_eq!(tf::boolean_mask(&x, &tf::greater(&x, 2), 0).to_vec::<i32>(), [3, 4, 5, 6]);
/// ```
///
/// # Panics
/// As [`try_boolean_mask`] fails.
#[track_caller]
pub fn boolean_mask(x: impl AsTensor, mask: impl AsTensor, axis: isize) -> Tensor {
    try_boolean_mask(x, mask, axis).or_fail()
}

/// The slices of `x` where `mask` is true.
///
/// # Errors
/// InvalidArgument for a mask that is not `bool`, is a scalar, or does not have the sizes of the axes it covers.
#[track_caller]
pub fn try_boolean_mask(x: impl AsTensor, mask: impl AsTensor, axis: isize) -> Result<Tensor> {
    let here = Location::caller();
    masked(&x.as_tensor(), &mask.as_tensor(), axis).map_err(|e| e.at(here))
}

#[track_caller]
fn masked(x: &Tensor, mask: &Tensor, axis: isize) -> Result<Tensor> {
    let axis = resolve_axis("boolean_mask", axis, x.rank())?;
    let covered = x.shape().sizes().get(axis..axis + mask.rank());
    let fits = covered.is_some_and(|sizes| sizes.iter().zip(mask.shape().iter()).all(|(a, b)| a.can_equal(b)));
    if mask.dtype() != DType::Bool || mask.rank() == 0 || !fits {
        return Err(Error::invalid_argument("boolean_mask", "the mask does not fit the tensor")
            .got(format!("{} for axes from {axis} of {}", mask.ty(), x.ty()))
            .expected("truth values with the sizes of those axes"));
    }
    let shape = x.shape();
    let count = mask.shape().element_count();
    let mut dims: SmallVec<[Dim; MAX_RANK]> = shape.iter().take(axis).collect();
    dims.push(count);
    dims.extend(shape.iter().skip(axis + mask.rank()));
    let flat = reshape_to(x, &Shape::from_dims(&dims)?)?;
    let rows = indices_of(&reshape_to(mask, &Shape::from_dims(&[count])?)?)?;
    let rows = reshape_to(&rows, &Shape::from_dims(&[rows.shape().dim(0)])?)?;
    try_gather(&flat, &rows, axis as isize)
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_refusals() {
        let x = numbers(1, &[2, 3, 2]);
        let mask = tf::constant([[true, false, true], [false, true, true]]);
        check(&|x| tf::boolean_mask(&x[0], &mask, 0).square(), std::slice::from_ref(&x));
        check(&|x| tf::boolean_mask(&x[0], &tf::constant([false, true, true]), 1).square(), std::slice::from_ref(&x));
        assert_eq!(tf::boolean_mask(&x, &tf::constant([false, false]), 0).shape(), [0, 3, 2]);
        for mask in [tf::constant([true, true, true]), tf::constant(true), tf::constant([1, 0])] {
            assert!(tf::try_boolean_mask(&x, &mask, 0).is_err());
        }
        assert!(tf::try_boolean_mask(&x, &mask, 2).is_err() && tf::try_boolean_mask(&x, &mask, 3).is_err());
    }
}
