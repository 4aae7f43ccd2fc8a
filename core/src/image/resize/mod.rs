//! `resize`: images of another size, by TensorFlow's `tf.image.resize` with pixels' centres at halves; the methods and their options.
//! Users call it under `tf::image`; the readers of folders of images do too.

mod aspect;
mod filter;
mod taps;

pub use aspect::{resize_with_pad, try_resize_with_pad};
pub(crate) use taps::places;

use super::operand::{image_axes, image_fn, misfit, size as checked_size};
use engine::library::cast_to;
use engine::{AsTensor, Tensor};
use filter::Filter;
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, IntoDim};
use taps::Taps;

/// How pixels between pixels are made: TensorFlow's `tf.image.ResizeMethod`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ResizeMethod {
    /// Of the four around, by how near they are.
    #[default]
    Bilinear,
    /// The nearest; the dtype stays.
    Nearest,
    /// Of the sixteen around, by the cubic of Keys.
    Bicubic,
    /// The mean of what the new pixel covers; for images made smaller.
    Area,
    /// Of six by six, by a windowed sinc of radius 3.
    Lanczos3,
    /// Of ten by ten, by a windowed sinc of radius 5.
    Lanczos5,
    /// By a bell of radius 3 and deviation 1, in halves of pixels.
    Gaussian,
    /// Of the sixteen around, by the cubic of Mitchell and Netravali, which rings less.
    MitchellCubic,
}

/// How images are brought to another size: the method, and TensorFlow's options of `tf.image.resize`. A method alone is one.
///
/// ```
/// use eagerflow as tf;
/// use tf::image::{ResizeMethod, Resizing};
/// let small = tf::image::resize(tf::ones([64, 32, 3]), (16, 16), Resizing::new(ResizeMethod::Bicubic).antialias(true));
/// assert_eq!(small.shape(), [16, 16, 3]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resizing {
    method: ResizeMethod,
    antialias: bool,
    preserve_aspect_ratio: bool,
}

impl From<ResizeMethod> for Resizing {
    fn from(method: ResizeMethod) -> Self {
        Self { method, ..Self::default() }
    }
}

impl Resizing {
    /// A method, without filtering, to just the size.
    pub fn new(method: ResizeMethod) -> Self {
        Self::from(method)
    }

    /// Whether images that are made smaller are filtered, so that fine patterns become gray instead of coarse ones. It says nothing to
    /// [`ResizeMethod::Nearest`] and [`ResizeMethod::Area`], as in TensorFlow.
    #[must_use]
    pub fn antialias(mut self, antialias: bool) -> Self {
        self.antialias = antialias;
        self
    }

    /// Whether the size is the most that the images may have, and width and height keep their ratio.
    #[must_use]
    pub fn preserve_aspect_ratio(mut self, preserve: bool) -> Self {
        self.preserve_aspect_ratio = preserve;
        self
    }

    /// The pixels along an axis of another length, for the methods that are sums.
    #[track_caller]
    fn taps(self, to: Dim, from: Dim) -> Result<Taps> {
        let filter = match self.method {
            ResizeMethod::Bicubic if !self.antialias => return Taps::bicubic(to, from),
            ResizeMethod::Bilinear if !self.antialias => return Taps::bilinear(to, from),
            ResizeMethod::Area => return Taps::area(to, from),
            ResizeMethod::Bilinear | ResizeMethod::Nearest => Filter::Triangle,
            ResizeMethod::Bicubic => Filter::Keys,
            ResizeMethod::Lanczos3 => Filter::Lanczos(3),
            ResizeMethod::Lanczos5 => Filter::Lanczos(5),
            ResizeMethod::Gaussian => Filter::Gaussian,
            ResizeMethod::MitchellCubic => Filter::Mitchell,
        };
        Taps::filtered(filter, self.antialias, to, from)
    }
}

/// Images of so many rows and columns, whatever their ratio was.
#[track_caller]
fn resized(images: &Tensor, [height, width]: [Dim; 2], how: Resizing) -> Result<Tensor> {
    let (rows, columns) = image_axes(images)?;
    let (own_height, own_width) = (images.shape().dim(rows), images.shape().dim(columns));
    if !(images.dtype().is_floating() || images.dtype().is_integer()) {
        return Err(misfit("images of numbers are needed", images, "floats or integers"));
    }
    if how.method == ResizeMethod::Nearest {
        let lines = engine::try_gather(images, &taps::nearest(height, own_height)?, rows as isize)?;
        return engine::try_gather(&lines, &taps::nearest(width, own_width)?, columns as isize);
    }
    let images = cast_to(images, DType::F32)?;
    let lines = how.taps(height, own_height)?.along(&images, rows)?;
    how.taps(width, own_width)?.along(&lines, columns)
}

image_fn! {
    /// Images `[batch, height, width, channels]`, or one without the batch, of so many rows and columns. The result is `float32`, but that of
    /// [`ResizeMethod::Nearest`] keeps the dtype. TensorFlow's `tf.image.resize`.
    ///
    /// The third argument is a [`ResizeMethod`], or [`Resizing`] with the options `antialias` and `preserve_aspect_ratio`. Gradients flow
    /// with all methods; in TensorFlow not with [`ResizeMethod::Area`]. The work is that of as many pixels as the filter covers, for each
    /// pixel of the result and one axis after the other.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::image::ResizeMethod;
    /// let x = tf::reshape(&tf::range(0.0, 4.0, 1.0), [2, 2, 1]);
    /// let large = tf::image::resize(&x, (2, 4), ResizeMethod::Bilinear);
    /// assert_eq!(large.to_vec::<f32>(), [0.0, 0.25, 0.75, 1.0, 2.0, 2.25, 2.75, 3.0]);
    /// ```
    pub fn resize, try_resize(
        images: impl AsTensor,
        size: (impl IntoDim, impl IntoDim),
        method: impl Into<Resizing>,
    ) -> Tensor {
        let (images, how) = (images.as_tensor(), method.into());
        let (rows, columns) = image_axes(&images)?;
        let mut to = [checked_size("height", size.0.into_dim()?, 1)?, checked_size("width", size.1.into_dim()?, 1)?];
        if how.preserve_aspect_ratio {
            to = aspect::within(to, [images.shape().dim(rows), images.shape().dim(columns)])?;
        }
        resized(&images, to, how)
    }
}
