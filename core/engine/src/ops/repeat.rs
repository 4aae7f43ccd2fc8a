//! `repeat`: each slice along an axis several times; dx is dy added up over the repeats.
//! TensorFlow's `tf.repeat`: a `gather` of as many places as the repeats add up to, or a view where all repeats are one number.

use super::axes::IntoAxes;
use super::band_part::places;
use super::gather::try_gather;
use super::operand::{Operand, ToOperand};
use super::searchsorted::{Side, search_row};
use super::size_from::size_from;
use super::{AsTensor, broadcast_to_shape, cast_to, functions, reshape_to};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;
use std::panic::Location;

/// The slices of `x` along `axis`, each as often as `repeats` says: a number for all, or an integer vector with one for each (0 or
/// less leaves the slice out). The axis `()` stands for the elements of the tensor in a row.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1, 2], [3, 4]]);
/// assert_eq!(tf::repeat(&x, 2, 1).to_vec::<i32>(), [1, 1, 2, 2, 3, 3, 4, 4]);
/// assert_eq!(tf::repeat(&x, &tf::constant([0, 2]), 0).to_vec::<i32>(), [3, 4, 3, 4]);
/// assert_eq!(tf::repeat(&x, 2, ()).to_vec::<i32>(), [1, 1, 2, 2, 3, 3, 4, 4]);
/// ```
///
/// # Panics
/// As [`try_repeat`] fails.
#[track_caller]
pub fn repeat(x: impl AsTensor, repeats: impl ToOperand, axis: impl IntoAxes) -> Tensor {
    try_repeat(x, repeats, axis).or_fail()
}

/// The slices of `x` along `axis`, each as often as `repeats` says.
///
/// # Errors
/// InvalidArgument for repeats that are no integers, do not fit the axis, or are one negative number, and for several axes.
#[track_caller]
pub fn try_repeat(x: impl AsTensor, repeats: impl ToOperand, axis: impl IntoAxes) -> Result<Tensor> {
    let here = Location::caller();
    repeated(&x.as_tensor(), repeats.to_operand(), axis).map_err(|e| e.named("repeat").at(here))
}

#[track_caller]
fn repeated(x: &Tensor, repeats: Operand<'_>, axis: impl IntoAxes) -> Result<Tensor> {
    let dtype = Operand::common_dtype(&[&repeats]);
    let repeats = repeats.tensor("repeat", dtype)?;
    if !repeats.dtype().is_integer() || repeats.rank() > 1 {
        return Err(Error::invalid_argument("repeat", "how often must be an integer, or a vector of integers")
            .got(repeats.ty()));
    }
    let axes = axis.into_axes();
    let whole = axes == ().into_axes();
    let x = match whole || x.rank() == 0 {
        true => reshape_to(x, &Shape::from_dims(&[x.shape().element_count()])?)?,
        false => x.clone(),
    };
    let axis = match whole {
        true => 0,
        false => {
            let (set, _) = axes.resolve("repeat", x.rank())?;
            let mut list = set.iter();
            match (list.next(), list.next()) {
                (Some(axis), None) => axis,
                _ => {
                    return Err(Error::invalid_argument("repeat", "slices lie along one axis")
                        .got(format!("{} axes", set.len()))
                        .expected("one axis, or `()` for the elements in a row"));
                }
            }
        }
    };
    if repeats.shape().element_count() == Dim::ONE {
        return alike(&x, &reshape_to(&repeats, &Shape::SCALAR)?, axis);
    }
    if !repeats.shape().dim(0).can_equal(x.shape().dim(axis)) {
        return Err(Error::invalid_argument("repeat", "there are not as many repeats as slices")
            .got(format!("{} repeats for {}", repeats.shape(), x.shape()))
            .expected(format!("{} of them, or one for all", x.shape().dim(axis))));
    }
    let line = Shape::from_dims(&[x.shape().dim(axis)])?;
    // Sizes without numbers must turn out equal.
    let repeats = super::ensure_shape::try_ensure_shape(&cast_to(&repeats, DType::I32)?, line)?;
    let ends = functions::try_cumsum(&functions::try_maximum(&repeats, 0)?, 0)?;
    let total = size_from(&functions::try_reduce_sum(&functions::try_maximum(&repeats, 0)?, ())?)?;
    let numbers = places(&Shape::from_dims(&[total])?, 0)?;
    try_gather(&x, &search_row(&ends, &numbers, Side::Right)?, axis as isize)
}

/// All slices equally often: a new axis behind theirs, which shows each again and again.
#[track_caller]
fn alike(x: &Tensor, repeats: &Tensor, axis: usize) -> Result<Tensor> {
    let often = size_from(repeats)?;
    let sizes = x.shape().sizes();
    let with = |middle: &[Dim]| -> Result<Shape> {
        let dims: SmallVec<[Dim; MAX_RANK]> =
            sizes[..axis].iter().chain(middle).chain(&sizes[axis + 1..]).copied().collect();
        Shape::from_dims(&dims)
    };
    let own = sizes[axis];
    let shown = broadcast_to_shape(&reshape_to(x, &with(&[own, Dim::ONE])?)?, &with(&[own, often])?)?;
    reshape_to(&shown, &with(&[own * often])?)
}

impl Tensor {
    /// [`repeat`](fn@crate::repeat) of this tensor.
    #[track_caller]
    pub fn repeat(&self, repeats: impl ToOperand, axis: impl IntoAxes) -> Tensor {
        try_repeat(self, repeats, axis).or_fail()
    }

    /// [`repeat`](fn@crate::repeat) of this tensor; answers an error instead of panicking.
    ///
    /// # Errors
    /// As [`try_repeat`](fn@crate::try_repeat).
    #[track_caller]
    pub fn try_repeat(&self, repeats: impl ToOperand, axis: impl IntoAxes) -> Result<Tensor> {
        try_repeat(self, repeats, axis)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_add_up_over_repeats() {
        let x = numbers(1, &[2, 3]);
        check(&|x| tf::repeat(&x[0], 3, 1).square(), std::slice::from_ref(&x));
        check(&|x| tf::repeat(&x[0], &tf::constant([2, 0, 1]), 1).square(), std::slice::from_ref(&x));
        check(&|x| tf::repeat(&x[0], &tf::constant([2, 0, 1, 1, 1, 4]), ()).square(), std::slice::from_ref(&x));
    }

    #[test]
    fn strings_edges_and_refusals() {
        let x = tf::constant(["a", "b"]);
        assert_eq!(tf::repeat(&x, &tf::constant([1, 2]), 0).to_strings(), ["a", "b", "b"]);
        assert_eq!(tf::repeat(&x, 2, 0).to_strings(), ["a", "a", "b", "b"]);
        assert_eq!(tf::repeat(&tf::constant(7), 3, ()).to_vec::<i32>(), [7, 7, 7]);
        assert_eq!(tf::repeat(&tf::constant([1, 2]), &tf::constant([-1, 2]), 0).to_vec::<i32>(), [2, 2]);
        assert_eq!(tf::repeat(&tf::zeros([0, 2]), &tf::zeros([0]).cast(tf::DType::I64), 0).shape(), [0, 2]);
        assert!(tf::try_repeat(&x, &tf::constant([1, 2, 3]), 0).is_err());
        assert!(tf::try_repeat(&x, &tf::constant([[1, 2]]), 0).is_err());
        assert!(tf::try_repeat(&x, -1, 0).is_err() && tf::try_repeat(&x, 1.5, 0).is_err());
        assert!(tf::try_repeat(&tf::ones([2, 2]), 1, [0, 1]).is_err());
        let error = tf::try_repeat(&x, 1, 3).unwrap_err().to_string();
        assert!(error.contains("repeat"), "{error}");
    }
}
