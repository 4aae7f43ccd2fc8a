//! Images changed by numbers that are drawn: from the global random state, or from a seed, with TensorFlow's numbers for either.
//! Users call them as `tf::image::random_*` and `tf::image::stateless_random_*`; what is changed lies in the files of the other functions.

use super::colour::{brightened, contrasted};
use super::hue::{saturated, turned};
use super::jpeg_quality::degraded;
use super::operand::{image_axes, image_fn, scalar};
use crate::io::DctMethod;
use engine::library::reshape_to;
use engine::random::{self, IntoSeed};
use engine::{AsTensor, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, IntoDim, IntoShape, Shape};

/// Where numbers come from.
enum Source {
    /// The global state, or a stream of it that a seed names.
    Global(Option<i64>),
    /// A seed alone.
    Seed(Tensor),
}

impl Source {
    #[track_caller]
    fn uniform(&self, shape: Shape, low: f64, high: f64) -> Result<Tensor> {
        match self {
            Self::Global(seed) => random::try_uniform(shape, low, high, DType::F32, *seed),
            Self::Seed(seed) => random::try_stateless_uniform(shape, seed, low, high, DType::F32),
        }
    }

    #[track_caller]
    fn integers(&self, shape: Shape, low: i64, high: i64) -> Result<Tensor> {
        match self {
            Self::Global(seed) => random::try_uniform_int(shape, low, high, DType::I32, *seed),
            Self::Seed(seed) => random::try_stateless_uniform_int(shape, seed, low, high, DType::I32),
        }
    }

    /// A number as far below 0 as above.
    #[track_caller]
    fn around_zero(&self, most: f64) -> Result<Tensor> {
        self.uniform(Shape::SCALAR, -most, most)
    }
}

/// An error for what is no magnitude up to `most`.
fn magnitude(max_delta: f64, most: f64) -> Result<()> {
    match (0.0..=most).contains(&max_delta) {
        true => Ok(()),
        false => {
            let expected = if most.is_finite() { format!("from 0 to {most}") } else { "at least 0".to_owned() };
            Err(Error::invalid_argument("", "`max_delta` is out of range").got(max_delta).expected(expected))
        }
    }
}

/// An error for what is no range of factors.
fn range(lower: f64, upper: f64) -> Result<()> {
    match lower >= 0.0 && upper > lower && upper.is_finite() {
        true => Ok(()),
        false => Err(Error::invalid_argument("", "the factors are no range")
            .got(format!("from {lower} to {upper}"))
            .expected("`lower` of at least 0, and `upper` above it")),
    }
}

#[track_caller]
fn quality(min: i32, max: i32, source: &Source) -> Result<Tensor> {
    let is_range = 0 <= min && min < max && max <= 100;
    if !is_range {
        return Err(Error::invalid_argument("", "the qualities are no range")
            .got(format!("from {min} to {max}"))
            .expected("from 0 to 100, the smaller one first"));
    }
    source.integers(Shape::SCALAR, min.into(), max.into())
}

/// Images mirrored along one of the axes of `image_axes`, each with a probability of one half.
#[track_caller]
fn flipped(x: &Tensor, across: bool, source: &Source) -> Result<Tensor> {
    let (rows, columns) = image_axes(x)?;
    let mirrored = x.try_reverse([if across { columns } else { rows } as isize])?;
    let mirrors = match x.rank() {
        3 => source.uniform(Shape::SCALAR, 0.0, 1.0)?.try_less(0.5)?,
        // A batch is mirrored where a number rounds to 1, one image where it is below a half, as in TensorFlow.
        _ => {
            let batch = x.shape().dim(0);
            let each = source.uniform(Shape::from_dims(&[batch])?, 0.0, 1.0)?.try_greater(0.5)?;
            reshape_to(&each, &Shape::from_dims(&[batch, Dim::ONE, Dim::ONE, Dim::ONE])?)?
        }
    };
    engine::try_where(&mirrors, &mirrored, x)
}

/// A window of these sizes along all axes.
#[track_caller]
fn cropped(x: &Tensor, sizes: &[Dim], source: &Source) -> Result<Tensor> {
    let fits = |(whole, &size): (Dim, &Dim)| size.valid().is_ok() && (whole - size).valid().is_ok();
    if sizes.len() != x.rank() || !x.shape().iter().zip(sizes).all(fits) {
        return Err(super::operand::misfit("the window does not fit", x, &format!("at least {sizes:?}")));
    }
    let count = Shape::from_dims(&[Dim::known(sizes.len())])?;
    let places = source.integers(count, 0, i32::MAX.into())?;
    let mut begin = Vec::with_capacity(sizes.len());
    for (axis, &size) in sizes.iter().enumerate() {
        let place = super::operand::part(&places, 0, Dim::known(axis), Dim::ONE)?;
        let free = scalar(x.shape().dim(axis) - size + 1, DType::I32)?;
        begin.push(reshape_to(&place, &Shape::SCALAR)?.try_floormod(&free)?.into_dim()?);
    }
    engine::try_slice(x, Shape::from_dims(&begin)?, Shape::from_dims(sizes)?)
}

/// Writes a function of the global state and its twin of a seed, with one body.
macro_rules! drawn {
    ($(
        $(#[$doc:meta])*
        [$source:ident] $name:ident, $try_name:ident, $stateless:ident, $try_stateless:ident,
        $twin:literal ($image:ident $(, $arg:ident: $ty:ty)*) $body:block
    )*) => {$(
        image_fn! {
            $(#[$doc])*
            ///
            /// Without a seed the numbers are those of the global state; with one, those of a stream that it names.
            pub fn $name, $try_name(image: impl AsTensor, $($arg: $ty,)* seed: Option<i64>) -> Tensor {
                let ($image, $source) = (&*image.as_tensor(), &Source::Global(seed));
                $body
            }

            #[doc = concat!("[`", stringify!($name), "`](fn@", stringify!($name), ") with the same result for the same seed at every call. ")]
            #[doc = concat!("TensorFlow's `tf.image.", stringify!($stateless), "`.")]
            ///
            /// ```
            /// use eagerflow as tf;
            #[doc = $twin]
            /// ```
            pub fn $stateless, $try_stateless(image: impl AsTensor, $($arg: $ty,)* seed: impl IntoSeed) -> Tensor {
                let ($image, $source) = (&*image.as_tensor(), &Source::Seed(seed.seed_tensor()));
                $body
            }
        }
    )*};
}

drawn! {
    /// Images to whose values a number from `-max_delta` to `max_delta` is added, as by `adjust_brightness`. TensorFlow's
    /// `tf.image.random_brightness`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::image::random_brightness(tf::ones([2, 2, 1]), 0.0, None).to_vec::<f32>(), [1.0; 4]);
    /// ```
    [source] random_brightness, try_random_brightness, stateless_random_brightness, try_stateless_random_brightness,
    "assert_eq!(tf::image::stateless_random_brightness(tf::ones([2, 2, 1]), 0.0, [1, 2]).to_vec::<f32>(), [1.0; 4]);"
    (image, max_delta: f64) {
        magnitude(max_delta, f64::INFINITY)?;
        brightened(image, &source.around_zero(max_delta)?)
    }

    /// Images with a contrast between `lower` and `upper` times their own, as by `adjust_contrast`. TensorFlow's
    /// `tf.image.random_contrast`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let gray = tf::image::random_contrast(tf::ones([2, 2, 1]), 0.5, 1.5, Some(3));
    /// assert_eq!(gray.to_vec::<f32>(), [1.0; 4]);
    /// ```
    [source] random_contrast, try_random_contrast, stateless_random_contrast, try_stateless_random_contrast,
    "assert_eq!(tf::image::stateless_random_contrast(tf::ones([2, 2, 1]), 0.5, 1.5, [1, 2]).to_vec::<f32>(), [1.0; 4]);"
    (image, lower: f64, upper: f64) {
        range(lower, upper)?;
        contrasted(image, &source.uniform(Shape::SCALAR, lower, upper)?)
    }

    /// RGB images whose hue is turned by a number from `-max_delta` to `max_delta`, at most 0.5, as by `adjust_hue`. TensorFlow's
    /// `tf.image.random_hue`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::image::random_hue(tf::ones([2, 1, 3]), 0.5, None).to_vec::<f32>(), [1.0; 6]);
    /// ```
    [source] random_hue, try_random_hue, stateless_random_hue, try_stateless_random_hue,
    "assert_eq!(tf::image::stateless_random_hue(tf::ones([2, 1, 3]), 0.5, [1, 2]).to_vec::<f32>(), [1.0; 6]);"
    (image, max_delta: f64) {
        magnitude(max_delta, 0.5)?;
        turned(image, &source.around_zero(max_delta)?)
    }

    /// RGB images with a saturation between `lower` and `upper` times their own, as by `adjust_saturation`. TensorFlow's
    /// `tf.image.random_saturation`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::image::random_saturation(tf::ones([2, 1, 3]), 0.5, 2.0, None).to_vec::<f32>(), [1.0; 6]);
    /// ```
    [source] random_saturation, try_random_saturation, stateless_random_saturation, try_stateless_random_saturation,
    "assert_eq!(tf::image::stateless_random_saturation(tf::ones([2, 1, 3]), 0.5, 2.0, [1, 2]).to_vec::<f32>(), [1.0; 6]);"
    (image, lower: f64, upper: f64) {
        range(lower, upper)?;
        saturated(image, &source.uniform(Shape::SCALAR, lower, upper)?)
    }

    /// An image as a JPEG file of a quality of `min_jpeg_quality..max_jpeg_quality` would give it back, as by `adjust_jpeg_quality`.
    /// TensorFlow's `tf.image.random_jpeg_quality`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::image::random_jpeg_quality(tf::zeros([8, 8, 1]), 50, 90, None).shape(), [8, 8, 1]);
    /// ```
    [source] random_jpeg_quality, try_random_jpeg_quality, stateless_random_jpeg_quality, try_stateless_random_jpeg_quality,
    "assert_eq!(tf::image::stateless_random_jpeg_quality(tf::zeros([8, 8, 1]), 50, 90, [1, 2]).shape(), [8, 8, 1]);"
    (image, min_jpeg_quality: i32, max_jpeg_quality: i32) {
        degraded(image, &quality(min_jpeg_quality, max_jpeg_quality, source)?, DctMethod::default())
    }

    /// Images with left and right exchanged, each with a probability of one half. TensorFlow's `tf.image.random_flip_left_right`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::image::random_flip_left_right(tf::constant([[[1], [2]]]), None).to_vec::<i32>();
    /// assert!(y == [1, 2] || y == [2, 1]);
    /// ```
    [source] random_flip_left_right, try_random_flip_left_right, stateless_random_flip_left_right, try_stateless_random_flip_left_right,
    "assert_eq!(tf::image::stateless_random_flip_left_right(tf::constant([[[1], [2]]]), [0, 2]).to_vec::<i32>(), [2, 1]);"
    (image) {
        flipped(image, true, source)
    }

    /// Images with top and bottom exchanged, each with a probability of one half. TensorFlow's `tf.image.random_flip_up_down`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let y = tf::image::random_flip_up_down(tf::constant([[[1]], [[2]]]), None).to_vec::<i32>();
    /// assert!(y == [1, 2] || y == [2, 1]);
    /// ```
    [source] random_flip_up_down, try_random_flip_up_down, stateless_random_flip_up_down, try_stateless_random_flip_up_down,
    "assert_eq!(tf::image::stateless_random_flip_up_down(tf::constant([[[1]], [[2]]]), [0, 2]).to_vec::<i32>(), [2, 1]);"
    (image) {
        flipped(image, false, source)
    }

    /// A window of `size` at a random place of a tensor of any rank, whose sizes along all axes are given. TensorFlow's
    /// `tf.image.random_crop`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::image::random_crop(tf::ones([8, 8, 3]), [4, 5, 3], None).shape(), [4, 5, 3]);
    /// ```
    [source] random_crop, try_random_crop, stateless_random_crop, try_stateless_random_crop,
    "assert_eq!(tf::image::stateless_random_crop(tf::ones([8, 8, 3]), [4, 5, 3], [1, 2]).shape(), [4, 5, 3]);"
    (image, size: impl IntoShape) {
        cropped(image, &size.into_dims()?, source)
    }
}
