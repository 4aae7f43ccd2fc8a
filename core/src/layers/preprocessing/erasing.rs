//! `RandomErasing`: images in which a part is overwritten, at random; and the rectangles that it shares with `CutMix`.
//! Keras's `RandomErasing`; each image of a batch has a rectangle of its own.

use super::colour::{for_each_image, range_of};
use super::{Factor, random_images};
use crate::layers::PerChannel;
use crate::layers::base::Core;
use crate::layers::dropout::own_seeds;
use engine::library::cast_to;
use engine::library::options::options;
use engine::random::{self, SeedGenerator};
use engine::{DataFormat, Tensor};
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

random_images! {
    /// Overwrites a rectangle of each image with a probability, while the model is trained. The rectangle's height and width are shares of
    /// the image's, the roots of two numbers between the scales; it lies anywhere within the image.
    ///
    /// Without a fill value there is noise in it, normal numbers times the upper end of the range of values. What is written is kept within
    /// the range.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::RandomErasing;
    /// let layer = RandomErasing::new().factor((1.0, 1.0)).scale((0.25, 0.25)).fill_value(9.0);
    /// let y = layer.call_training(tf::ones([4, 4, 1]), true).to_vec::<f32>();
    /// assert_eq!(y.iter().filter(|&&x| x == 9.0).count(), 4);
    /// ```
    RandomErasing, { factor: Factor, scale: Factor, fill_value: Option<PerChannel>, range: Factor }, |this, x| this.erased(x),
    |of| (of.factor.word(), of.scale.word(), of.fill_value.as_ref().map(PerChannel::word), of.range.word())
}

/// From where to where a part of an axis lies, at random, whose shares of the length are given for each image.
#[track_caller]
pub(super) fn part(share: &Tensor, length: Dim, seeds: &SeedGenerator) -> Result<[Tensor; 2]> {
    let size = share.try_multiply(length)?;
    let free = size.try_neg()?.try_add(length)?;
    let drawn = random::try_stateless_uniform(*share.shape(), seeds.try_next()?, 0.0, 1.0, DType::F32)?;
    let start = drawn.try_multiply(&free)?;
    let end = start.try_add(&size)?;
    Ok([start, end])
}

/// Where the pixels of images `[batch, height, width, channels]` lie within a rectangle of each: `[batch, height, width, 1]`.
#[track_caller]
pub(super) fn within_rectangle(x: &Tensor, columns: &[Tensor; 2], rows: &[Tensor; 2]) -> Result<Tensor> {
    let along = |axis: usize, [start, end]: &[Tensor; 2]| -> Result<Tensor> {
        let length = x.shape().dim(axis);
        let mut sizes = [Dim::ONE; 4];
        sizes[axis] = length;
        let places = engine::try_reshape(&engine::try_range(0, length, 1)?, Shape::from_dims(&sizes)?)?;
        let places = cast_to(&places, DType::F32)?;
        let (start, end) = (for_each_image(start, x, DType::F32)?, for_each_image(end, x, DType::F32)?);
        engine::try_logical_and(&places.try_greater_equal(&start)?, &places.try_less(&end)?)
    };
    engine::try_logical_and(&along(2, columns)?, &along(1, rows)?)
}

impl RandomErasing {
    /// A layer whose probabilities lie between 0 and 1 and whose scales lie between 0.02 and 0.33.
    ///
    /// # Panics
    /// Without memory.
    #[track_caller]
    pub fn new() -> Self {
        let here = Location::caller();
        Self {
            core: Core::new("random_erasing"),
            factor: Factor(0.0, 1.0),
            scale: Factor(0.02, 0.33),
            fill_value: None,
            range: Factor(0.0, 255.0),
            data_format: DataFormat::ChannelsLast,
            seeds: own_seeds().map_err(|e| e.at(here)).or_fail(),
        }
    }

    #[track_caller]
    fn erased(&self, x: &Tensor) -> Result<Tensor> {
        let batch = x.shape().dim(0);
        let mut parts = Vec::with_capacity(2);
        for axis in [2, 1] {
            let share = self.scale.draw(batch, &self.seeds)?.try_sqrt()?;
            parts.push(part(&share, x.shape().dim(axis), &self.seeds)?);
        }
        let inside = within_rectangle(x, &parts[0], &parts[1])?;
        let probability = self.factor.draw(batch, &self.seeds)?;
        let wanted = Factor(0.0, 1.0).draw(batch, &self.seeds)?.try_less(&probability)?;
        let over = engine::try_logical_and(&inside, &for_each_image(&wanted, x, DType::Bool)?)?;
        let fill = match &self.fill_value {
            Some(value) => value.tensor(x.dtype())?,
            None => {
                let noise = random::try_stateless_normal(*x.shape(), self.seeds.try_next()?, 0.0, 1.0, DType::F32)?;
                cast_to(&noise.try_multiply(self.range.1)?, x.dtype())?
            }
        };
        engine::try_where(&over, &engine::try_clip_by_value(&fill, self.range.0, self.range.1)?, x)
    }
}

options! { RandomErasing:
    /// Between which probabilities each image's own lies: two from 0 to 1, or one, for 0 to it.
    pub fn factor, try_factor(this, factor: impl Into<Factor>) {
        this.factor = factor.into().above_zero().within("RandomErasing", "factor", 0.0, 1.0)?;
        Ok(this)
    }

    /// Between which numbers the squares of a rectangle's shares of height and width lie: two from 0 to 1, or one, for 0 to it.
    pub fn scale, try_scale(this, scale: impl Into<Factor>) {
        this.scale = scale.into().above_zero().within("RandomErasing", "scale", 0.0, 1.0)?;
        Ok(this)
    }

    /// The range of the images' values, 0 to 255 unless set.
    pub fn value_range, try_value_range(this, value_range: (f64, f64)) {
        this.range = range_of("RandomErasing", value_range)?;
        Ok(this)
    }
}

impl RandomErasing {
    /// What rectangles are filled with, in place of noise: a number, or one for each channel.
    #[must_use]
    pub fn fill_value(mut self, fill_value: impl Into<PerChannel>) -> Self {
        self.fill_value = Some(fill_value.into());
        self
    }
}

impl Default for RandomErasing {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}
