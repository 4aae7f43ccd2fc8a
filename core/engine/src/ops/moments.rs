//! `moments`: mean and variance along axes in one call, and the same by weights or from sums. TensorFlow's `tf.nn.moments`, `weighted_moments`,
//! `sufficient_statistics` and `normalize_moments`; floats, complex numbers, `int32` and `int64` for `moments`; 16-bit floats in f32.

use super::axes::IntoAxes;
use super::functions::{
    try_add, try_div_no_nan, try_multiply, try_reciprocal, try_square, try_squared_difference, try_subtract,
};
use super::reduce_mean::{count_of, mean_axes};
use super::reduction::reduced_shape;
use super::{AsTensor, broadcast_back, functions, public, reshape_to, sum_axes, zeros_of};
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::AxisSet;
use std::panic::Location;

#[track_caller]
fn mean_and_variance(x: &Tensor, axes: AxisSet, keep: bool) -> Result<(Tensor, Tensor)> {
    let accepts = DTypes::FLOATING.and(DTypes::COMPLEX).and(DTypes::of(&[DType::I32, DType::I64]));
    if !accepts.has(x.dtype()) {
        return Err(Error::invalid_argument("moments", "no moments are taken of this dtype")
            .got(x.dtype())
            .expected(format!("one of {accepts}"))
            .help("convert it with `cast`"));
    }
    let wide = functions::try_cast(x, x.dtype().compute())?;
    let mean = mean_axes(&wide, axes, true)?;
    // TensorFlow takes the mean for a constant here: its part of the gradient adds up to zero, but not that of second order.
    let repeated = broadcast_back(&mean, x.shape(), axes)?;
    let variance = mean_axes(&functions::try_squared_difference(&wide, &repeated)?, axes, true)?;
    let shape = reduced_shape(x.shape(), axes, keep)?;
    let narrow = |y: &Tensor| functions::try_cast(&reshape_to(y, &shape)?, x.dtype());
    Ok((narrow(&mean)?, narrow(&variance)?))
}

public! {
    /// Mean and variance of the elements along axes: of all for `()`. The variance is that of the population, divided by their number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (mean, variance) = tf::moments(&tf::constant([[1.0, 3.0], [5.0, 5.0]]), 1);
    /// assert_eq!((mean.to_vec::<f32>(), variance.to_vec::<f32>()), (vec![2.0, 5.0], vec![1.0, 0.0]));
    /// ```
    pub fn moments, try_moments(x, axes: impl IntoAxes) -> (Tensor, Tensor) {
        let (axes, keep) = axes.into_axes().resolve("moments", x.rank())?;
        mean_and_variance(x, axes, keep).map_err(|e| e.named("moments"))
    }
}

/// An error unless moments of this kind are taken of the dtype.
fn check(op: &str, x: &Tensor, accepts: DTypes) -> Result<()> {
    match accepts.has(x.dtype()) {
        true => Ok(()),
        false => Err(Error::invalid_argument(op, "these moments are not taken of this dtype")
            .got(x.dtype())
            .expected(accepts)
            .help("convert it with `cast`")),
    }
}

/// Mean and variance along axes, where each element counts as often as its weight says; weights broadcast to the tensor, and
/// where their sum is 0, so are both moments. Floats and complex numbers; weights of another dtype are converted.
///
/// ```
/// use eagerflow as tf;
/// let (x, weights) = (tf::constant([1.0, 5.0]), tf::constant([3.0, 1.0]));
/// let (mean, variance) = tf::weighted_moments(&x, 0, &weights);
/// assert_eq!((mean.item::<f32>(), variance.item::<f32>()), (2.0, 3.0));
/// ```
///
/// # Panics
/// As [`try_weighted_moments`] fails.
#[track_caller]
pub fn weighted_moments(x: impl AsTensor, axes: impl IntoAxes, frequency_weights: impl AsTensor) -> (Tensor, Tensor) {
    try_weighted_moments(x, axes, frequency_weights).or_fail()
}

/// Mean and variance along axes, where each element counts as often as its weight says.
///
/// # Errors
/// InvalidArgument for an input that holds no floats, wrong axes, and weights that do not broadcast.
#[track_caller]
pub fn try_weighted_moments(
    x: impl AsTensor,
    axes: impl IntoAxes,
    frequency_weights: impl AsTensor,
) -> Result<(Tensor, Tensor)> {
    let here = Location::caller();
    let (x, weights) = (x.as_tensor(), frequency_weights.as_tensor());
    let run = || {
        check("weighted_moments", &x, DTypes::FLOATING.and(DTypes::COMPLEX))?;
        let wide = functions::try_cast(&*x, x.dtype().compute())?;
        let weights = functions::try_cast(&*weights, wide.dtype())?;
        let weights = try_add(&weights, &zeros_of(wide.ty())?)?;
        let (axes, keep) = axes.into_axes().resolve("weighted_moments", weights.rank())?;
        let sum = |x: &Tensor| sum_axes(x, axes, true);
        let total = sum(&weights)?;
        let mean = try_div_no_nan(&sum(&try_multiply(&weights, &wide)?)?, &total)?;
        let far = try_squared_difference(&wide, &mean)?;
        let variance = try_div_no_nan(&sum(&try_multiply(&weights, &far)?)?, &total)?;
        let shape = reduced_shape(weights.shape(), axes, keep)?;
        let narrow = |y: &Tensor| functions::try_cast(&reshape_to(y, &shape)?, x.dtype());
        Ok((narrow(&mean)?, narrow(&variance)?))
    };
    run().map_err(|e: Error| e.named("weighted_moments").at(here))
}

/// What mean and variance along axes follow from, as parts of a large tensor can be added up: how many elements there are, the sum of
/// them, and that of their squares, both less a `shift` near the mean if one is given. [`normalize_moments`] goes on from there.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1.0, 3.0]);
/// let (count, sum, squares) = tf::sufficient_statistics(&x, 0, None);
/// let (mean, variance) = tf::normalize_moments(&count, &sum, &squares, None);
/// assert_eq!((mean.item::<f32>(), variance.item::<f32>()), (2.0, 1.0));
/// ```
///
/// # Panics
/// As [`try_sufficient_statistics`] fails.
#[track_caller]
pub fn sufficient_statistics(
    x: impl AsTensor,
    axes: impl IntoAxes,
    shift: Option<&Tensor>,
) -> (Tensor, Tensor, Tensor) {
    try_sufficient_statistics(x, axes, shift).or_fail()
}

/// How many elements there are along axes, the sum of them, and that of their squares, less a shift.
///
/// # Errors
/// InvalidArgument for an input that holds no floats, wrong axes, and a shift of another dtype or that does not broadcast.
#[track_caller]
pub fn try_sufficient_statistics(
    x: impl AsTensor,
    axes: impl IntoAxes,
    shift: Option<&Tensor>,
) -> Result<(Tensor, Tensor, Tensor)> {
    let here = Location::caller();
    let x = x.as_tensor();
    let run = || {
        check("sufficient_statistics", &x, DTypes::FLOATING)?;
        let (axes, keep) = axes.into_axes().resolve("sufficient_statistics", x.rank())?;
        let (near, squares) = match shift {
            Some(shift) => (try_subtract(&*x, shift)?, try_squared_difference(&*x, shift)?),
            None => (x.clone(), try_square(&*x)?),
        };
        let count = count_of(x.shape(), axes, x.dtype())?;
        Ok((count, sum_axes(&near, axes, keep)?, sum_axes(&squares, axes, keep)?))
    };
    run().map_err(|e: Error| e.named("sufficient_statistics").at(here))
}

/// Mean and variance from what [`sufficient_statistics`] gives, or sums of it.
///
/// ```
/// use eagerflow as tf;
/// let [count, sum, squares] = [2.0, 4.0, 10.0].map(tf::constant);
/// let (mean, variance) = tf::normalize_moments(&count, &sum, &squares, None);
/// assert_eq!((mean.item::<f32>(), variance.item::<f32>()), (2.0, 1.0));
/// ```
///
/// # Panics
/// As [`try_normalize_moments`] fails.
#[track_caller]
pub fn normalize_moments(
    counts: impl AsTensor,
    mean_ss: impl AsTensor,
    variance_ss: impl AsTensor,
    shift: Option<&Tensor>,
) -> (Tensor, Tensor) {
    try_normalize_moments(counts, mean_ss, variance_ss, shift).or_fail()
}

/// Mean and variance from counts and sums.
///
/// # Errors
/// InvalidArgument for dtypes that differ or are no floats, and shapes that do not broadcast.
#[track_caller]
pub fn try_normalize_moments(
    counts: impl AsTensor,
    mean_ss: impl AsTensor,
    variance_ss: impl AsTensor,
    shift: Option<&Tensor>,
) -> Result<(Tensor, Tensor)> {
    let here = Location::caller();
    let (counts, sum, squares) = (counts.as_tensor(), mean_ss.as_tensor(), variance_ss.as_tensor());
    let run = || {
        check("normalize_moments", &counts, DTypes::FLOATING.and(DTypes::COMPLEX))?;
        let divisor = try_reciprocal(&*counts)?;
        let near = try_multiply(&*sum, &divisor)?;
        let variance = try_subtract(&try_multiply(&*squares, &divisor)?, &try_square(&near)?)?;
        let mean = match shift {
            Some(shift) => try_add(&near, shift)?,
            None => near,
        };
        Ok((mean, variance))
    };
    run().map_err(|e: Error| e.named("normalize_moments").at(here))
}
