//! `histogram_fixed_width` and `_bins`: which of equally wide bins each value falls into, and how many fall into each; no gradient.
//! TensorFlow's functions of these names; values outside of the range fall into the first and the last bin.

use super::bincount::counts_of;
use super::operand::{Operand, ToOperand};
use super::reduce_mean::size_of;
use super::require::require;
use super::{AsTensor, Equal, Less, cast_to, functions, reshape_to};
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Dim, IntoDim, Shape};
use std::panic::Location;

/// The lowest and the highest value of the range, as scalars.
#[track_caller]
fn bounds(op: &str, values: &Tensor, range: Operand<'_>, nbins: Dim) -> Result<(Tensor, Tensor)> {
    let range = range.tensor(op, values.dtype())?;
    let pair = Shape::from_dims(&[Dim::known(2)])?;
    let fits = range.rank() == 1 && range.shape().dim(0).can_equal(Dim::known(2)) && range.dtype() == values.dtype();
    if !fits {
        return Err(Error::invalid_argument(op, "the range is not two values like the others")
            .got(range.ty())
            .expected(format!("{} of shape {pair}", values.dtype())));
    }
    if nbins == Dim::ZERO {
        return Err(Error::invalid_argument(op, "values cannot fall into no bins")
            .got("0 bins")
            .expected("at least one"));
    }
    let range = functions::try_stop_gradient(&*range)?;
    let one = |at: usize| {
        let part = super::slice_axis(&range, 0, Dim::known(at), Dim::ONE)?;
        reshape_to(&part, &Shape::SCALAR)
    };
    Ok((one(0)?, one(1)?))
}

/// The number of bins as a scalar of a dtype.
#[track_caller]
fn number_of(nbins: Dim, dtype: DType) -> Result<Tensor> {
    cast_to(&size_of(&Shape::from_dims(&[nbins])?, 0)?, dtype)
}

#[track_caller]
fn bins(values: &Tensor, range: Operand<'_>, nbins: Dim) -> Result<Tensor> {
    let op = "histogram_fixed_width_bins";
    if !DTypes::FLOATING.has(values.dtype()) {
        return Err(Error::invalid_argument(op, "values must be floats")
            .got(values.ty())
            .help("convert them with `cast`"));
    }
    let (low, high) = bounds(op, values, range, nbins)?;
    let values = functions::try_stop_gradient(values)?;
    let count = number_of(nbins, values.dtype())?;
    let scaled =
        functions::try_divide(&functions::try_subtract(&values, &low)?, &functions::try_subtract(&high, &low)?)?;
    let at = functions::try_floor(&functions::try_multiply(&count, &scaled)?)?;
    let last = functions::try_subtract(&count, 1.0)?;
    cast_to(&functions::try_clip_by_value(&at, 0.0, &last)?, DType::I32)
}

#[track_caller]
fn histogram(values: &Tensor, range: Operand<'_>, nbins: Dim, dtype: DType) -> Result<Tensor> {
    let op = "histogram_fixed_width";
    let known = DTypes::of(&[DType::F32, DType::F64, DType::I32, DType::I64]);
    if !known.has(values.dtype()) || !DTypes::of(&[DType::I32, DType::I64]).has(dtype) {
        return Err(Error::invalid_argument(op, "values or counts of a dtype that is not taken")
            .got(format!("{} counted in {dtype}", values.dtype()))
            .expected(format!("values of one of {known}, counted in int32 or int64")));
    }
    let (low, high) = bounds(op, values, range, nbins)?;
    let values = functions::try_stop_gradient(values)?;
    require(op, "x < y", &Less, &low, &high, "the range must go upwards")?;
    if values.dtype().is_floating() {
        require(op, "x == y", &Equal, &values, &values, "values must not be NaN")?;
    }
    let wide = |x: &Tensor| cast_to(x, DType::F64);
    let count = number_of(nbins, DType::F64)?;
    let step = functions::try_divide(&wide(&functions::try_subtract(&high, &low)?)?, &count)?;
    let above = functions::try_subtract(&functions::try_maximum(&values, &low)?, &low)?;
    let at = functions::try_divide(&wide(&above)?, &step)?;
    let at = functions::try_minimum(&at, &functions::try_subtract(&count, 1.0)?)?;
    let at = reshape_to(&cast_to(&at, DType::I32)?, &Shape::from_dims(&[values.shape().element_count()])?)?;
    counts_of(&at, nbins, dtype)
}

/// For each value the number of the bin it falls into, `int32`: of `nbins` equally wide ones from the first value of `value_range` to the
/// second. What lies outside falls into the first or the last.
///
/// ```
/// use eagerflow as tf;
/// let values = tf::constant([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]);
/// let bins = tf::histogram_fixed_width_bins(&values, &tf::constant([0.0, 5.0]), 5);
/// assert_eq!(bins.to_vec::<i32>(), [0, 0, 1, 2, 4, 4]);
/// ```
///
/// # Panics
/// As [`try_histogram_fixed_width_bins`] fails.
#[track_caller]
pub fn histogram_fixed_width_bins(values: impl AsTensor, value_range: impl ToOperand, nbins: impl IntoDim) -> Tensor {
    try_histogram_fixed_width_bins(values, value_range, nbins).or_fail()
}

/// For each value the number of the bin it falls into.
///
/// # Errors
/// InvalidArgument for values that are no floats, a range that is not two values of their dtype, or no bins.
#[track_caller]
pub fn try_histogram_fixed_width_bins(
    values: impl AsTensor,
    value_range: impl ToOperand,
    nbins: impl IntoDim,
) -> Result<Tensor> {
    let here = Location::caller();
    let found = nbins.into_dim().and_then(|nbins| bins(&values.as_tensor(), value_range.to_operand(), nbins));
    found.map_err(|e| e.named("histogram_fixed_width_bins").at(here))
}

/// How many values fall into each of `nbins` equally wide bins, `int32`.
///
/// ```
/// use eagerflow as tf;
/// let values = tf::constant([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]);
/// let counts = tf::histogram_fixed_width(&values, &tf::constant([0.0, 5.0]), 5);
/// assert_eq!(counts.to_vec::<i32>(), [2, 1, 1, 0, 2]);
/// ```
///
/// # Panics
/// As [`try_histogram_fixed_width`] fails.
#[track_caller]
pub fn histogram_fixed_width(values: impl AsTensor, value_range: impl ToOperand, nbins: impl IntoDim) -> Tensor {
    try_histogram_fixed_width(values, value_range, nbins).or_fail()
}

/// How many values fall into each of `nbins` equally wide bins, `int32`.
///
/// # Errors
/// As [`try_histogram_fixed_width_as`].
#[track_caller]
pub fn try_histogram_fixed_width(
    values: impl AsTensor,
    value_range: impl ToOperand,
    nbins: impl IntoDim,
) -> Result<Tensor> {
    try_histogram_fixed_width_as(values, value_range, nbins, DType::I32)
}

/// As [`histogram_fixed_width`], with counts of dtype `dtype`: `int32` or `int64`.
///
/// ```
/// use eagerflow as tf;
/// let counts = tf::histogram_fixed_width_as(&tf::constant([1, 2]), &tf::constant([0, 4]), 2, tf::int64);
/// assert_eq!(counts.to_vec::<i64>(), [1, 1]);
/// ```
///
/// # Panics
/// As [`try_histogram_fixed_width_as`] fails.
#[track_caller]
pub fn histogram_fixed_width_as(
    values: impl AsTensor,
    value_range: impl ToOperand,
    nbins: impl IntoDim,
    dtype: DType,
) -> Tensor {
    try_histogram_fixed_width_as(values, value_range, nbins, dtype).or_fail()
}

/// How many values fall into each of `nbins` equally wide bins.
///
/// # Errors
/// InvalidArgument for values that are not `float32`, `float64`, `int32` or `int64`, or NaN; for a range that is not two values of their
/// dtype, or does not go upwards; for no bins, and for counts that are not `int32` or `int64`.
#[track_caller]
pub fn try_histogram_fixed_width_as(
    values: impl AsTensor,
    value_range: impl ToOperand,
    nbins: impl IntoDim,
    dtype: DType,
) -> Result<Tensor> {
    let here = Location::caller();
    let counted =
        nbins.into_dim().and_then(|nbins| histogram(&values.as_tensor(), value_range.to_operand(), nbins, dtype));
    counted.map_err(|e| e.named("histogram_fixed_width").at(here))
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn ranges_and_refusals() {
        let x = tf::constant([1.0, 2.0]);
        let range = tf::constant([0.0, 4.0]);
        assert_eq!(tf::histogram_fixed_width(&tf::zeros([0]), &range, 2).to_vec::<i32>(), [0, 0]);
        assert_eq!(tf::histogram_fixed_width_bins(&tf::ones([2, 1]), &range, 4).shape(), [2, 1]);
        for range in [tf::constant([4.0, 0.0]), tf::constant([1.0, 1.0]), tf::constant([1.0]), tf::constant([0, 4])] {
            assert!(tf::try_histogram_fixed_width(&x, &range, 2).is_err());
        }
        assert!(tf::try_histogram_fixed_width(&tf::constant([f32::NAN]), &range, 2).is_err());
        assert!(tf::try_histogram_fixed_width(&x, &range, 0).is_err());
        assert!(tf::try_histogram_fixed_width_as(&x, &range, 2, tf::DType::F32).is_err());
        let error = tf::try_histogram_fixed_width_bins(&x, &range, 0).unwrap_err().to_string();
        assert!(error.contains("histogram_fixed_width_bins"), "{error}");
    }
}
