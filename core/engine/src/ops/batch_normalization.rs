//! `batch_normalization`: (x - mean) / sqrt(variance + epsilon) · scale + offset with moments that are given, and `fused_batch_norm`, which takes
//! those of the batch while it trains. TensorFlow's `tf.nn.batch_normalization` and `tf.compat.v1.nn.fused_batch_norm` (`FusedBatchNormV3`).

use super::bias_add::DataFormat;
use super::functions::{
    try_add, try_cast, try_maximum, try_multiply, try_rsqrt, try_stop_gradient, try_subtract, try_truediv,
};
use super::layer_normalization::channels::{ChannelForm, normalise_channels};
use super::reduce_mean::count_of;
use super::{AsTensor, reshape_to};
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{AxisSet, Dim, MAX_RANK, Shape};
use std::panic::Location;

/// A tensor brought to another mean and variance: `(x - mean) / sqrt(variance + epsilon) * scale + offset`, all of which broadcast. Floats or complex
/// numbers, all of one dtype; [`moments`](crate::moments) gives mean and variance.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 10.0], [3.0, 30.0]]);
/// let (mean, variance) = tf::moments(&x, 0);
/// let y = tf::batch_normalization(&x, &mean, &variance, None, None, 0.0);
/// assert_eq!(y.to_vec::<f32>(), [-1.0, -1.0, 1.0, 1.0]);
/// ```
///
/// # Panics
/// As [`try_batch_normalization`] fails.
#[track_caller]
pub fn batch_normalization(
    x: impl AsTensor,
    mean: impl AsTensor,
    variance: impl AsTensor,
    offset: Option<&Tensor>,
    scale: Option<&Tensor>,
    variance_epsilon: f64,
) -> Tensor {
    try_batch_normalization(x, mean, variance, offset, scale, variance_epsilon).or_fail()
}

/// A tensor brought to another mean and variance.
///
/// # Errors
/// InvalidArgument for dtypes that differ or are not floats, and shapes that do not broadcast.
#[track_caller]
pub fn try_batch_normalization(
    x: impl AsTensor,
    mean: impl AsTensor,
    variance: impl AsTensor,
    offset: Option<&Tensor>,
    scale: Option<&Tensor>,
    variance_epsilon: f64,
) -> Result<Tensor> {
    let here = Location::caller();
    let (x, mean, variance) = (x.as_tensor(), mean.as_tensor(), variance.as_tensor());
    let run = || {
        if !DTypes::FLOATING.and(DTypes::COMPLEX).has(x.dtype()) {
            return Err(Error::invalid_argument("batch_normalization", "numbers of this dtype cannot be normalised")
                .got(x.dtype())
                .expected(DTypes::FLOATING.and(DTypes::COMPLEX))
                .help("convert the input with `cast`"));
        }
        let mut inverse = try_rsqrt(&try_add(&*variance, variance_epsilon)?)?;
        if let Some(scale) = scale {
            inverse = try_multiply(&inverse, scale)?;
        }
        // TensorFlow's order: one product and one sum for each element.
        let shift = try_multiply(&*mean, &inverse)?;
        let scaled = try_multiply(&*x, &inverse)?;
        match offset {
            Some(offset) => try_add(&scaled, &try_subtract(offset, &shift)?),
            None => try_subtract(&scaled, &shift),
        }
    };
    run().map_err(|e: Error| e.named("batch_normalization").at(here))
}

fn floats(op: &str, dtype: DType) -> Result<()> {
    match DTypes::FLOATING.has(dtype) {
        true => Ok(()),
        false => Err(Error::invalid_argument(op, "only floating-point numbers can be normalised")
            .got(dtype)
            .expected(DTypes::FLOATING)
            .help("convert the input with `cast`")),
    }
}

/// What [`fused_batch_norm`] is asked for beside its operands.
///
/// ```
/// use eagerflow::FusedBatchNorm;
/// assert_eq!(FusedBatchNorm::default().epsilon, 1e-3);
/// ```
#[derive(Clone, Debug)]
pub struct FusedBatchNorm {
    /// The mean of each channel: that of all data where it does not train, and the running one where `exponential_avg_factor` is not 1.
    pub mean: Option<Tensor>,
    /// The variance of each channel, in the same way.
    pub variance: Option<Tensor>,
    /// What is added to the variance.
    pub epsilon: f64,
    /// Where the channels lie.
    pub data_format: DataFormat,
    /// Whether the batch's own moments are taken.
    pub is_training: bool,
    /// How much of the running moments is the batch's: 1 gives the batch's alone.
    pub exponential_avg_factor: f64,
}

impl Default for FusedBatchNorm {
    fn default() -> Self {
        Self {
            mean: None,
            variance: None,
            epsilon: 1e-3,
            data_format: DataFormat::ChannelsLast,
            is_training: true,
            exponential_avg_factor: 1.0,
        }
    }
}

/// Images, or any batch of at least two dimensions, normalised channel by channel: the result, and the running mean and variance of each channel.
///
/// While it trains, the moments are the batch's, over all dimensions but the channels, and gradients flow through them. The variance that is given back is
/// that of a sample (divided by `n - 1`), as TensorFlow has it. No gradient flows through the moments that are given or given back. Floats; scale,
/// offset and moments are `float32`, or `float64` for an input of it, which TensorFlow does not take; 16-bit floats are computed with in `float32`.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 10.0], [3.0, 30.0]]);
/// let (y, mean, variance) = tf::fused_batch_norm(&x, tf::ones([2]), tf::zeros([2]), tf::FusedBatchNorm::default());
/// assert_eq!((y.shape().dims(), mean.to_vec::<f32>(), variance.to_vec::<f32>()), (&[2, 2][..], vec![2.0, 20.0], vec![2.0, 200.0]));
/// ```
///
/// # Panics
/// As [`try_fused_batch_norm`] fails.
#[track_caller]
pub fn fused_batch_norm(
    x: impl AsTensor,
    scale: impl AsTensor,
    offset: impl AsTensor,
    options: FusedBatchNorm,
) -> (Tensor, Tensor, Tensor) {
    try_fused_batch_norm(x, scale, offset, options).or_fail()
}

/// A batch normalised channel by channel, and the running mean and variance.
///
/// # Errors
/// InvalidArgument for an input that holds no floats or has less than two dimensions, scale, offset or moments that have not one number for each
/// channel or another dtype, moments that are missing where they are read, or options out of range.
#[track_caller]
pub fn try_fused_batch_norm(
    x: impl AsTensor,
    scale: impl AsTensor,
    offset: impl AsTensor,
    options: FusedBatchNorm,
) -> Result<(Tensor, Tensor, Tensor)> {
    let here = Location::caller();
    let (x, scale, offset) = (x.as_tensor(), scale.as_tensor(), offset.as_tensor());
    fused(&x, &scale, &offset, &options).map_err(|e| e.named("fused_batch_norm").at(here))
}

#[track_caller]
fn fused(x: &Tensor, scale: &Tensor, offset: &Tensor, o: &FusedBatchNorm) -> Result<(Tensor, Tensor, Tensor)> {
    const OP: &str = "fused_batch_norm";
    floats(OP, x.dtype())?;
    if x.rank() < 2 {
        return Err(Error::invalid_argument(OP, "there are no channels")
            .got(x.ty())
            .expected("at least two dimensions"));
    }
    if !(o.epsilon >= 0.0 && o.epsilon.is_finite() && (0.0..=1.0).contains(&o.exponential_avg_factor)) {
        return Err(Error::invalid_argument(OP, "epsilon or the share of the batch is out of range")
            .got(format!("{} and {}", o.epsilon, o.exponential_avg_factor))
            .expected("an epsilon from 0 up, and a share from 0.0 to 1.0"));
    }
    let axis = if o.data_format == DataFormat::ChannelsFirst { 1 } else { x.rank() - 1 };
    let (channels, dtype) = (x.shape().dim(axis), x.dtype().compute());
    let channel = |what: &str, given: &Tensor| {
        if given.rank() != 1 || !given.shape().dim(0).can_equal(channels) || given.dtype() != dtype {
            return Err(Error::invalid_argument(OP, format!("the {what} does not fit the channels"))
                .got(given.ty())
                .expected(format!("{dtype}[{channels}]")));
        }
        Ok(given.clone())
    };
    // cuDNN's least epsilon, which TensorFlow keeps everywhere.
    let epsilon = o.epsilon.max(1.001e-5);
    let (scale, offset) = (channel("scale", scale)?, channel("offset", offset)?);
    let given = |what: &str, moment: &Option<Tensor>| match moment {
        Some(moment) => try_stop_gradient(&channel(what, moment)?),
        None => Err(Error::invalid_argument(OP, format!("the {what} is missing"))
            .expected("mean and variance where it does not train, or where the share of the batch is not 1")),
    };
    let of_channels = Shape::from_dims(&[channels])?;
    if !o.is_training {
        let (mean, variance) = (given("mean", &o.mean)?, given("variance", &o.variance)?);
        let mut sizes = [Dim::ONE; MAX_RANK];
        sizes[axis] = channels;
        let along = Shape::from_dims(&sizes[..x.rank()])?;
        let spread = |given: &Tensor| reshape_to(given, &along);
        let inverse = try_multiply(&try_rsqrt(&try_add(&spread(&variance)?, epsilon)?)?, &spread(&scale)?)?;
        let far = try_subtract(&try_cast(x, dtype)?, &spread(&mean)?)?;
        let y = try_cast(&try_add(&try_multiply(&far, &inverse)?, &spread(&offset)?)?, x.dtype())?;
        return Ok((y, reshape_to(&mean, &of_channels)?, reshape_to(&variance, &of_channels)?));
    }
    let form = ChannelForm { epsilon, groups: None, last: axis == x.rank() - 1, scaled: true, shifted: true };
    let [y, mean, variance] = normalise_channels(form, x, Some(&scale), Some(&offset))?;
    let count = count_of(x.shape(), AxisSet::of(&[axis]).complement(x.rank()), dtype)?;
    let of_sample = try_multiply(&variance, &try_truediv(&count, &try_maximum(&try_subtract(&count, 1.0)?, 1.0)?)?)?;
    let running = |batch: &Tensor, what: &str, old: &Option<Tensor>| {
        let batch = try_stop_gradient(batch)?;
        if o.exponential_avg_factor == 1.0 {
            return Ok(batch);
        }
        let (old, share) = (given(what, old)?, o.exponential_avg_factor);
        try_add(&try_multiply(&old, 1.0 - share)?, &try_multiply(&batch, share)?)
    };
    Ok((y, running(&mean, "mean", &o.mean)?, running(&of_sample, "variance", &o.variance)?))
}

#[cfg(test)]
mod tests {
    use crate::ops::differences::{check, numbers};
    use crate::{self as tf, DataFormat, FusedBatchNorm};

    #[test]
    fn gradients_flow_through_the_moments() {
        let inputs = [numbers(1, &[3, 2, 2]), numbers(2, &[2]), numbers(3, &[2])];
        check(&|x| tf::fused_batch_norm(&x[0], &x[1], &x[2], FusedBatchNorm::default()).0, &inputs);
        let first = || FusedBatchNorm { data_format: DataFormat::ChannelsFirst, epsilon: 0.1, ..Default::default() };
        check(&|x| tf::fused_batch_norm(&x[0], &x[1], &x[2], first()).0, &inputs);
        let known = || FusedBatchNorm {
            mean: Some(numbers(5, &[2])),
            variance: Some(numbers(6, &[2]) + 2.0),
            is_training: false,
            ..Default::default()
        };
        check(&|x| tf::fused_batch_norm(&x[0], &x[1], &x[2], known()).0, &inputs);
        let all = [numbers(1, &[3, 2]), numbers(2, &[2]), numbers(3, &[2]) + 2.0, numbers(4, &[2]), numbers(5, &[2])];
        check(&|x| tf::batch_normalization(&x[0], &x[1], &x[2], Some(&x[3]), Some(&x[4]), 0.1), &all);
    }

    #[test]
    fn bad_input_is_refused() {
        let (x, one) = (tf::ones([4, 2]), tf::ones([2]));
        let plain = FusedBatchNorm::default;
        assert!(tf::try_fused_batch_norm(&x, tf::ones([3]), &one, plain()).is_err());
        assert!(tf::try_fused_batch_norm(&one, &one, &one, plain()).is_err());
        assert!(tf::try_fused_batch_norm(&x, &one, &one, FusedBatchNorm { is_training: false, ..plain() }).is_err());
        let share = |factor| FusedBatchNorm { exponential_avg_factor: factor, ..plain() };
        assert!(tf::try_fused_batch_norm(&x, &one, &one, share(0.5)).is_err());
        assert!(tf::try_fused_batch_norm(&x, &one, &one, share(1.5)).is_err());
        assert!(
            tf::try_batch_normalization(tf::constant([1]), tf::constant([1]), tf::constant([1]), None, None, 0.1)
                .is_err()
        );
    }
}
