//! `Solarization` and `RandomPosterization`: images whose bright parts become dark, or that have few tones left, at random.
//! Keras's layers of these names; both work on values from 0 to 255, whatever the range of the images is.

use super::colour::{BYTE, for_each_image, range_of, ranged};
use super::{Factor, random_images};
use crate::layers::base::Core;
use crate::layers::dropout::own_seeds;
use engine::library::cast_to;
use engine::library::options::options;
use engine::{DataFormat, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

random_images! {
    /// Adds a number to all values of each image, and takes those from a threshold on from the end of the range, while the model is trained.
    ///
    /// Without factors nothing is added and the threshold is 0, so that images are inverted. An upper factor is a share of 255; a lower one
    /// is a number of the range from 0 to 255 itself, as in Keras.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Solarization;
    /// let x = tf::constant([[[0.0, 55.0, 255.0]]]);
    /// assert_eq!(Solarization::new().call_training(&x, true).to_vec::<f32>(), [255.0, 200.0, 0.0]);
    /// ```
    Solarization, { addition: Factor, threshold: Factor, range: Factor }, |this, x| this.solarized(x),
    |of| (of.addition.word(), of.threshold.word(), of.range.word())
}

random_images! {
    /// Keeps the highest bits of the eight of each value, and clears the others, while the model is trained. How many bits an image keeps is
    /// drawn from the lower factor on, up to but without the upper one, unless both are equal.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::RandomPosterization;
    /// let x = tf::constant([[[5.0, 100.0, 255.0]]]);
    /// let y = RandomPosterization::new((2, 2)).call_training(&x, true);
    /// assert_eq!(y.to_vec::<f32>(), [0.0, 64.0, 192.0]);
    /// ```
    RandomPosterization, { factor: Factor, range: Factor }, |this, x| this.posterized(x),
    |of| (of.factor.word(), of.range.word())
}

impl Solarization {
    /// A layer without factors.
    ///
    /// # Panics
    /// Without memory.
    #[track_caller]
    pub fn new() -> Self {
        let here = Location::caller();
        let seeds = own_seeds().map_err(|e| e.at(here)).or_fail();
        let (addition, threshold, data_format) = (Factor(0.0, 0.0), Factor(0.0, 0.0), DataFormat::ChannelsLast);
        Self { core: Core::new("solarization"), addition, threshold, range: BYTE, data_format, seeds }
    }

    #[track_caller]
    fn solarized(&self, x: &Tensor) -> Result<Tensor> {
        let drawn = |factor: Factor| -> Result<Tensor> {
            let numbers = Factor(factor.0, factor.1 * 255.0).draw(x.shape().dim(0), &self.seeds)?;
            for_each_image(&numbers, x, x.dtype())
        };
        let (addition, threshold) = (drawn(self.addition)?, drawn(self.threshold)?);
        let y = engine::try_clip_by_value(&ranged(x, self.range, BYTE)?.try_add(&addition)?, 0.0, 255.0)?;
        let y = engine::try_where(&y.try_less(&threshold)?, &y, &y.try_neg()?.try_add(255.0)?)?;
        ranged(&y, BYTE, self.range)
    }
}

options! { Solarization:
    /// What is added: two factors from 0 to 1, or one, for 0 to it.
    pub fn addition_factor, try_addition_factor(this, factor: impl Into<Factor>) {
        this.addition = factor.into().above_zero().within("Solarization", "addition_factor", 0.0, 1.0)?;
        Ok(this)
    }

    /// From where on values are taken from the end: two factors from 0 to 1, or one, for 0 to it.
    pub fn threshold_factor, try_threshold_factor(this, factor: impl Into<Factor>) {
        this.threshold = factor.into().above_zero().within("Solarization", "threshold_factor", 0.0, 1.0)?;
        Ok(this)
    }

    /// The range of the images' values, 0 to 255 unless set.
    pub fn value_range, try_value_range(this, value_range: (f64, f64)) {
        this.range = range_of("Solarization", value_range)?;
        Ok(this)
    }
}

impl Default for Solarization {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl RandomPosterization {
    /// Numbers of bits from 1 to 8: two, or one, for 1 to it.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(factor: impl Into<Factor>) -> Self {
        Self::try_new(factor).or_fail()
    }

    /// Numbers of bits that may be out of range.
    ///
    /// # Errors
    /// InvalidArgument for what is no whole number from 1 to 8.
    #[track_caller]
    pub fn try_new(factor: impl Into<Factor>) -> Result<Self> {
        let here = Location::caller();
        let factor: Factor = factor.into();
        let factor = if factor.0 == -factor.1 { Factor(1.0, factor.1) } else { factor };
        let factor = factor.within("RandomPosterization", "factor", 1.0, 8.0).map_err(|e| e.at(here))?;
        if factor.0.fract() != 0.0 || factor.1.fract() != 0.0 {
            return Err(Error::invalid_argument("RandomPosterization", "`factor` is a number of bits")
                .got(format!("from {} to {}", factor.0, factor.1))
                .expected("whole numbers")
                .at(here));
        }
        let data_format = DataFormat::ChannelsLast;
        let core = Core::new("random_posterization");
        Ok(Self { core, factor, range: BYTE, data_format, seeds: own_seeds()? })
    }

    #[track_caller]
    fn posterized(&self, x: &Tensor) -> Result<Tensor> {
        let drawn = self.factor.draw(x.shape().dim(0), &self.seeds)?.try_floor()?;
        // What is drawn may round up to the end, which is not among the numbers.
        let bits = drawn.try_minimum((self.factor.1 - 1.0).max(self.factor.0))?;
        let cleared = for_each_image(&bits.try_neg()?.try_add(8.0)?, x, DType::U8)?;
        let bytes = cast_to(&ranged(x, self.range, BYTE)?, DType::U8)?;
        let kept = engine::try_left_shift(&engine::try_right_shift(&bytes, &cleared)?, &cleared)?;
        ranged(&cast_to(&kept, x.dtype())?, BYTE, self.range)
    }
}

options! { RandomPosterization:
    /// The range of the images' values, 0 to 255 unless set.
    pub fn value_range, try_value_range(this, value_range: (f64, f64)) {
        this.range = range_of("RandomPosterization", value_range)?;
        Ok(this)
    }
}
