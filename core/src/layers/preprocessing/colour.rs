//! `RandomContrast` and `RandomBrightness`: images with more or less contrast, lighter or darker, at random.
//! Keras's layers of these names; each image of a batch has a number of its own.

use super::{Factor, random_images};
use crate::layers::base::Core;
use crate::layers::dropout::own_seeds;
use engine::library::{cast_to, options::options, reshape_to};
use engine::{DataFormat, Tensor, keep_dims};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

random_images! {
    /// Moves the values of each image away from or towards the mean of each channel, while the model is trained: by a number between 1 − the
    /// lower and 1 + the upper factor. What comes out is kept within the range of values.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::RandomContrast;
    /// let grey = tf::ones([2, 4, 4, 3]) * 100.0;
    /// assert_eq!(RandomContrast::new(0.5).call_training(&grey, true).to_vec::<f32>(), [100.0; 96]);
    /// ```
    RandomContrast, { factor: Factor, range: Factor }, |this, x| this.contrasted(x), |of| (of.factor.word(), of.range.word())
}

random_images! {
    /// Adds one number to all values of each image, while the model is trained: a factor times the range of values, within which what comes
    /// out is kept.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::RandomBrightness;
    /// let grey = tf::ones([1, 1, 2, 1]) * 100.0;
    /// assert_eq!(RandomBrightness::new((0.2, 0.2)).call_training(&grey, true).to_vec::<f32>(), [151.0, 151.0]);
    /// ```
    RandomBrightness, { factor: Factor, range: Factor }, |this, x| this.lightened(x), |of| (of.factor.word(), of.range.word())
}

/// The range of values of eight bits.
pub(super) const BYTE: Factor = Factor(0.0, 255.0);

/// One number for each image, in a dtype.
#[track_caller]
pub(super) fn for_each_image(numbers: &Tensor, x: &Tensor, dtype: DType) -> Result<Tensor> {
    let each = Shape::from_dims(&[x.shape().dim(0), Dim::ONE, Dim::ONE, Dim::ONE])?;
    cast_to(&reshape_to(numbers, &each)?, dtype)
}

/// A range of values, from the first number to the second.
pub(super) fn range_of(layer: &str, (low, high): (f64, f64)) -> Result<Factor> {
    match low < high && low.is_finite() && high.is_finite() {
        true => Ok(Factor(low, high)),
        false => Err(Error::invalid_argument(layer, "`value_range` is no range")
            .got(format!("from {low} to {high}"))
            .expected("two numbers, the smaller one first")),
    }
}

/// Values of one range in another.
#[track_caller]
pub(super) fn ranged(x: &Tensor, from: Factor, to: Factor) -> Result<Tensor> {
    if from == to {
        return Ok(x.clone());
    }
    let share = x.try_subtract(from.0)?.try_divide(from.1 - from.0)?;
    share.try_multiply(to.1 - to.0)?.try_add(to.0)
}

impl RandomContrast {
    /// Factors from 0 to 1: two, for less and for more contrast, or one, for more alone as in Keras.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(factor: impl Into<Factor>) -> Self {
        Self::try_new(factor).or_fail()
    }

    /// Factors that may be out of range.
    ///
    /// # Errors
    /// InvalidArgument for factors that are not from 0 to 1.
    #[track_caller]
    pub fn try_new(factor: impl Into<Factor>) -> Result<Self> {
        let here = Location::caller();
        let factor = factor.into().above_zero().within("RandomContrast", "factor", 0.0, 1.0).map_err(|e| e.at(here))?;
        let (range, data_format) = (Factor(0.0, 255.0), DataFormat::ChannelsLast);
        Ok(Self { core: Core::new("random_contrast"), factor, range, data_format, seeds: own_seeds()? })
    }

    #[track_caller]
    fn contrasted(&self, x: &Tensor) -> Result<Tensor> {
        let spread = Factor(1.0 - self.factor.0, 1.0 + self.factor.1);
        let contrast = for_each_image(&spread.draw(x.shape().dim(0), &self.seeds)?, x, x.dtype())?;
        let mean = x.try_reduce_mean(keep_dims([1, 2]))?;
        let y = x.try_subtract(&mean)?.try_multiply(&contrast)?.try_add(&mean)?;
        engine::try_clip_by_value(&y, self.range.0, self.range.1)
    }
}

options! { RandomContrast:
    /// The range of the images' values, 0 to 255 unless set.
    pub fn value_range, try_value_range(this, value_range: (f64, f64)) {
        this.range = range_of("RandomContrast", value_range)?;
        Ok(this)
    }
}

impl RandomBrightness {
    /// Factors from -1 to 1: one for darker and lighter, or two, between which they are.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(factor: impl Into<Factor>) -> Self {
        Self::try_new(factor).or_fail()
    }

    /// Factors that may be out of range.
    ///
    /// # Errors
    /// InvalidArgument for factors that are not from -1 to 1.
    #[track_caller]
    pub fn try_new(factor: impl Into<Factor>) -> Result<Self> {
        let here = Location::caller();
        let factor = factor.into().within("RandomBrightness", "factor", -1.0, 1.0).map_err(|e| e.at(here))?;
        let (range, data_format) = (Factor(0.0, 255.0), DataFormat::ChannelsLast);
        Ok(Self { core: Core::new("random_brightness"), factor, range, data_format, seeds: own_seeds()? })
    }

    #[track_caller]
    fn lightened(&self, x: &Tensor) -> Result<Tensor> {
        let light = self.factor.draw(x.shape().dim(0), &self.seeds)?.try_multiply(self.range.1 - self.range.0)?;
        let y = x.try_add(&for_each_image(&light, x, x.dtype())?)?;
        engine::try_clip_by_value(&y, self.range.0, self.range.1)
    }
}

options! { RandomBrightness:
    /// The range of the images' values, 0 to 255 unless set.
    pub fn value_range, try_value_range(this, value_range: (f64, f64)) {
        this.range = range_of("RandomBrightness", value_range)?;
        Ok(this)
    }
}
