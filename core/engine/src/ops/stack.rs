//! `stack`: tensors of one shape side by side along a new axis; each dx is its slice of dy.
//! TensorFlow's `tf.stack`: a new axis of size 1 in each tensor, then `concat`, which copies once.

use super::{AsTensors, Tensors, concat_all, no_tensors, reshape_to};
use kernels::error::{Error, OrFail, Result};
use super::transpose::permuted;
use crate::execute::execute1;
use crate::lists::whole::StackList;
use kernels::shape::{Dim, resolve_axis};
use crate::tensor::{Tensor, TensorType};
use std::panic::Location;

/// Tensors of one shape and dtype as one tensor with a new axis at position `axis` (of the result).
///
/// ```
/// use eagerflow as tf;
/// let (a, b) = (tf::constant([1, 2]), tf::constant([3, 4]));
/// assert_eq!(tf::stack(&[&a, &b], 0).to_vec::<i32>(), [1, 2, 3, 4]);
/// assert_eq!(tf::stack(&[&a, &b], -1).to_vec::<i32>(), [1, 3, 2, 4]);
/// ```
///
/// # Panics
/// As [`try_stack`] fails.
#[track_caller]
pub fn stack<L: AsTensors + ?Sized>(tensors: &L, axis: isize) -> Tensor {
    try_stack(tensors, axis).or_fail()
}

/// Tensors of one shape and dtype as one tensor with a new axis.
///
/// # Errors
/// InvalidArgument for no tensors, shapes or dtypes that differ, an axis that cannot be, or more than 8 dimensions.
#[track_caller]
pub fn try_stack<L: AsTensors + ?Sized>(tensors: &L, axis: isize) -> Result<Tensor> {
    let here = Location::caller();
    let stacked = match tensors.as_tensors() {
        Ok(Tensors::Each(held)) => stack_all(&held.iter().map(|t| &**t).collect::<Vec<_>>(), axis),
        Ok(Tensors::List(list, item)) => stack_list(list, item, axis),
        Err(error) => Err(error),
    };
    stacked.map_err(|e| e.in_op("stack").at(here))
}

#[track_caller]
pub(crate) fn stack_all(tensors: &[&Tensor], axis: isize) -> Result<Tensor> {
    let Some(first) = tensors.first() else {
        return Err(no_tensors("stack"));
    };
    let axis = resolve_axis("stack", axis, first.rank() + 1)?;
    let mut rows = Vec::with_capacity(tensors.len());
    for &tensor in tensors {
        let fits = tensor.rank() == first.rank()
            && tensor.shape().iter().zip(first.shape().iter()).all(|(a, b)| a.can_equal(b));
        if !fits || tensor.dtype() != first.dtype() {
            return Err(Error::invalid_argument("stack", "the tensors have different types")
                .got(format!("{} and {}", first.ty(), tensor.ty()))
                .expected("one shape and dtype for all")
                .help("use `concat` for tensors that differ along one axis"));
        }
        rows.push(reshape_to(tensor, &tensor.shape().insert(axis, Dim::ONE)?)?);
    }
    concat_all(&rows.iter().collect::<Vec<_>>(), axis)
}

/// The items of a list of the graph.
#[track_caller]
fn stack_list(list: &Tensor, item: TensorType, axis: isize) -> Result<Tensor> {
    let axis = resolve_axis("stack", axis, item.shape.rank() + 1)?;
    let rows = execute1(&StackList { item, count: None, some: true }, &[list])?;
    if axis == 0 {
        return Ok(rows);
    }
    let place = |k: usize| if k == axis { 0 } else { k + usize::from(k < axis) };
    permuted(&rows, &(0..=item.shape.rank()).map(place).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_refusals() {
        for axis in [0, 1, -1] {
            check(&|x| tf::stack(&[&x[0], &x[1]], axis).square(), &[numbers(1, &[2, 3]), numbers(2, &[2, 3])]);
        }
        let (a, b) = (tf::constant([1, 2]), tf::constant([1, 2, 3]));
        let error = tf::try_stack(&[&a, &b], 0).unwrap_err().to_string();
        assert!(error.contains("stack") && error.contains("[2]") && error.contains("[3]"), "{error}");
        assert!(tf::try_stack::<[&tf::Tensor]>(&[], 0).is_err() && tf::try_stack(&[&a], 2).is_err());
        assert!(tf::try_stack(&[&tf::ones([1; 8])], 0).is_err());
        assert_eq!(tf::stack(&[&tf::constant(1), &tf::constant(2)], 0).to_vec::<i32>(), [1, 2]);
    }
}
