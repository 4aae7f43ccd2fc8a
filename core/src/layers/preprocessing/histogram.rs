//! `AutoContrast` and `Equalization`: images whose values are spread over the whole range, evenly or by how often they occur.
//! Keras's layers of these names; nothing in them is left to chance.

use super::colour::{BYTE, range_of, ranged};
use super::{Factor, on_images, steady_images};
use crate::layers::base::{Call, Core, Outputs};
use engine::library::options::{self, options};
use engine::library::{cast_to, reshape_to};
use engine::{Bincount, DataFormat, Tensor, keep_dims};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Dim, Shape};

steady_images! {
    /// Stretches the values of each channel of each image over the whole range, while the model is trained and while it is used: the least
    /// becomes its lower end, and the greatest its upper one. Channels of one value pass as they are.
    ///
    /// With the channels first, too, it is channels that are stretched. Keras always takes the first two axes of an image for its rows and
    /// columns, and then stretches the channels and rows of each column together.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::AutoContrast;
    /// let x = tf::reshape(&tf::constant([10.0, 20.0, 60.0, 40.0]), [2, 2, 1]);
    /// assert_eq!(AutoContrast::new().call(&x).to_vec::<f32>(), [0.0, 51.0, 255.0, 153.0]);
    /// ```
    AutoContrast, { range: Factor }, |of| of.range.word()
}

steady_images! {
    /// Spreads the values of each channel so that all occur about as often, while the model is trained: each becomes the share of values in
    /// the bins up to its own. The values of all images of a batch are counted together, as in Keras. Channels within one bin pass as they are.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Equalization;
    /// let x = tf::reshape(&tf::constant([10.0, 11.0, 12.0, 13.0]), [2, 2, 1]);
    /// let y = Equalization::new().call_training(&x, true);
    /// assert_eq!(y.to_vec::<f32>(), [0.0, 85.0, 170.0, 255.0]);
    /// ```
    Equalization, { bins: usize, range: Factor }, |of| (of.bins, of.range.word())
}

impl AutoContrast {
    /// A layer for values from 0 to 255.
    pub fn new() -> Self {
        Self { core: Core::new("auto_contrast"), range: BYTE, data_format: DataFormat::ChannelsLast }
    }

    #[track_caller]
    fn apply(&self, x: &Tensor, _: &Call) -> Result<Outputs> {
        on_images(&self.core, x, self.data_format, |x| {
            let bytes = ranged(x, self.range, BYTE)?;
            let low = bytes.try_reduce_min(keep_dims([1, 2]))?;
            let extent = bytes.try_reduce_max(keep_dims([1, 2]))?.try_subtract(&low)?;
            let is_flat = extent.try_equal(0.0)?;
            let scale = engine::try_divide(255.0, &engine::try_where(&is_flat, 1.0, &extent)?)?;
            let y = bytes.try_multiply(&scale)?.try_subtract(&low.try_multiply(&scale)?)?;
            let y = ranged(&engine::try_clip_by_value(&y, 0.0, 255.0)?, BYTE, self.range)?;
            engine::try_where(&is_flat, x, &y)
        })
    }
}

options! { AutoContrast:
    /// The range of the images' values, 0 to 255 unless set.
    pub fn value_range, try_value_range(this, value_range: (f64, f64)) {
        this.range = range_of("AutoContrast", value_range)?;
        Ok(this)
    }
}

impl Default for AutoContrast {
    fn default() -> Self {
        Self::new()
    }
}

impl Equalization {
    /// A layer for values from 0 to 255 with 256 bins.
    pub fn new() -> Self {
        Self { core: Core::new("equalization"), bins: 256, range: BYTE, data_format: DataFormat::ChannelsLast }
    }

    #[track_caller]
    fn apply(&self, x: &Tensor, cx: &Call) -> Result<Outputs> {
        if !cx.is_training() {
            return super::images(&self.core, x).map(Outputs::one);
        }
        on_images(&self.core, x, self.data_format, |x| {
            // A row for each channel.
            let channels_first = engine::try_transpose(&ranged(x, self.range, BYTE)?, [3, 0, 1, 2])?;
            let sizes: Vec<Dim> = channels_first.shape().iter().collect();
            let rows = Shape::from_dims(&[sizes[0], sizes[1] * sizes[2] * sizes[3]])?;
            let values = reshape_to(&channels_first, &rows)?;
            let spread = cast_to(&self.spread(&values)?, x.dtype())?;
            let back = engine::try_transpose(&reshape_to(&spread, channels_first.shape())?, [1, 2, 3, 0])?;
            ranged(&back, BYTE, self.range)
        })
    }

    /// The new values of channels, a row each.
    #[track_caller]
    fn spread(&self, values: &Tensor) -> Result<Tensor> {
        let last = (self.bins - 1) as f64;
        let inside = |bin: &Tensor| cast_to(&engine::try_clip_by_value(bin, 0.0, last)?, DType::I32);
        let single = cast_to(values, DType::F32)?;
        let counted = inside(&single.try_multiply(last)?.try_divide(255.0)?)?;
        let bins = Some(Dim::known(self.bins));
        let how = Bincount { minlength: bins, maxlength: bins, axis: -1, ..Bincount::default() };
        let counts = reshape_to(
            &engine::try_bincount_with(&counted, &how)?,
            &Shape::from_dims(&[values.shape().dim(0), Dim::known(self.bins)])?,
        )?;
        let up_to = engine::try_cumsum(&cast_to(&counts, DType::I64)?, 1)?;
        let whole = up_to.try_reduce_max(keep_dims(1))?;
        // That of the first bin with something in it.
        let least = engine::try_where(&up_to.try_greater(0)?, &up_to, &whole)?.try_reduce_min(keep_dims(1))?;
        let above = cast_to(&up_to.try_subtract(&least)?.try_multiply(255)?, DType::F32)?;
        let others = cast_to(&whole.try_subtract(&least)?.try_maximum(1)?, DType::F32)?;
        let table = engine::try_clip_by_value(&above.try_divide(&others)?.try_rint()?, 0.0, 255.0)?;
        // Not quite the bin in which a value was counted: the quotient is taken first here, as in Keras.
        let bin = inside(&values.try_divide(255.0)?.try_multiply(last)?)?;
        let new = cast_to(&engine::try_gather_batched(&table, &bin, 1, 1)?, values.dtype())?;
        engine::try_where(&least.try_equal(&whole)?, values, &new)
    }
}

options! { Equalization:
    /// The range of the images' values, 0 to 255 unless set.
    pub fn value_range, try_value_range(this, value_range: (f64, f64)) {
        this.range = range_of("Equalization", value_range)?;
        Ok(this)
    }

    /// How many bins values are counted in, at least 1; 256 unless set.
    pub fn bins, try_bins(this, bins: usize) {
        this.bins = options::count("Equalization", "bins", bins)?;
        Ok(this)
    }
}

impl Default for Equalization {
    fn default() -> Self {
        Self::new()
    }
}
