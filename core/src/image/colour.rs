//! Brightness, contrast, gamma and standardization: images whose values are moved, stretched or bent.
//! Users call them as `tf::image::adjust_*` and `tf::image::per_image_standardization`; those that draw their numbers do too.

use super::convert::{as_floats, converted};
use super::operand::{at_least_an_image, image_fn, in_dtype, scalar};
use engine::debugging::try_assert_non_negative;
use engine::library::cast_to;
use engine::{AsTensor, Tensor, ToOperand, keep_dims};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::Dim;

#[track_caller]
pub(super) fn brightened(image: &Tensor, delta: &Tensor) -> Result<Tensor> {
    let x = as_floats(image)?;
    converted(&x.try_add(&cast_to(delta, x.dtype())?)?, image.dtype(), true)
}

#[track_caller]
pub(super) fn contrasted(images: &Tensor, factor: &Tensor) -> Result<Tensor> {
    at_least_an_image(images)?;
    let x = as_floats(images)?;
    let mean = x.try_reduce_mean(keep_dims([-3, -2]))?;
    let y = x.try_subtract(&mean)?.try_multiply(&cast_to(factor, x.dtype())?)?.try_add(&mean)?;
    converted(&y, images.dtype(), true)
}

image_fn! {
    /// Images to whose values `delta` is added: a number, or a tensor of one. Integers are taken as floats from 0 to 1 for it, and keep
    /// within their range. TensorFlow's `tf.image.adjust_brightness`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant_of([[[0, 100, 250]]], tf::uint8);
    /// assert_eq!(tf::image::adjust_brightness(&x, 0.1).to_vec::<u8>(), [25, 125, 255]);
    /// ```
    pub fn adjust_brightness, try_adjust_brightness(image: impl AsTensor, delta: impl ToOperand) -> Tensor {
        brightened(&image.as_tensor(), &in_dtype(delta.to_operand(), DType::F32)?)
    }

    /// Images `[.., height, width, channels]` whose values lie `contrast_factor` times as far from the mean of their channel. TensorFlow's
    /// `tf.image.adjust_contrast`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[[1.0], [3.0]]]);
    /// assert_eq!(tf::image::adjust_contrast(&x, 2.0).to_vec::<f32>(), [0.0, 4.0]);
    /// ```
    pub fn adjust_contrast, try_adjust_contrast(images: impl AsTensor, contrast_factor: impl ToOperand) -> Tensor {
        contrasted(&images.as_tensor(), &in_dtype(contrast_factor.to_operand(), DType::F32)?)
    }

    /// Images as `gain * image.pow(gamma)`, with values from 0 to 1. `gamma` may not be negative. TensorFlow's `tf.image.adjust_gamma`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[[0.5], [1.0]]]);
    /// assert_eq!(tf::image::adjust_gamma(&x, 2.0, 0.5).to_vec::<f32>(), [0.125, 0.5]);
    /// ```
    pub fn adjust_gamma, try_adjust_gamma(image: impl AsTensor, gamma: impl ToOperand, gain: impl ToOperand) -> Tensor {
        let image = image.as_tensor();
        let x = as_floats(&image)?;
        let gamma = in_dtype(gamma.to_operand(), x.dtype())?;
        try_assert_non_negative(&gamma, "gamma must not be negative")?;
        let y = x.try_pow(&gamma)?.try_multiply(&in_dtype(gain.to_operand(), x.dtype())?)?;
        converted(&y, image.dtype(), true)
    }

    /// Images `[.., height, width, channels]` as `float32`, each with mean 0 and deviation 1. An image of one colour is divided by the root
    /// of its number of values instead of nothing. TensorFlow's `tf.image.per_image_standardization`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant_of([[[1], [3]]], tf::uint8);
    /// assert_eq!(tf::image::per_image_standardization(&x).to_vec::<f32>(), [-1.0, 1.0]);
    /// ```
    pub fn per_image_standardization, try_per_image_standardization(image: impl AsTensor) -> Tensor {
        let image = image.as_tensor();
        at_least_an_image(&image)?;
        let x = cast_to(&image, DType::F32)?;
        let inner = keep_dims([-1, -2, -3]);
        let pixels = x.shape().iter().skip(x.rank() - 3).fold(Dim::ONE, |all, size| all * size);
        let least = scalar(pixels, DType::F32)?.try_rsqrt()?;
        let deviation = engine::try_reduce_std(&x, inner.clone())?.try_maximum(&least)?;
        x.try_subtract(&x.try_reduce_mean(inner)?)?.try_divide(&deviation)
    }
}
