//! Pooling layers: `MaxPool2D`, the largest value of each window, and `GlobalAveragePooling2D`, the mean of each image.
//! Keras's layers of these names for `channels_last` images; they have no variables.

use super::base::{Call, Core, Layer, Masking, Outputs, layer, misfit, named};
use super::copied_by_clone;
use engine::Tensor;
use engine::library::Sized2;
use engine::library::Typed;
use engine::library::options::options;
use engine::library::{Pool, images_help};
use engine::{Fields, Module};
use engine::{Padding, Pair, keep_dims};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// The largest value of each window, channel by channel.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::MaxPool2D;
/// let x = tf::reshape(&tf::constant([1.0, 2.0, 3.0, 4.0]), [1, 2, 2, 1]);
/// assert_eq!(MaxPool2D::new(2).call(&x).to_vec::<f32>(), [4.0]);
/// ```
#[derive(Clone, Debug)]
pub struct MaxPool2D {
    core: Core,
    pool_size: Pair,
    strides: Option<Pair>,
    padding: Padding,
}

layer!(MaxPool2D);
copied_by_clone!(MaxPool2D, GlobalAveragePooling2D);

impl MaxPool2D {
    /// Windows of `pool_size` rows and columns, which may be one number or two, side by side.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(pool_size: impl Into<Pair>) -> Self {
        Self::try_new(pool_size).or_fail()
    }

    /// Windows of `pool_size` rows and columns, which may have no cells.
    ///
    /// # Errors
    /// InvalidArgument for a window without cells.
    #[track_caller]
    pub fn try_new(pool_size: impl Into<Pair>) -> Result<Self> {
        let here = Location::caller();
        let pool_size = pool_size.into();
        pool_size.sizes("MaxPool2D", "the window's sizes").map_err(|e| e.at(here))?;
        Ok(Self { core: Core::new("max_pooling2d"), pool_size, strides: None, padding: Padding::Valid })
    }

    /// The layer, if its options are possible.
    fn checked(self) -> Result<Self> {
        Pool::new("MaxPool2D", self.pool_size, self.strides.unwrap_or(self.pool_size), self.padding)?;
        Ok(self)
    }
}

options! { MaxPool2D:
    /// How far a window is from the next; its own size unless set.
    pub fn strides, try_strides(this, strides: impl Into<Pair>) {
        this.strides = Some(strides.into());
        this.checked()
    }

    /// What lies around the images.
    pub fn padding, try_padding(this, padding: Padding) {
        this.padding = padding;
        this.checked()
    }
}

impl Default for MaxPool2D {
    /// Keras's default: windows of 2 by 2.
    fn default() -> Self {
        Self::new(2)
    }
}

impl Layer for MaxPool2D {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        images(self.core.name(), x)?;
        x.try_max_pool2d(self.pool_size, self.strides.unwrap_or(self.pool_size), self.padding).map(Outputs::one)
    }
}

impl Module for MaxPool2D {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(self.pool_size, self.strides, self.padding));
    }
}

/// The mean over all pixels, channel by channel.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::GlobalAveragePooling2D;
/// let x = tf::reshape(&tf::constant([1.0, 2.0, 3.0, 6.0]), [1, 2, 2, 1]);
/// assert_eq!(GlobalAveragePooling2D::new().call(&x).to_vec::<f32>(), [3.0]);
/// ```
#[derive(Clone, Debug)]
pub struct GlobalAveragePooling2D {
    core: Core,
    keepdims: bool,
}

layer!(GlobalAveragePooling2D);

impl GlobalAveragePooling2D {
    /// The layer, whose output is `[batch, channels]`.
    pub fn new() -> Self {
        Self { core: Core::new("global_average_pooling2d"), keepdims: false }
    }

    /// Whether rows and columns stay as dimensions of size 1.
    pub fn keepdims(mut self, keepdims: bool) -> Self {
        self.keepdims = keepdims;
        self
    }
}

impl Default for GlobalAveragePooling2D {
    fn default() -> Self {
        Self::new()
    }
}

impl Layer for GlobalAveragePooling2D {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        images(self.core.name(), x)?;
        let mean = match self.keepdims {
            true => x.try_reduce_mean(keep_dims([1, 2])),
            false => x.try_reduce_mean([1, 2]),
        };
        mean.map(Outputs::one)
    }
}

impl Module for GlobalAveragePooling2D {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.keepdims);
    }
}

/// An error unless the input is a batch of images.
fn images(layer: &str, x: &Tensor) -> Result<()> {
    match x.rank() {
        4 => Ok(()),
        rank => Err(misfit(layer, "the input is no batch of images", x.ty(), "[batch, rows, columns, channels]")
            .help(images_help(rank))),
    }
}
