//! `image`: a batch of pictures at a step, encoded as PNG by the writer's thread.
//! Programs show inputs, samples and reconstructions with it.

use super::encode::{metadata, strings};
use super::options::summary_options;
use super::step::IntoStep;
use super::work::Content;
use crate::io::encode_png_bytes;
use engine::library::{OrFail, cast_to};
use engine::{AsTensor, Tensor, TensorType};
use formats::events::SummaryMetadata;
use formats::messages::TensorProto;
use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// Writes the first 3 of a batch of images `[k, height, width, channels]`; [`Image`] has options. Without a default writer it does nothing.
///
/// ```
/// use eagerflow as tf;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-image-page-{}", std::process::id()));
/// let writer = tf::summary::create_file_writer(&folder);
/// let _default = writer.as_default();
/// tf::summary::image("noise", tf::random::uniform([2, 8, 8, 1], 0.0, 1.0), 1);
/// # drop(_default);
/// # writer.close();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
///
/// # Panics
/// As [`try_image`] fails, at the caller's line.
#[track_caller]
pub fn image(name: &str, data: impl AsTensor, step: impl IntoStep) {
    try_image(name, data, step).or_fail();
}

/// Writes the first 3 of a batch of images.
///
/// # Errors
/// As [`Image::try_write`].
#[track_caller]
pub fn try_image(name: &str, data: impl AsTensor, step: impl IntoStep) -> Result<()> {
    Image::new().try_write(name, data, step)
}

/// The options of images.
///
/// ```
/// use eagerflow as tf;
/// tf::summary::Image::new().max_outputs(10).write("digits", tf::zeros([10, 8, 8, 1]), 1);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    max_outputs: usize,
    description: String,
}

impl Image {
    /// 3 images at most, and no text.
    pub fn new() -> Self {
        Self { max_outputs: 3, description: String::new() }
    }

    /// How many images are written at most, the first ones of the batch; 3 unless set.
    #[must_use]
    pub fn max_outputs(mut self, images: usize) -> Self {
        self.max_outputs = images;
        self
    }
}

summary_options! { Image:
    /// Writes images `[k, height, width, channels]`: 1 channel is gray, 2 are gray and opacity, 3 are red, green and blue, and a fourth is
    /// opacity. Floats go from 0 to 1, and are clipped; `uint8` from 0 to 255.
    fn write;

    /// Writes images.
    ///
    /// # Errors
    /// InvalidArgument for another rank, number of channels or dtype, or a step that is not one integer; FailedPrecondition without a step, or
    /// for a writer that is closed. Images without pixels are an error of [`flush`](super::flush).
    fn try_write;
}

impl Content for Image {
    fn name(&self) -> &'static str {
        "summary.image"
    }

    fn metadata(&self) -> SummaryMetadata {
        metadata("images", Vec::new(), &self.description)
    }

    fn check(&self, inputs: &[&TensorType]) -> Result<()> {
        let ty = inputs[0];
        let wrong = |what: &str| Error::invalid_argument("summary.image", what).got(ty);
        if ty.shape.rank() != 4 {
            let help = "`expand_dims` with axis 0 makes a batch of one image, with axis -1 a channel";
            return Err(wrong("the images have a wrong rank").expected("[k, height, width, channels]").help(help));
        }
        if !ty.dtype.is_floating() && ty.dtype != DType::U8 {
            return Err(wrong("the images have a wrong dtype").expected("floats from 0 to 1, or uint8"));
        }
        match ty.shape.dim(3).known_value() {
            Some(0 | 5..) => Err(wrong("the images have a wrong number of channels")
                .expected("1 for gray, 2 with opacity, 3 for red, green and blue, or 4 with opacity")),
            _ => Ok(()),
        }
    }

    fn tensor(&self, inputs: &[Tensor]) -> Result<TensorProto> {
        let dims = inputs[0].shape().dims().to_vec();
        let [count, height, width, channels] = dims[..] else {
            return Err(Error::internal("summary.image", "the images have a wrong rank"));
        };
        if !(1..=4).contains(&channels) {
            return Err(Error::invalid_argument("summary.image", "the images have a wrong number of channels")
                .got(channels)
                .expected("1 to 4"));
        }
        let bytes = bytes_of(&inputs[0])?;
        let mut parts = vec![width.to_string().into_bytes(), height.to_string().into_bytes()];
        let size = height * width * channels;
        for i in 0..count.min(self.max_outputs) {
            parts.push(png(&bytes[i * size..(i + 1) * size], (height, width, channels))?);
        }
        let sizes = [parts.len()];
        Ok(strings(parts, &sizes))
    }
}

/// The bytes of pixels: TensorFlow's `convert_image_dtype` with `saturate`.
fn bytes_of(images: &Tensor) -> Result<Vec<u8>> {
    if images.dtype() == DType::U8 {
        return images.try_to_vec::<u8>();
    }
    let values = cast_to(images, DType::F32)?.try_to_vec::<f32>()?;
    Ok(values.into_iter().map(|value| (value * 255.5).clamp(0.0, 255.0) as u8).collect())
}

fn png(pixels: &[u8], size: (usize, usize, usize)) -> Result<Vec<u8>> {
    let (height, width, _) = size;
    if !(1..=1 << 24).contains(&width) || !(1..=1 << 24).contains(&height) {
        return Err(Error::invalid_argument("summary.image", "an image cannot be encoded")
            .got(format!("{width} by {height} pixels"))
            .expected("sides of 1 to 2^24"));
    }
    encode_png_bytes("summary.image", pixels, size)
}
