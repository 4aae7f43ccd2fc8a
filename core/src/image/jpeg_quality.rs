//! `adjust_jpeg_quality`: images as JPEG files of some quality would give them back.
//! Users call it under `tf::image`, and so do the functions that draw the quality; the bytes are those of `tf::io`'s files.

use super::convert::converted;
use super::operand::{image_fn, in_dtype, misfit};
use crate::io::DctMethod;
use crate::io::host::Work;
use engine::{AsTensor, Tensor, TensorType, ToOperand};
use formats::jpeg::{self, Decoding, Encoding, Transform};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;

/// Encodes and decodes an image of bytes.
fn recoded(image: &Tensor, quality: &Tensor, transform: Transform) -> Result<Tensor> {
    let quality = match quality.try_to_vec::<i32>()?[..] {
        [quality @ 0..=100] => quality as u8,
        ref other => {
            return Err(Error::invalid_argument("", "`jpeg_quality` is out of range")
                .got(format!("{other:?}"))
                .expected("0 to 100"));
        }
    };
    let &[height, width, channels] = image.shape().dims() else {
        return Err(misfit("one image is needed", image, "[height, width, channels]"));
    };
    let file = jpeg::encode(
        &image.try_to_vec::<u8>()?,
        (height, width),
        channels,
        &Encoding { quality, ..Encoding::default() },
    )?;
    let picture = jpeg::decode(&file, &Decoding { channels, transform, ..Decoding::default() })?;
    Tensor::try_from_vec(picture.pixels, [height, width, channels])
}

#[track_caller]
pub(super) fn degraded(image: &Tensor, quality: &Tensor, dct_method: DctMethod) -> Result<Tensor> {
    let fits = image.rank() == 3 && [1, 3].iter().any(|&n| image.shape().dim(2).can_equal(Dim::from(n)));
    if !fits {
        return Err(misfit("one image of one or three channels is needed", image, "[height, width, 1 or 3]"));
    }
    if quality.rank() != 0 {
        return Err(misfit("`jpeg_quality` must be one number", quality, "int32[]"));
    }
    let transform = match dct_method {
        DctMethod::IntegerFast => Transform::Fast,
        DctMethod::IntegerAccurate => Transform::Accurate,
    };
    let types = |inputs: &[&TensorType], _: &mut dyn FnMut() -> Dim| Ok(vec![*inputs[0]]);
    let run = move |inputs: &[&Tensor]| Ok(vec![recoded(inputs[0], inputs[1], transform)?]);
    let bytes = converted(image, DType::U8, true)?;
    let bytes = Work::new("adjust_jpeg_quality", format!("{dct_method:?}"), types, run).call1(&[&bytes, quality])?;
    converted(&bytes, image.dtype(), true)
}

image_fn! {
    /// An image `[height, width, 1 or 3]` as a JPEG file of quality 0 to 100 would give it back; the quality is a number or a tensor of one.
    /// No gradient flows. TensorFlow's `tf.image.adjust_jpeg_quality`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::fill([8, 8, 3], 0.5);
    /// let y = tf::image::adjust_jpeg_quality(&x, 75, tf::io::DctMethod::default());
    /// assert!(y.to_vec::<f32>().iter().all(|v| (v - 0.5).abs() < 0.01));
    /// ```
    pub fn adjust_jpeg_quality, try_adjust_jpeg_quality(
        image: impl AsTensor,
        jpeg_quality: impl ToOperand,
        dct_method: DctMethod,
    ) -> Tensor {
        degraded(&image.as_tensor(), &in_dtype(jpeg_quality.to_operand(), DType::I32)?, dct_method)
    }
}
