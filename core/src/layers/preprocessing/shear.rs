//! `RandomShear`: images whose rows or columns are moved the further, the further down or to the right they lie, at random.
//! Keras's `RandomShear`; each image of a batch has numbers of its own.

use super::geometry::sampled;
use super::sampling::{FillMode, ImageSampling, Sampling};
use super::{Factor, random_images};
use crate::layers::base::Core;
use crate::layers::dropout::own_seeds;
use engine::library::options::options;
use engine::{DataFormat, Tensor};
use kernels::error::{OrFail, Result};
use std::panic::Location;

random_images! {
    /// Shears each image, while the model is trained: the pixel of column x and row y is read at column x + a·y and row y + b·x, for numbers
    /// a and b between the factors of x and of y, both with one sign that is left to chance.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::{FillMode, RandomShear};
    /// let x = tf::reshape(&tf::range(1.0, 5.0, 1.0), [2, 2, 1]);
    /// let layer = RandomShear::new().x_factor((1.0, 1.0)).fill_mode(FillMode::Constant);
    /// let y = layer.call_training(&x, true).to_vec::<f32>();
    /// assert!(y == [1.0, 2.0, 4.0, 0.0] || y == [1.0, 2.0, 0.0, 3.0]);
    /// ```
    RandomShear, { x_factor: Factor, y_factor: Factor, sampling: Sampling }, |this, x| this.sheared(x),
    |of| (of.x_factor.word(), of.y_factor.word(), of.sampling.word())
}

sampled!(RandomShear);

/// Factors from 0 to 1, or one for as far below 0 as above.
fn checked(factor: Factor, option: &str) -> Result<Factor> {
    if factor.0 == -factor.1 {
        factor.within("RandomShear", option, -1.0, 1.0)
    } else {
        factor.within("RandomShear", option, 0.0, 1.0)
    }
}

impl RandomShear {
    /// A layer without factors, which leaves images as they are.
    ///
    /// # Panics
    /// Without memory.
    #[track_caller]
    pub fn new() -> Self {
        let here = Location::caller();
        let seeds = own_seeds().map_err(|e| e.at(here)).or_fail();
        let none = Factor(0.0, 0.0);
        let (sampling, data_format) = (Sampling::new(), DataFormat::ChannelsLast);
        Self { core: Core::new("random_shear"), x_factor: none, y_factor: none, sampling, data_format, seeds }
    }

    #[track_caller]
    fn sheared(&self, x: &Tensor) -> Result<Tensor> {
        let batch = x.shape().dim(0);
        let back = Factor(0.0, 1.0).draw(batch, &self.seeds)?.try_greater(0.5)?;
        let drawn = |factor: Factor| -> Result<Tensor> {
            let number = factor.draw(batch, &self.seeds)?;
            engine::try_where(&back, &number.try_neg()?, &number)
        };
        let (down, right) = (drawn(self.y_factor)?, drawn(self.x_factor)?);
        let none = engine::try_zeros_like(&down)?;
        let one = none.try_add(1.0)?;
        self.sampling.affine(x, [&one, &right, &none], [&down, &one, &none])
    }
}

options! { RandomShear:
    /// How far rows are moved for each row above them: two factors from 0 to 1, or one, for as far below 0 as above. 0 unless set.
    pub fn x_factor, try_x_factor(this, factor: impl Into<Factor>) {
        this.x_factor = checked(factor.into(), "x_factor")?;
        Ok(this)
    }

    /// How far columns are moved for each column on their left, as [`x_factor`](Self::x_factor).
    pub fn y_factor, try_y_factor(this, factor: impl Into<Factor>) {
        this.y_factor = checked(factor.into(), "y_factor")?;
        Ok(this)
    }
}

impl Default for RandomShear {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}
