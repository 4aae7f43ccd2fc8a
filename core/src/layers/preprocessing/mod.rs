//! Layers that prepare data: images turned, moved, cut and coloured at random, and numbers as categories.
//! Keras's preprocessing layers of these names; the random ones act while a model is trained, and pass images on else.

mod categories;
mod colour;
mod crop;
mod discretization;
mod erasing;
mod flip;
mod geometry;
mod histogram;
mod hues;
mod lookup;
mod mixing;
mod resizing;
mod sampling;
mod sharpness;
mod shear;
mod solarization;
mod tones;

pub use categories::{CategoryEncoding, CategoryMode};
pub use colour::{RandomBrightness, RandomContrast};
pub use crop::RandomCrop;
pub use discretization::Discretization;
pub use erasing::RandomErasing;
pub use flip::{FlipMode, RandomFlip};
pub use geometry::{RandomRotation, RandomTranslation, RandomZoom};
pub use histogram::{AutoContrast, Equalization};
pub use hues::{RandomHue, RandomSaturation};
pub use lookup::{
    AdaptData, Hashing, IntegerLookup, LookupMode, MaskValue, Salt, Split, Standardize, StringLookup, TextVectorization,
};
pub use mixing::{CutMix, MixUp};
pub use resizing::{CenterCrop, Resizing};
pub use sampling::{FillMode, ImageSampling};
pub use sharpness::RandomSharpness;
pub use shear::RandomShear;
pub use solarization::{RandomPosterization, Solarization};
pub use tones::{RandomGrayscale, RandomInvert};

use super::base::{Core, Outputs, misfit};
use engine::library::{Typed, cast_to};
use engine::random::{self, SeedGenerator};
use engine::{DataFormat, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

/// From where to where a random number may lie: two numbers, or one for as far below 0 as above.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Factor(f64, f64);

impl From<f64> for Factor {
    fn from(factor: f64) -> Self {
        Self(-factor.abs(), factor.abs())
    }
}

impl From<(f64, f64)> for Factor {
    fn from((a, b): (f64, f64)) -> Self {
        Self(a.min(b), a.max(b))
    }
}

impl From<i32> for Factor {
    fn from(factor: i32) -> Self {
        f64::from(factor).into()
    }
}

impl From<(i32, i32)> for Factor {
    fn from((a, b): (i32, i32)) -> Self {
        (f64::from(a), f64::from(b)).into()
    }
}

impl Factor {
    /// The range of layers for which one number alone stands for the numbers from 0 to it.
    fn above_zero(self) -> Self {
        if self.0 == -self.1 { Self(0.0, self.1) } else { self }
    }

    /// The range, if it lies within another.
    fn within(self, layer: &str, option: &str, low: f64, high: f64) -> Result<Self> {
        match low <= self.0 && self.1 <= high {
            true => Ok(self),
            false => Err(Error::invalid_argument(layer, format!("`{option}` is out of range"))
                .got(format!("from {} to {}", self.0, self.1))
                .expected(format!("numbers from {low} to {high}"))),
        }
    }

    /// One number of the range for each image, `[batch]`.
    #[track_caller]
    fn draw(self, batch: Dim, seeds: &SeedGenerator) -> Result<Tensor> {
        let shape = Shape::from_dims(&[batch])?;
        let share = random::try_stateless_uniform(shape, seeds.try_next()?, 0.0, 1.0, DType::F32)?;
        share.try_multiply(self.1 - self.0)?.try_add(self.0)
    }

    fn word(self) -> [u64; 2] {
        [self.0.to_bits(), self.1.to_bits()]
    }
}

/// Images as a batch with the channels last, in the layer's dtype, through a function, and back to their form. A single image is a batch
/// of one.
#[track_caller]
fn on_images(
    core: &Core,
    x: &Tensor,
    format: DataFormat,
    function: impl FnOnce(&Tensor) -> Result<Tensor>,
) -> Result<Outputs> {
    batched(core, &images(core, x)?, format, function)
}

/// As [`on_images`], in the dtype that the images have.
#[track_caller]
fn batched(
    core: &Core,
    x: &Tensor,
    format: DataFormat,
    function: impl FnOnce(&Tensor) -> Result<Tensor>,
) -> Result<Outputs> {
    check_images(core, x)?;
    let alone = x.rank() == 3;
    let batch = if alone { x.try_expand_dims(0)? } else { x.clone() };
    let y = match format {
        DataFormat::ChannelsLast => function(&batch)?,
        DataFormat::ChannelsFirst => {
            let last = engine::try_transpose(&batch, [0, 2, 3, 1])?;
            engine::try_transpose(&function(&last)?, [0, 3, 1, 2])?
        }
    };
    Ok(Outputs::one(if alone { engine::try_squeeze(&y, 0)? } else { y }))
}

/// Images in the layer's dtype; an error for what is neither an image nor a batch of some.
#[track_caller]
fn images(core: &Core, x: &Tensor) -> Result<Tensor> {
    check_images(core, x)?;
    cast_to(x, core.compute())
}

fn check_images(core: &Core, x: &Tensor) -> Result<()> {
    match x.rank() {
        3 | 4 => Ok(()),
        _ => Err(misfit(core.name(), "the input is neither an image nor a batch of images", x.ty(), "rank 3 or 4")),
    }
}

/// Writes the struct of a layer that changes images at random, with its constructor's field list, and what all of them have.
macro_rules! random_images {
    ($(#[$doc:meta])* $layer:ident, { $($field:ident: $ty:ty),* $(,)? }, |$this:ident, $x:ident| $apply:expr, |$of:ident| $word:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, engine::Duplicate)]
        pub struct $layer {
            core: $crate::layers::base::Core,
            $(#[module(value)] $field: $ty,)*
            #[module(value)]
            data_format: engine::DataFormat,
            seeds: engine::random::SeedGenerator,
        }

        $crate::layers::base::layer!($layer);
        $crate::layers::noise::seeded!($layer);

        impl $layer {
            /// Where the channels lie: last unless set.
            #[must_use]
            pub fn data_format(mut self, data_format: engine::DataFormat) -> Self {
                self.data_format = data_format;
                self
            }
        }

        impl $crate::layers::base::Layer for $layer {
            $crate::layers::base::named!();

            fn masking(&self) -> $crate::layers::base::Masking {
                $crate::layers::base::Masking::Refuses
            }

            #[track_caller]
            fn forward(
                &self,
                inputs: &[engine::Tensor],
                cx: &$crate::layers::base::Call,
            ) -> kernels::error::Result<$crate::layers::base::Outputs> {
                if !cx.is_training() {
                    return super::images(&self.core, &inputs[0]).map($crate::layers::base::Outputs::one);
                }
                let $this = self;
                super::on_images(&self.core, &inputs[0], self.data_format, |$x| $apply)
            }
        }

        impl engine::Module for $layer {
            fn visit(&self, fields: &mut engine::Fields<'_>) {
                let $of = self;
                self.core.visit(fields);
                fields.value(&(self.data_format, $word));
                fields.field("seed_generator", &self.seeds);
            }
        }
    };
}
use random_images;

/// Writes the struct of a layer that changes images by no chance, with its constructor's field list, and what all of them have; the layer's
/// own method `apply` does the work.
macro_rules! steady_images {
    ($(#[$doc:meta])* $layer:ident, { $($field:ident: $ty:ty),* $(,)? }, |$of:ident| $word:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $layer {
            core: $crate::layers::base::Core,
            $($field: $ty,)*
            data_format: engine::DataFormat,
        }

        $crate::layers::base::layer!($layer);
        $crate::layers::copied_by_clone!($layer);

        impl $layer {
            /// Where the channels lie: last unless set.
            #[must_use]
            pub fn data_format(mut self, data_format: engine::DataFormat) -> Self {
                self.data_format = data_format;
                self
            }
        }

        impl $crate::layers::base::Layer for $layer {
            $crate::layers::base::named!();

            fn masking(&self) -> $crate::layers::base::Masking {
                $crate::layers::base::Masking::Refuses
            }

            #[track_caller]
            fn forward(
                &self,
                inputs: &[engine::Tensor],
                cx: &$crate::layers::base::Call,
            ) -> kernels::error::Result<$crate::layers::base::Outputs> {
                self.apply(&inputs[0], cx)
            }
        }

        impl engine::Module for $layer {
            fn visit(&self, fields: &mut engine::Fields<'_>) {
                let $of = self;
                self.core.visit(fields);
                fields.value(&(self.data_format, $word));
            }
        }
    };
}
use steady_images;
