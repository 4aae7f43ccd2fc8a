//! `RandomGrayscale` and `RandomInvert`: images that lose their colours, or whose colours become their opposites, by chance.
//! Keras's layers of these names; each image of a batch is changed as a whole, or not at all.

use super::colour::{for_each_image, range_of};
use super::{Factor, random_images};
use crate::image::try_rgb_to_grayscale;
use crate::layers::base::Core;
use crate::layers::dropout::own_seeds;
use engine::library::cast_to;
use engine::library::options::{self, options};
use engine::{DataFormat, Tensor};
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use kernels::shape::Dim;
use std::panic::Location;

random_images! {
    /// Makes images gray with a probability, while the model is trained. They keep three channels, which are equal then; images of one
    /// channel pass as they are.
    ///
    /// All come out in the layer's dtype; in Keras integers stay integers.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::RandomGrayscale;
    /// let red = tf::constant([[[100.0, 0.0, 0.0]]]);
    /// let gray = RandomGrayscale::new().factor(1.0).call_training(&red, true);
    /// assert!(gray.to_vec::<f32>().iter().all(|x| (x - 29.89).abs() < 1e-3));
    /// ```
    RandomGrayscale, { factor: f64 }, |this, x| this.grayed(x), |of| of.factor.to_bits()
}

random_images! {
    /// Takes images from the upper end of the range of values with a probability, while the model is trained. The probability is a number
    /// of each image's own between two factors.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::RandomInvert;
    /// let x = tf::constant([[[0.0, 55.0, 255.0]]]);
    /// let y = RandomInvert::new().factor((1.0, 1.0)).call_training(&x, true);
    /// assert_eq!(y.to_vec::<f32>(), [255.0, 200.0, 0.0]);
    /// ```
    RandomInvert, { factor: Factor, range: Factor }, |this, x| this.inverted(x), |of| (of.factor.word(), of.range.word())
}

impl RandomGrayscale {
    /// A layer that makes half of the images gray.
    ///
    /// # Panics
    /// Without memory.
    #[track_caller]
    pub fn new() -> Self {
        let here = Location::caller();
        let seeds = own_seeds().map_err(|e| e.at(here)).or_fail();
        Self { core: Core::new("random_grayscale"), factor: 0.5, data_format: DataFormat::ChannelsLast, seeds }
    }

    #[track_caller]
    fn grayed(&self, x: &Tensor) -> Result<Tensor> {
        if x.shape().dim(3) == Dim::ONE {
            return Ok(x.clone());
        }
        let gray = cast_to(&try_rgb_to_grayscale(x)?, x.dtype())?;
        let number = for_each_image(&Factor(0.0, 1.0).draw(x.shape().dim(0), &self.seeds)?, x, DType::F32)?;
        engine::try_where(&number.try_less(self.factor)?, &gray, x)
    }
}

options! { RandomGrayscale:
    /// The probability, from 0 to 1; one half unless set.
    pub fn factor, try_factor(this, factor: f64) {
        this.factor = options::share("RandomGrayscale", "factor", factor)?;
        Ok(this)
    }
}

impl Default for RandomGrayscale {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl RandomInvert {
    /// A layer whose probabilities lie between 0 and 1.
    ///
    /// # Panics
    /// Without memory.
    #[track_caller]
    pub fn new() -> Self {
        let here = Location::caller();
        let seeds = own_seeds().map_err(|e| e.at(here)).or_fail();
        let (factor, range, data_format) = (Factor(0.0, 1.0), Factor(0.0, 255.0), DataFormat::ChannelsLast);
        Self { core: Core::new("random_invert"), factor, range, data_format, seeds }
    }

    #[track_caller]
    fn inverted(&self, x: &Tensor) -> Result<Tensor> {
        let batch = x.shape().dim(0);
        let probability = self.factor.draw(batch, &self.seeds)?;
        let inverted = Factor(0.0, 1.0).draw(batch, &self.seeds)?.try_less(&probability)?;
        let opposite = x.try_neg()?.try_add(self.range.1)?;
        engine::try_where(&for_each_image(&inverted, x, DType::Bool)?, &opposite, x)
    }
}

options! { RandomInvert:
    /// Between which probabilities each image's own lies: two from 0 to 1, or one, for 0 to it.
    pub fn factor, try_factor(this, factor: impl Into<Factor>) {
        this.factor = factor.into().above_zero().within("RandomInvert", "factor", 0.0, 1.0)?;
        Ok(this)
    }

    /// The range of the images' values, 0 to 255 unless set.
    pub fn value_range, try_value_range(this, value_range: (f64, f64)) {
        this.range = range_of("RandomInvert", value_range)?;
        Ok(this)
    }
}

impl Default for RandomInvert {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}
