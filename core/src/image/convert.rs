//! `convert_image_dtype`: images in another dtype, whose ranges of values are mapped to each other.
//! TensorFlow's `tf.image.convert_image_dtype`; functions that compute with colours call it on the way in and out.

use super::operand::{image_fn, misfit};
use engine::library::cast_to;
use engine::{AsTensor, Tensor};
use kernels::dtype::DType;
use kernels::error::Result;

/// The greatest integer of a dtype.
fn most(dtype: DType) -> u64 {
    let bits = 8 * dtype.size() - usize::from(dtype.is_signed_integer());
    u64::MAX >> (64 - bits)
}

/// How many times the steps of one integer dtype go into those of another, each being a power of two.
fn ratio(fine: DType, coarse: DType) -> i64 {
    ((u128::from(most(fine)) + 1) / (u128::from(most(coarse)) + 1)) as i64
}

/// Images in another dtype; `saturate` keeps what goes beyond integers within them.
#[track_caller]
pub(super) fn converted(x: &Tensor, dtype: DType, saturate: bool) -> Result<Tensor> {
    let from = x.dtype();
    let takes = |d: DType| d.is_floating() || d.is_integer();
    if !takes(from) || !takes(dtype) {
        return Err(misfit(format!("no image is converted from {from} to {dtype}"), x, "floats or integers"));
    }
    let cast = |x: &Tensor| match saturate {
        true => engine::try_saturate_cast(x, dtype),
        false => cast_to(x, dtype),
    };
    match (from.is_floating(), dtype.is_floating()) {
        _ if from == dtype => Ok(x.clone()),
        (true, true) => cast_to(x, dtype),
        (false, true) => cast_to(x, dtype)?.try_multiply(1.0 / most(from) as f64),
        (true, false) => cast(&x.try_multiply(most(dtype) as f64 + 0.5)?),
        (false, false) if most(from) > most(dtype) => cast(&x.try_floordiv(ratio(from, dtype))?),
        (false, false) => cast(x)?.try_multiply(ratio(dtype, from)),
    }
}

/// Images as floats to compute with: those of 16 and 32 bits stay, all others become `float32`.
#[track_caller]
pub(super) fn as_floats(x: &Tensor) -> Result<Tensor> {
    match x.dtype() {
        DType::F16 | DType::F32 => Ok(x.clone()),
        _ => converted(x, DType::F32, false),
    }
}

image_fn! {
    /// Images in another dtype. Floats are taken to lie from 0 to 1, and integers from 0 to the greatest of their dtype; what lies beyond
    /// wraps around among integers, unless `saturate` keeps it at their ends. TensorFlow's `tf.image.convert_image_dtype`.
    ///
    /// Gradients flow from floats to floats.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[[0.0], [0.5], [1.5]]]);
    /// assert_eq!(tf::image::convert_image_dtype(&x, tf::uint8, true).to_vec::<u8>(), [0, 127, 255]);
    /// ```
    pub fn convert_image_dtype, try_convert_image_dtype(image: impl AsTensor, dtype: DType, saturate: bool) -> Tensor {
        converted(&image.as_tensor(), dtype, saturate)
    }
}
