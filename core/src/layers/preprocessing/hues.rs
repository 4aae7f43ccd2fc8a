//! `RandomHue` and `RandomSaturation`: images whose colours are turned, made stronger or weaker, at random.
//! Keras's layers of these names; both work on hue, saturation and value, and each image of a batch has a number of its own.

use super::colour::{for_each_image, range_of, ranged};
use super::{Factor, random_images};
use crate::image::{try_hsv_to_rgb, try_rgb_to_hsv};
use crate::layers::base::Core;
use crate::layers::dropout::own_seeds;
use engine::library::cast_to;
use engine::library::options::options;
use engine::{DataFormat, Tensor};
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use std::panic::Location;

random_images! {
    /// Turns the hue of RGB images, while the model is trained: by half of a number between the two factors, of a full turn, in one
    /// direction or the other by chance. Of a factor of 1 red becomes cyan.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::RandomHue;
    /// let red = tf::constant([[[255.0, 0.0, 0.0]]]);
    /// let cyan = RandomHue::new((1.0, 1.0)).call_training(&red, true);
    /// assert_eq!(cyan.to_vec::<f32>(), [0.0, 255.0, 255.0]);
    /// ```
    RandomHue, { factor: Factor, range: Factor }, |this, x| this.turned(x), |of| (of.factor.word(), of.range.word())
}

random_images! {
    /// Makes the colours of RGB images stronger or weaker, while the model is trained. The saturation is multiplied by f / (1 - f) for a
    /// number f between the two factors: 0 for gray images, 0.5 for what they are, 1 for the strongest colours.
    ///
    /// The new saturation is kept within the range of values, as in Keras. Saturations lie from 0 to 1 whatever the range is, so that
    /// images of 0 to 255 may leave it where f is above 0.5; a range of 0 to 1 keeps the saturation within its own.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::RandomSaturation;
    /// let x = tf::constant([[[200.0, 100.0, 50.0]]]);
    /// let gray = RandomSaturation::new((0.0, 0.0)).call_training(&x, true);
    /// assert_eq!(gray.to_vec::<f32>(), [200.0, 200.0, 200.0]);
    /// ```
    RandomSaturation, { factor: Factor, range: Factor }, |this, x| this.saturated(x),
    |of| (of.factor.word(), of.range.word())
}

/// RGB images whose hue, saturation and value a function changes. Half precision becomes single, as colours are reckoned there.
#[track_caller]
fn in_hsv(x: &Tensor, change: impl FnOnce([Tensor; 3]) -> Result<[Tensor; 3]>) -> Result<Tensor> {
    let hsv = try_rgb_to_hsv(cast_to(x, if x.dtype() == DType::F64 { DType::F64 } else { DType::F32 })?)?;
    let channel = |at: isize| engine::try_slice(&hsv, [0, 0, 0, at], [-1, -1, -1, 1]);
    let changed = change([channel(0)?, channel(1)?, channel(2)?])?;
    try_hsv_to_rgb(engine::try_concat(&changed, -1)?)
}

impl RandomHue {
    /// Factors from 0 to 1: two, or one, for 0 to it.
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
        let factor = factor.into().above_zero().within("RandomHue", "factor", 0.0, 1.0).map_err(|e| e.at(here))?;
        let (range, data_format) = (Factor(0.0, 255.0), DataFormat::ChannelsLast);
        Ok(Self { core: Core::new("random_hue"), factor, range, data_format, seeds: own_seeds()? })
    }

    #[track_caller]
    fn turned(&self, x: &Tensor) -> Result<Tensor> {
        let batch = x.shape().dim(0);
        let back = Factor(0.0, 1.0).draw(batch, &self.seeds)?.try_greater(0.5)?;
        let turn = self.factor.draw(batch, &self.seeds)?.try_multiply(0.5)?;
        let turn = engine::try_where(&back, &turn.try_neg()?, &turn)?;
        let unit = Factor(0.0, 1.0);
        let y = in_hsv(&ranged(x, self.range, unit)?, |[hue, saturation, value]| {
            let hue = hue.try_add(&for_each_image(&turn, x, hue.dtype())?)?;
            let hue = engine::try_where(&hue.try_greater(1.0)?, &hue.try_subtract(1.0)?, &hue)?;
            let hue = engine::try_where(&hue.try_less(0.0)?, &hue.try_add(1.0)?, &hue)?;
            Ok([hue, saturation, value])
        })?;
        cast_to(&ranged(&engine::try_clip_by_value(&y, 0.0, 1.0)?, unit, self.range)?, x.dtype())
    }
}

options! { RandomHue:
    /// The range of the images' values, 0 to 255 unless set.
    pub fn value_range, try_value_range(this, value_range: (f64, f64)) {
        this.range = range_of("RandomHue", value_range)?;
        Ok(this)
    }
}

impl RandomSaturation {
    /// Factors from -1 to 1: two, or one, for as far below 0 as above. Those below 0 leave no colour, like 0.
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
        let factor = factor.into().within("RandomSaturation", "factor", -1.0, 1.0).map_err(|e| e.at(here))?;
        let (range, data_format) = (Factor(0.0, 255.0), DataFormat::ChannelsLast);
        Ok(Self { core: Core::new("random_saturation"), factor, range, data_format, seeds: own_seeds()? })
    }

    #[track_caller]
    fn saturated(&self, x: &Tensor) -> Result<Tensor> {
        let drawn = self.factor.draw(x.shape().dim(0), &self.seeds)?;
        // Keras's smallest number, so that 1 is no division by 0.
        let share = drawn.try_divide(&drawn.try_neg()?.try_add(1.0)?.try_add(1e-7)?)?;
        let y = in_hsv(x, |[hue, saturation, value]| {
            let saturation = saturation.try_multiply(&for_each_image(&share, x, hue.dtype())?)?;
            Ok([hue, engine::try_clip_by_value(&saturation, self.range.0, self.range.1)?, value])
        })?;
        cast_to(&y, x.dtype())
    }
}

options! { RandomSaturation:
    /// The range within which saturations are kept, 0 to 255 unless set.
    pub fn value_range, try_value_range(this, value_range: (f64, f64)) {
        this.range = range_of("RandomSaturation", value_range)?;
        Ok(this)
    }
}
