//! `dynamic_stitch`: slices of several tensors put at their places of one; each data's gradient is gathered from dy.
//! TensorFlow's `tf.dynamic_stitch`, its gradient included: of several slices for one place the last counts, but dy goes to each.

use super::api::Tensors;
use super::size_from::size_from;
use super::tensor_scatter::try_tensor_scatter_nd_update;
use super::{AsTensors, cast_to, concat_all, functions, reshape_to, zeros_of};
use crate::constant::try_constant_of;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;
use std::panic::Location;

/// One tensor of all slices: slice `i` of `data[m]` lies at `indices[m][i]`. Indices may have any shape, with which their data begins.
/// How long the result is follows from the greatest index; of several slices for one place the last of the last counts.
///
/// ```
/// use eagerflow as tf;
/// let indices = [tf::constant(2), tf::constant([0, 1])];
/// let data = [tf::constant([5, 6]), tf::constant([[1, 2], [3, 4]])];
/// assert_eq!(tf::dynamic_stitch(&indices, &data).to_vec::<i32>(), [1, 2, 3, 4, 5, 6]);
/// ```
///
/// # Panics
/// As [`try_dynamic_stitch`] fails.
#[track_caller]
pub fn dynamic_stitch(indices: impl AsTensors, data: impl AsTensors) -> Tensor {
    try_dynamic_stitch(indices, data).or_fail()
}

/// One tensor of all slices, each at its index.
///
/// # Errors
/// InvalidArgument for lists that are empty or not equally long, and for data that does not begin with the shape of its indices or goes on
/// otherwise than the first; OutOfRange for a negative index.
#[track_caller]
pub fn try_dynamic_stitch(indices: impl AsTensors, data: impl AsTensors) -> Result<Tensor> {
    let here = Location::caller();
    stitched(indices, data).map_err(|e| e.named("dynamic_stitch").at(here))
}

fn listed<'a>(tensors: &'a Tensors<'_>) -> Result<Vec<&'a Tensor>> {
    match tensors {
        Tensors::Each(each) => Ok(each.iter().map(|tensor| &**tensor).collect()),
        Tensors::List(..) => {
            Err(Error::invalid_argument("dynamic_stitch", "a list that a loop made has no indices of its own")
                .expected("a slice, an array or a `Vec` of tensors"))
        }
    }
}

#[track_caller]
fn stitched(indices: impl AsTensors, data: impl AsTensors) -> Result<Tensor> {
    let op = "dynamic_stitch";
    let (indices, data) = (indices.as_tensors()?, data.as_tensors()?);
    let (indices, data) = (listed(&indices)?, listed(&data)?);
    if indices.is_empty() || indices.len() != data.len() {
        return Err(Error::invalid_argument(op, "each data needs its indices")
            .got(format!("{} indices, {} data", indices.len(), data.len()))
            .expected("as many of both, and at least one"));
    }
    let first = data[0];
    let rest: SmallVec<[Dim; MAX_RANK]> = first.shape().iter().skip(indices[0].rank()).collect();
    let (mut places, mut slices) = (Vec::new(), Vec::new());
    for (&at, &values) in indices.iter().zip(&data) {
        let begins = values.shape().sizes().get(..at.rank());
        let fits = begins.is_some_and(|sizes| sizes.iter().zip(at.shape().iter()).all(|(a, b)| a.can_equal(b)))
            && values.rank() - at.rank() == rest.len()
            && values.shape().iter().skip(at.rank()).zip(&rest).all(|(a, &b)| a.can_equal(b));
        if !fits || values.dtype() != first.dtype() || !at.dtype().is_integer() {
            return Err(Error::invalid_argument(op, "data does not fit its indices, or not the other data")
                .got(format!("data {} at {}", values.ty(), at.ty()))
                .expected(format!(
                    "data of {} that begins with the shape of its indices and goes on with {rest:?}",
                    first.dtype()
                )));
        }
        let count = at.shape().element_count();
        places.push(reshape_to(&cast_to(at, DType::I64)?, &Shape::from_dims(&[count, Dim::ONE])?)?);
        let dims: SmallVec<[Dim; MAX_RANK]> = std::iter::once(count).chain(rest.iter().copied()).collect();
        slices.push(reshape_to(values, &Shape::from_dims(&dims)?)?);
    }
    let places = concat_all(&places.iter().collect::<Vec<_>>(), 0)?;
    let slices = concat_all(&slices.iter().collect::<Vec<_>>(), 0)?;
    // Beside no indices at all.
    let none = try_constant_of([[-1]], DType::I64)?;
    let greatest = functions::try_reduce_max(&concat_all(&[&places, &none], 0)?, ())?;
    let length = size_from(&functions::try_maximum(&functions::try_add(&greatest, 1)?, 0)?)?;
    let dims: SmallVec<[Dim; MAX_RANK]> = std::iter::once(length).chain(rest.iter().copied()).collect();
    let zeros = zeros_of(&TensorType::new(first.dtype(), Shape::from_dims(&dims)?))?;
    try_tensor_scatter_nd_update(zeros, &places, &slices)
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_of_all_data() {
        let indices = [tf::constant([[4, 0], [1, 2]]), tf::constant(6)];
        check(&|x| tf::dynamic_stitch(&indices, x).square(), &[numbers(1, &[2, 2, 3]), numbers(2, &[3])]);
        // What is laid over is given a gradient too, as TensorFlow does.
        let (x, at) = (tf::constant([1.0, 2.0, 3.0]), tf::constant([0, 1, 1]));
        let mut tape = tf::GradientTape::new();
        tape.watch(&x);
        let y = tf::dynamic_stitch([&at], [&x]);
        assert_eq!(tape.gradient(&y, &x).to_vec::<f32>(), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn strings_edges_and_refusals() {
        let words = tf::dynamic_stitch([&tf::constant([3, 0])], [&tf::constant(["d", "a"])]);
        assert_eq!(words.to_strings(), ["a", "", "", "d"]);
        let none = tf::zeros([0]).cast(tf::DType::I32);
        assert_eq!(tf::dynamic_stitch([&none], [&tf::zeros([0, 2])]).shape(), [0, 2]);
        let (at, x) = (tf::constant([0, 1]), tf::ones([2, 2]));
        assert!(tf::try_dynamic_stitch([&at, &at], [&x, &tf::ones([2])]).is_err());
        assert!(tf::try_dynamic_stitch([&at], [&tf::ones([3])]).is_err());
        assert!(tf::try_dynamic_stitch([&at, &at], [&x]).is_err());
        let error = tf::try_dynamic_stitch([&tf::constant([-1, 1])], [&x]).unwrap_err().to_string();
        assert!(error.contains("dynamic_stitch"), "{error}");
    }
}
