//! `Resizing` and `CenterCrop`: images brought to a size, as a whole or by their middle.
//! Keras's layers of these names; models that take images of any size begin with them, and `RandomCrop` shares their arithmetic.

use super::sampling::FillMode;
use super::{batched, steady_images};
use crate::image::{ResizeMethod, Resizing as How, try_crop_to_bounding_box, try_resize};
use crate::layers::base::{Call, Core, Outputs};
use engine::library::cast_to;
use engine::library::options::{self, options};
use engine::{DataFormat, Tensor};
use kernels::error::{Error, OrFail, Result};
use kernels::shape::Dim;
use std::panic::Location;

/// What happens to the ratio of width and height.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Ratio {
    /// It becomes that of the new size.
    Changed,
    /// It stays, and what the new size has no place for is cut off.
    Cut,
    /// It stays, and the rest of the new size is filled.
    Filled,
}

steady_images! {
    /// Brings images to `height` rows and `width` columns, while the model is trained and while it is used.
    ///
    /// Floats come out in the layer's dtype. Integers keep theirs, as in Keras: what is computed is rounded, halves to even numbers, and kept
    /// within the dtype. All methods of [`tf::image::resize`](fn@crate::image::resize) are taken, two more than Keras's layer takes.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Resizing;
    /// let x = tf::constant([[[0.0], [4.0]], [[8.0], [12.0]]]);
    /// assert_eq!(Resizing::new(1, 2).call(&x).to_vec::<f32>(), [4.0, 8.0]);
    /// assert_eq!(Resizing::new(4, 2).pad_to_aspect_ratio(true).fill_value(1.0).call(&x).shape(), [4, 2, 1]);
    /// ```
    Resizing, { height: usize, width: usize, method: ResizeMethod, antialias: bool, ratio: Ratio, fill_value: f64 },
    |of| (of.height, of.width, of.method, of.antialias, of.ratio, of.fill_value.to_bits())
}

steady_images! {
    /// Cuts the middle of `height` rows and `width` columns out of images, while the model is trained and while it is used.
    ///
    /// Images that are smaller in either direction are cut around their middle to the proportions of the window, and brought to its size by
    /// the bilinear method. Sizes that only a run tells must be large enough.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::CenterCrop;
    /// let x = tf::reshape(&tf::range(0.0, 16.0, 1.0), [4, 4, 1]);
    /// assert_eq!(CenterCrop::new(2, 2).call(&x).to_vec::<f32>(), [5.0, 6.0, 9.0, 10.0]);
    /// ```
    CenterCrop, { height: usize, width: usize }, |of| (of.height, of.width)
}

/// The size that a side has beside the other one in a target's proportions, rounded down.
fn beside(other: Dim, target: usize, other_target: usize) -> Dim {
    (other * target).floor_div(other_target)
}

/// The largest window around the middle of images `[batch, height, width, channels]` that has the proportions of a size.
#[track_caller]
pub(super) fn proportioned(x: &Tensor, [height, width]: [usize; 2]) -> Result<Tensor> {
    let (rows, columns) = (x.shape().dim(1), x.shape().dim(2));
    let own_height = rows.min(beside(columns, height, width)).max(Dim::ONE);
    let own_width = columns.min(beside(rows, width, height)).max(Dim::ONE);
    let (top, left) = ((rows - own_height).floor_div(2), (columns - own_width).floor_div(2));
    try_crop_to_bounding_box(x, top, left, own_height, own_width)
}

impl Resizing {
    /// For so many rows and columns.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(height: usize, width: usize) -> Self {
        Self::try_new(height, width).or_fail()
    }

    /// For so many rows and columns, of which there may be none.
    ///
    /// # Errors
    /// InvalidArgument for no rows or no columns.
    #[track_caller]
    pub fn try_new(height: usize, width: usize) -> Result<Self> {
        let here = Location::caller();
        let height = options::count("Resizing", "height", height).map_err(|e| e.at(here))?;
        let width = options::count("Resizing", "width", width).map_err(|e| e.at(here))?;
        Ok(Self {
            core: Core::new("resizing"),
            height,
            width,
            method: ResizeMethod::Bilinear,
            antialias: false,
            ratio: Ratio::Changed,
            fill_value: 0.0,
            data_format: DataFormat::ChannelsLast,
        })
    }

    /// How pixels between pixels are made, [`ResizeMethod::Bilinear`] unless set.
    #[must_use]
    pub fn interpolation(mut self, interpolation: ResizeMethod) -> Self {
        self.method = interpolation;
        self
    }

    /// Whether images that are made smaller are filtered, so that fine patterns become gray instead of coarse ones.
    #[must_use]
    pub fn antialias(mut self, antialias: bool) -> Self {
        self.antialias = antialias;
        self
    }

    /// What the rest of the size has with [`pad_to_aspect_ratio`](Self::pad_to_aspect_ratio), 0 unless set.
    #[must_use]
    pub fn fill_value(mut self, fill_value: f64) -> Self {
        self.fill_value = fill_value;
        self
    }

    /// A layer whose ratio is treated in one way or not; two ways do not go together.
    fn with_ratio(mut self, ratio: Ratio, wanted: bool) -> Result<Self> {
        self.ratio = match (self.ratio, wanted) {
            (own, false) if own == ratio => Ratio::Changed,
            (own, false) => own,
            (own, true) if own == ratio || own == Ratio::Changed => ratio,
            (_, true) => {
                return Err(Error::invalid_argument("Resizing", "images are cut to the ratio or padded to it")
                    .got("crop_to_aspect_ratio and pad_to_aspect_ratio")
                    .expected("one of them"));
            }
        };
        Ok(self)
    }

    /// Images with margins, as broad on both sides, that bring them to the ratio of the size as near as whole pixels do.
    #[track_caller]
    fn padded(&self, x: &Tensor) -> Result<Tensor> {
        let (rows, columns) = (x.shape().dim(1), x.shape().dim(2));
        let margin = |own: Dim, wanted: Dim| (own.max(wanted) - own).floor_div(2);
        let above = margin(rows, beside(columns, self.height, self.width));
        let left = margin(columns, beside(rows, self.width, self.height));
        let none = [Dim::ZERO; 2];
        let value = cast_to(&Tensor::from(self.fill_value), x.dtype())?;
        engine::try_pad_value(x, vec![none, [above; 2], [left; 2], none], &value)
    }

    #[track_caller]
    fn apply(&self, x: &Tensor, _: &Call) -> Result<Outputs> {
        batched(&self.core, x, self.data_format, |x| {
            let fitting = match self.ratio {
                Ratio::Changed => x.clone(),
                Ratio::Cut => proportioned(x, [self.height, self.width])?,
                Ratio::Filled => self.padded(x)?,
            };
            let how = How::new(self.method).antialias(self.antialias);
            let y = try_resize(&fitting, (self.height, self.width), how)?;
            match x.dtype() {
                dtype if dtype == y.dtype() => Ok(y),
                dtype if dtype.is_integer() => engine::try_saturate_cast(&y.try_rint()?, dtype),
                dtype => engine::try_saturate_cast(&y, dtype),
            }
        })
    }
}

options! { Resizing:
    /// Whether images keep their ratio of width and height, and are cut around their middle to that of the size.
    pub fn crop_to_aspect_ratio, try_crop_to_aspect_ratio(this, crop: bool) {
        this = this.with_ratio(Ratio::Cut, crop)?;
        Ok(this)
    }

    /// Whether images keep their ratio of width and height, and are filled up on both sides to that of the size.
    pub fn pad_to_aspect_ratio, try_pad_to_aspect_ratio(this, pad: bool) {
        this = this.with_ratio(Ratio::Filled, pad)?;
        Ok(this)
    }

    /// What the rest of the size is filled with: [`FillMode::Constant`], as in Keras the only mode yet.
    pub fn fill_mode, try_fill_mode(this, fill_mode: FillMode) {
        let _ = &mut this;
        match fill_mode {
            FillMode::Constant => Ok(this),
            other => Err(Error::invalid_argument("Resizing", "`fill_mode` is not one that the layer has")
                .got(format!("{other:?}"))
                .expected("Constant")),
        }
    }
}

impl CenterCrop {
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
        let height = options::count("CenterCrop", "height", height).map_err(|e| e.at(here))?;
        let width = options::count("CenterCrop", "width", width).map_err(|e| e.at(here))?;
        Ok(Self { core: Core::new("center_crop"), height, width, data_format: DataFormat::ChannelsLast })
    }

    #[track_caller]
    fn apply(&self, x: &Tensor, _: &Call) -> Result<Outputs> {
        super::on_images(&self.core, x, self.data_format, |x| {
            let (rows, columns) = (x.shape().dim(1), x.shape().dim(2));
            let short = |own: Dim, wanted: usize| own.known_value().is_some_and(|own| own < wanted);
            if !short(rows, self.height) && !short(columns, self.width) {
                let (top, left) = ((rows - self.height).floor_div(2), (columns - self.width).floor_div(2));
                return try_crop_to_bounding_box(x, top, left, self.height, self.width);
            }
            let size = [self.height, self.width];
            cast_to(&try_resize(proportioned(x, size)?, (size[0], size[1]), ResizeMethod::Bilinear)?, x.dtype())
        })
    }
}
