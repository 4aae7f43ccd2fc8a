//! `RandomFlip`: images mirrored at random.
//! Keras's `RandomFlip`.

use super::random_images;
use crate::layers::base::Core;
use crate::layers::dropout::own_seeds;
use engine::random;
use engine::{DataFormat, Tensor};
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

/// Along which axes images are mirrored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum FlipMode {
    /// Left for right.
    Horizontal,
    /// Top for bottom.
    Vertical,
    /// Both at once.
    #[default]
    HorizontalAndVertical,
}

random_images! {
    /// Mirrors each image with a probability of one half, while the model is trained.
    ///
    /// With the default mode an image is mirrored along both axes or not at all, as in Keras. A layer that is called by itself, outside of
    /// a model that is trained, passes images on; in Keras it then acts as in training.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::{FlipMode, RandomFlip};
    /// let layer = RandomFlip::new().mode(FlipMode::Horizontal).seed(3);
    /// let x = tf::reshape(&tf::range(0.0, 6.0, 1.0), [1, 2, 3, 1]);
    /// let y = layer.call_training(&x, true).to_vec::<f32>();
    /// assert!(y == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0] || y == [2.0, 1.0, 0.0, 5.0, 4.0, 3.0]);
    /// ```
    RandomFlip, { mode: FlipMode }, |this, x| this.flipped(x), |of| of.mode
}

impl RandomFlip {
    /// A layer that mirrors along both axes.
    ///
    /// # Panics
    /// Without memory.
    #[track_caller]
    pub fn new() -> Self {
        let here = Location::caller();
        let (mode, data_format) = (FlipMode::default(), DataFormat::ChannelsLast);
        let seeds = own_seeds().map_err(|e| e.at(here)).or_fail();
        Self { core: Core::new("random_flip"), mode, data_format, seeds }
    }

    /// Along which axes.
    #[must_use]
    pub fn mode(mut self, mode: FlipMode) -> Self {
        self.mode = mode;
        self
    }

    #[track_caller]
    fn flipped(&self, x: &Tensor) -> Result<Tensor> {
        let each = Shape::from_dims(&[x.shape().dim(0), Dim::ONE, Dim::ONE, Dim::ONE])?;
        let share = random::try_stateless_uniform(each, self.seeds.try_next()?, 0.0, 1.0, DType::F32)?;
        let axes: &[isize] = match self.mode {
            FlipMode::Horizontal => &[2],
            FlipMode::Vertical => &[1],
            FlipMode::HorizontalAndVertical => &[1, 2],
        };
        engine::try_where(&share.try_less_equal(0.5)?, &x.try_reverse(axes)?, x)
    }
}

impl Default for RandomFlip {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}
