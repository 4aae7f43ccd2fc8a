//! `RandomRotation`, `RandomZoom` and `RandomTranslation`: images turned, made larger or smaller, and moved at random.
//! Keras's layers of these names; each image of a batch has numbers of its own.

use super::sampling::{FillMode, ImageSampling, Sampling};
use super::{Factor, random_images};
use crate::layers::base::Core;
use crate::layers::dropout::own_seeds;
use engine::library::options::options;
use engine::{DataFormat, Tensor};
use kernels::error::{OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

/// The options of all layers here.
macro_rules! sampled {
    ($($layer:ident),*) => {$(
        impl $layer {
            /// What is read outside of the image.
            #[must_use]
            pub fn fill_mode(mut self, fill_mode: FillMode) -> Self {
                self.sampling.fill_mode = fill_mode;
                self
            }

            /// What is read between pixels.
            #[must_use]
            pub fn interpolation(mut self, interpolation: ImageSampling) -> Self {
                self.sampling.interpolation = interpolation;
                self
            }

            /// The value outside of the image with [`FillMode::Constant`], 0 unless set.
            #[must_use]
            pub fn fill_value(mut self, fill_value: f64) -> Self {
                self.sampling.fill_value = fill_value;
                self
            }
        }
    )*};
}
pub(super) use sampled;

random_images! {
    /// Turns each image around its middle, while the model is trained. The factor is a share of a full turn, positive for a turn against
    /// the clock.
    ///
    /// A layer that is called by itself, outside of a model that is trained, passes images on; in Keras it then acts as in training.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::RandomRotation;
    /// let x = tf::reshape(&tf::range(0.0, 9.0, 1.0), [3, 3, 1]);
    /// let quarter = RandomRotation::new((0.25, 0.25)).call_training(&x, true);
    /// assert_eq!(quarter.cast(tf::DType::F64).at(tf::s![1, 1, 0]).item::<f64>(), 4.0);
    /// ```
    RandomRotation, { factor: Factor, sampling: Sampling }, |this, x| this.turned(x), |of| (of.factor.word(), of.sampling.word())
}

random_images! {
    /// Makes each image smaller or larger around its middle, while the model is trained: a positive factor shows more than the image, and a
    /// negative one a part of it.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::RandomZoom;
    /// let layer = RandomZoom::new((-0.5, -0.2));
    /// assert_eq!(layer.call_training(tf::ones([2, 4, 4, 3]), true).to_vec::<f32>(), [1.0; 96]);
    /// ```
    RandomZoom, { height: Factor, width: Option<Factor>, sampling: Sampling }, |this, x| this.zoomed(x),
    |of| (of.height.word(), of.width.map(Factor::word), of.sampling.word())
}

random_images! {
    /// Moves each image by a share of its height and of its width, while the model is trained: positive factors move it down and to the right.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::{FillMode, RandomTranslation};
    /// let x = tf::reshape(&tf::range(0.0, 4.0, 1.0), [2, 2, 1]);
    /// let down = RandomTranslation::new((0.5, 0.5), 0.0).fill_mode(FillMode::Constant).fill_value(9.0);
    /// assert_eq!(down.call_training(&x, true).to_vec::<f32>(), [9.0, 9.0, 0.0, 1.0]);
    /// ```
    RandomTranslation, { height: Factor, width: Factor, sampling: Sampling }, |this, x| this.moved(x),
    |of| (of.height.word(), of.width.word(), of.sampling.word())
}

sampled!(RandomRotation, RandomZoom, RandomTranslation);

/// A size as a number among floats, for each image.
#[track_caller]
fn size_of(x: &Tensor, axis: usize, like: &Tensor) -> Result<Tensor> {
    engine::try_zeros_like(like)?.try_add(x.shape().dim(axis))
}

impl RandomRotation {
    /// Turns by up to `factor` of a full turn to both sides, or from one share to another.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(factor: impl Into<Factor>) -> Self {
        Self::try_new(factor).or_fail()
    }

    /// Turns by a share that may be out of range.
    ///
    /// # Errors
    /// InvalidArgument for shares that are not from -1 to 1.
    #[track_caller]
    pub fn try_new(factor: impl Into<Factor>) -> Result<Self> {
        let here = Location::caller();
        let factor = factor.into().within("RandomRotation", "factor", -1.0, 1.0).map_err(|e| e.at(here))?;
        let (sampling, data_format) = (Sampling::new(), DataFormat::ChannelsLast);
        Ok(Self { core: Core::new("random_rotation"), factor, sampling, data_format, seeds: own_seeds()? })
    }

    #[track_caller]
    fn turned(&self, x: &Tensor) -> Result<Tensor> {
        let angle = self.factor.draw(x.shape().dim(0), &self.seeds)?.try_multiply(360.0)?;
        let angle = angle.try_multiply(std::f64::consts::PI / 180.0)?;
        let (cos, sin) = (angle.try_cos()?, angle.try_sin()?);
        let middle = |axis: usize| size_of(x, axis, &angle)?.try_subtract(1.0)?.try_multiply(0.5);
        let (middle_x, middle_y) = (middle(2)?, middle(1)?);
        let back = sin.try_neg()?;
        let shift_x =
            middle_x.try_subtract(&middle_x.try_multiply(&cos)?)?.try_subtract(&middle_y.try_multiply(&back)?)?;
        let shift_y =
            middle_y.try_subtract(&middle_x.try_multiply(&sin)?)?.try_subtract(&middle_y.try_multiply(&cos)?)?;
        self.sampling.affine(x, [&cos, &back, &shift_x], [&sin, &cos, &shift_y])
    }
}

impl RandomZoom {
    /// Zooms by up to `height_factor` to both sides, or from one factor to another, and the width like the height.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(height_factor: impl Into<Factor>) -> Self {
        Self::try_new(height_factor).or_fail()
    }

    /// Zooms by a factor that may be out of range.
    ///
    /// # Errors
    /// InvalidArgument for factors that are not from -1 to 1.
    #[track_caller]
    pub fn try_new(height_factor: impl Into<Factor>) -> Result<Self> {
        let here = Location::caller();
        let height = height_factor.into().within("RandomZoom", "height_factor", -1.0, 1.0).map_err(|e| e.at(here))?;
        let (sampling, data_format) = (Sampling::new(), DataFormat::ChannelsLast);
        Ok(Self { core: Core::new("random_zoom"), height, width: None, sampling, data_format, seeds: own_seeds()? })
    }

    #[track_caller]
    fn zoomed(&self, x: &Tensor) -> Result<Tensor> {
        let batch = x.shape().dim(0);
        let height = self.height.draw(batch, &self.seeds)?.try_add(1.0)?;
        let width = match self.width {
            Some(width) => width.draw(batch, &self.seeds)?.try_add(1.0)?,
            None => height.clone(),
        };
        let shift = |axis: usize, zoom: &Tensor| -> Result<Tensor> {
            let half = size_of(x, axis, zoom)?.try_subtract(1.0)?.try_multiply(0.5)?;
            half.try_multiply(&engine::try_subtract(1.0, zoom)?)
        };
        let (shift_x, shift_y) = (shift(2, &width)?, shift(1, &height)?);
        let none = engine::try_zeros_like(&width)?;
        self.sampling.affine(x, [&width, &none, &shift_x], [&none, &height, &shift_y])
    }
}

options! { RandomZoom:
    /// The factor of the width, in place of that of the height.
    pub fn width_factor, try_width_factor(this, width_factor: impl Into<Factor>) {
        this.width = Some(width_factor.into().within("RandomZoom", "width_factor", -1.0, 1.0)?);
        Ok(this)
    }
}

impl RandomTranslation {
    /// Moves by up to these shares of height and width to both sides, or from one share to another.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(height_factor: impl Into<Factor>, width_factor: impl Into<Factor>) -> Self {
        Self::try_new(height_factor, width_factor).or_fail()
    }

    /// Moves by shares that may be out of range.
    ///
    /// # Errors
    /// InvalidArgument for shares that are not from -1 to 1.
    #[track_caller]
    pub fn try_new(height_factor: impl Into<Factor>, width_factor: impl Into<Factor>) -> Result<Self> {
        let here = Location::caller();
        let checked = |factor: Factor, option: &str| factor.within("RandomTranslation", option, -1.0, 1.0);
        let height = checked(height_factor.into(), "height_factor").map_err(|e| e.at(here))?;
        let width = checked(width_factor.into(), "width_factor").map_err(|e| e.at(here))?;
        let (sampling, data_format) = (Sampling::new(), DataFormat::ChannelsLast);
        Ok(Self { core: Core::new("random_translation"), height, width, sampling, data_format, seeds: own_seeds()? })
    }

    #[track_caller]
    fn moved(&self, x: &Tensor) -> Result<Tensor> {
        let batch: Dim = x.shape().dim(0);
        let shift = |factor: Factor, axis: usize| -> Result<Tensor> {
            factor.draw(batch, &self.seeds)?.try_multiply(x.shape().dim(axis))?.try_neg()
        };
        let (down, right) = (shift(self.height, 1)?, shift(self.width, 2)?);
        let none = engine::try_zeros(Shape::from_dims(&[batch])?, down.dtype())?;
        let one = none.try_add(1.0)?;
        self.sampling.affine(x, [&one, &none, &right], [&none, &one, &down])
    }
}
