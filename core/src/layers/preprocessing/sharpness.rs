//! `RandomSharpness`: images that are blurred or sharpened, at random.
//! Keras's `RandomSharpness`; each image of a batch has a number of its own.

use super::colour::{for_each_image, range_of};
use super::{Factor, random_images};
use crate::layers::base::Core;
use crate::layers::dropout::own_seeds;
use engine::library::cast_to;
use engine::library::options::options;
use engine::{DataFormat, Padding, Tensor};
use kernels::error::{OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

random_images! {
    /// Moves each image away from or towards a blurred one, while the model is trained, by a number between the two factors: 0 for the
    /// blurred image, 0.5 for what it is, 1 for an image as much sharper. What comes out is kept within the range of values.
    ///
    /// A blurred pixel is the mean of the nine around, the middle one counting five times; beyond the edges there are zeros, as in Keras.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::RandomSharpness;
    /// let dot = tf::pad_value(tf::ones([1, 1, 1]) * 26.0, [[1, 1], [1, 1], [0, 0]], 0.0);
    /// let blurred = RandomSharpness::new((0.0, 0.0)).call_training(&dot, true).to_vec::<f32>();
    /// assert!((blurred[0] - 2.0).abs() < 1e-5 && (blurred[4] - 10.0).abs() < 1e-5);
    /// ```
    RandomSharpness, { factor: Factor, range: Factor }, |this, x| this.sharpened(x),
    |of| (of.factor.word(), of.range.word())
}

impl RandomSharpness {
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
        let factor =
            factor.into().above_zero().within("RandomSharpness", "factor", 0.0, 1.0).map_err(|e| e.at(here))?;
        let (range, data_format) = (Factor(0.0, 255.0), DataFormat::ChannelsLast);
        Ok(Self { core: Core::new("random_sharpness"), factor, range, data_format, seeds: own_seeds()? })
    }

    #[track_caller]
    fn sharpened(&self, x: &Tensor) -> Result<Tensor> {
        let sharper = self.factor.draw(x.shape().dim(0), &self.seeds)?.try_multiply(2.0)?;
        let blur = for_each_image(&sharper.try_neg()?.try_add(1.0)?, x, x.dtype())?;
        let (side, middle) = (1.0_f32 / 13.0, 5.0_f32 / 13.0);
        let weights = Tensor::from([[side, side, side], [side, middle, side], [side, side, side]]);
        let weights = cast_to(&engine::try_reshape(&weights, [3, 3, 1, 1])?, x.dtype())?;
        let each = Shape::from_dims(&[Dim::known(3), Dim::known(3), x.shape().dim(3), Dim::ONE])?;
        let filter = engine::try_broadcast_to(&weights, &each)?;
        let blurred = engine::try_depthwise_conv2d(x, &filter, 1, Padding::Same)?;
        let y = x.try_add(&blur.try_multiply(&blurred.try_subtract(x)?)?)?;
        engine::try_clip_by_value(&y, self.range.0, self.range.1)
    }
}

options! { RandomSharpness:
    /// The range of the images' values, 0 to 255 unless set.
    pub fn value_range, try_value_range(this, value_range: (f64, f64)) {
        this.range = range_of("RandomSharpness", value_range)?;
        Ok(this)
    }
}
