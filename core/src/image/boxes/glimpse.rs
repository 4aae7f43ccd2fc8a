//! `extract_glimpse`: a window of each image around a place, with noise where it leaves the image.
//! Users call it under `tf::image`, as models of attention do.

use super::super::operand::{at_least_an_image, floats, image_fn, misfit, part, scalar, size as checked_size};
use super::{is_within, pixels_at};
use engine::library::{cast_to, reshape_to};
use engine::random;
use engine::{AsTensor, Tensor, keep_dims};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, IntoDim, Shape};

/// What a glimpse has outside of its image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GlimpseNoise {
    /// Numbers between the least and the greatest of the image.
    #[default]
    Uniform,
    /// Normal numbers with the mean and the deviation of the image's channel.
    Gaussian,
    /// Zeros.
    Zero,
}

/// How places of glimpses are meant: TensorFlow's options of `tf.image.extract_glimpse`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glimpse {
    centered: bool,
    normalized: bool,
    noise: GlimpseNoise,
}

impl Default for Glimpse {
    fn default() -> Self {
        Self::new()
    }
}

impl Glimpse {
    /// From the image's middle, in halves of its size, with uniform noise.
    pub fn new() -> Self {
        Self { centered: true, normalized: true, noise: GlimpseNoise::Uniform }
    }

    /// Whether places count from the middle of the image, or from its first pixel.
    #[must_use]
    pub fn centered(mut self, centered: bool) -> Self {
        self.centered = centered;
        self
    }

    /// Whether places are shares of the image, or pixels. Shares that count from the middle are where the middle of the window lies; all
    /// other places are those of its first pixel, as in TensorFlow.
    #[must_use]
    pub fn normalized(mut self, normalized: bool) -> Self {
        self.normalized = normalized;
        self
    }

    /// What is outside of the image.
    #[must_use]
    pub fn noise(mut self, noise: GlimpseNoise) -> Self {
        self.noise = noise;
        self
    }

    /// The first of so many places along an axis, for each image.
    #[track_caller]
    fn begin(self, offset: &Tensor, count: Dim, size: Dim) -> Result<Tensor> {
        let half = |size: Dim| scalar(size, DType::F32)?.try_multiply(0.5);
        let place = match (self.centered, self.normalized) {
            (false, false) => offset.clone(),
            (false, true) => offset.try_multiply(size)?,
            (true, true) => {
                let place = offset.try_multiply(size)?.try_multiply(0.5)?;
                place.try_add(&half(size)?)?.try_subtract(&half(count)?)?
            }
            // Here the place is that of the first pixel, not of the middle, as in TensorFlow.
            (true, false) => offset.try_add(&half(size)?)?,
        };
        // Toward zero, as C makes integers.
        cast_to(&cast_to(&place, DType::I64)?, DType::F32)
    }

    /// What stands in for pixels outside, `[batch, rows, columns, channels]` or less.
    #[track_caller]
    fn outside(self, images: &Tensor, shape: Shape) -> Result<Tensor> {
        match self.noise {
            GlimpseNoise::Zero => engine::try_zeros((), DType::F32),
            GlimpseNoise::Uniform => {
                let least = images.try_reduce_min(keep_dims([1, 2, 3]))?;
                let range = images.try_reduce_max(keep_dims([1, 2, 3]))?.try_subtract(&least)?;
                random::try_uniform(shape, 0.0, 1.0, DType::F32, None)?.try_multiply(&range)?.try_add(&least)
            }
            GlimpseNoise::Gaussian => {
                let deviation = engine::try_reduce_std(images, keep_dims([1, 2]))?;
                let mean = images.try_reduce_mean(keep_dims([1, 2]))?;
                random::try_normal(shape, 0.0, 1.0, DType::F32, None)?.try_multiply(&deviation)?.try_add(&mean)
            }
        }
    }
}

image_fn! {
    /// A window of `size` of each of the images `[batch, height, width, channels]`, which are `float32`, around the places `offsets`,
    /// `[batch, 2]` of rows and columns. With the defaults (-1, -1) is the first corner and (1, 1) the last one; [`Glimpse`] has other ways.
    /// TensorFlow's `tf.image.extract_glimpse`.
    ///
    /// Noise is drawn from the global random state, with numbers other than TensorFlow's.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::image::Glimpse;
    /// let x = tf::reshape(&tf::range(0.0, 9.0, 1.0), [1, 3, 3, 1]);
    /// let corner = Glimpse::new().centered(false).normalized(false);
    /// let y = tf::image::extract_glimpse(&x, (2, 2), tf::constant([[1.0, 1.0]]), corner);
    /// assert_eq!(y.to_vec::<f32>(), [4.0, 5.0, 7.0, 8.0]);
    /// ```
    pub fn extract_glimpse, try_extract_glimpse(
        input: impl AsTensor,
        size: (impl IntoDim, impl IntoDim),
        offsets: impl AsTensor,
        how: Glimpse,
    ) -> Tensor {
        let (images, offsets) = (input.as_tensor(), offsets.as_tensor());
        if images.rank() != 4 || images.dtype() != DType::F32 {
            return Err(misfit("a batch of images of `float32` is needed", &images, "float32[batch, height, width, channels]"));
        }
        at_least_an_image(&images)?;
        floats(&offsets)?;
        let [batch, height, width, channels] = [0, 1, 2, 3].map(|axis| images.shape().dim(axis));
        let fits = offsets.rank() == 2 && offsets.shape().dim(0).can_equal(batch) && offsets.shape().dim(1).can_equal(Dim::from(2));
        if !fits {
            return Err(misfit("there must be a place for each image", &offsets, &format!("float32[{batch}, 2]")));
        }
        let (rows, columns) = (checked_size("height", size.0.into_dim()?, 1)?, checked_size("width", size.1.into_dim()?, 1)?);
        let offsets = cast_to(&offsets, DType::F32)?;
        let places = |axis: usize, count: Dim, size: Dim| -> Result<Tensor> {
            let offset = part(&offsets, 1, Dim::known(axis), Dim::ONE)?;
            how.begin(&offset, count, size)?.try_add(&cast_to(&engine::try_range(0, count, 1)?, DType::F32)?)
        };
        let at = |place: &Tensor, dims: [Dim; 3]| reshape_to(place, &Shape::from_dims(&dims)?);
        let y = at(&places(0, rows, height)?, [batch, rows, Dim::ONE])?;
        let x = at(&places(1, columns, width)?, [batch, Dim::ONE, columns])?;
        let number = at(&cast_to(&engine::try_range(0, batch, 1)?, DType::I64)?, [batch, Dim::ONE, Dim::ONE])?;
        let pixels = pixels_at(&images, &number, &y, &x)?;
        let is_seen = engine::try_logical_and(&is_within(&y, height)?, &is_within(&x, width)?)?;
        let outside = how.outside(&images, Shape::from_dims(&[batch, rows, columns, channels])?)?;
        engine::try_where(&is_seen.try_expand_dims(-1)?, &pixels, &outside)
    }
}
