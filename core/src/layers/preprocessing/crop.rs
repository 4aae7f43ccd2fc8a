//! `RandomCrop`: a window of images at a random place.
//! Keras's `RandomCrop`.

use super::random_images;
use crate::image::{ResizeMethod, try_resize};
use crate::layers::base::{Core, known_size};
use crate::layers::dropout::own_seeds;
use engine::library::{Typed, cast_to, options};
use engine::random;
use engine::{DataFormat, Tensor};
use kernels::dtype::DType;
use kernels::error::{OrFail, Result};
use std::panic::Location;

random_images! {
    /// Cuts a window of `height` rows and `width` columns out of images, at one random place for the whole batch, while the model is trained.
    ///
    /// Images that are not larger than the window in both directions are cut around their middle to its proportions, and brought to its size.
    /// Else images are passed on as they are, as in Keras.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::RandomCrop;
    /// let layer = RandomCrop::new(2, 3);
    /// assert_eq!(layer.call_training(tf::ones([4, 8, 8, 3]), true).shape(), [4, 2, 3, 3]);
    /// ```
    RandomCrop, { height: usize, width: usize }, |this, x| this.cut(x), |of| (of.height, of.width)
}

impl RandomCrop {
    /// A window of so many rows and columns.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(height: usize, width: usize) -> Self {
        Self::try_new(height, width).or_fail()
    }

    /// A window of so many rows and columns, of which there may be none.
    ///
    /// # Errors
    /// InvalidArgument for no rows or no columns.
    #[track_caller]
    pub fn try_new(height: usize, width: usize) -> Result<Self> {
        let here = Location::caller();
        let height = options::count("RandomCrop", "height", height).map_err(|e| e.at(here))?;
        let width = options::count("RandomCrop", "width", width).map_err(|e| e.at(here))?;
        let data_format = DataFormat::ChannelsLast;
        Ok(Self { core: Core::new("random_crop"), height, width, data_format, seeds: own_seeds()? })
    }

    #[track_caller]
    fn cut(&self, x: &Tensor) -> Result<Tensor> {
        let size = |axis| known_size(self.core.name(), x.ty(), axis);
        let (rows, columns) = (size(1)?, size(2)?);
        if rows > self.height && columns > self.width {
            let start = |free: usize| -> Result<Tensor> {
                let high = (free + 1) as f64;
                let place = random::try_stateless_uniform((), self.seeds.try_next()?, 0.0, high, DType::F32)?;
                cast_to(&place, DType::I32)
            };
            let (top, left) = (start(rows - self.height)?, start(columns - self.width)?);
            let lines = engine::try_range(0, self.height, 1)?.try_add(&top)?;
            let places = engine::try_range(0, self.width, 1)?.try_add(&left)?;
            return engine::try_gather(&engine::try_gather(x, &lines, 1)?, &places, 2);
        }
        // The largest window of the proportions around the middle; the sizes are those that Keras's numbers lead to.
        let (height, width) = (self.height, self.width);
        let own_height = (columns * height / width).clamp(1, rows);
        let own_width = (rows * width / height).clamp(1, columns);
        let (top, left) = ((rows - own_height) / 2, (columns - own_width) / 2);
        let (lines, places) = (height.min(rows - top), width.min(columns - left));
        let sizes = [-1, lines as isize, places as isize, -1];
        let window = engine::try_slice(x, [0, top, left, 0], sizes)?;
        match (lines, places) == (height, width) {
            true => Ok(window),
            false => cast_to(&try_resize(&window, (height, width), ResizeMethod::Bilinear)?, x.dtype()),
        }
    }
}
