//! `SpatialDropout1D`, `2D` and `3D`: whole channels set to zero while a model is trained.
//! Keras's layers of these names; behind convolutions, where neighbours in a channel are alike.

use super::seeded;
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, misfit, named};
use crate::layers::dropout::own_seeds;
use engine::library::{Typed, cast_to, options};
use engine::random::{self, SeedGenerator};
use engine::{DataFormat, Duplicate, Fields, Module, Tensor};
use kernels::error::{OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

/// Writes the layer of a rank.
macro_rules! spatial {
    ($(#[$doc:meta])* $layer:ident, $kind:literal, $rank:literal, $form:literal) => {
        $(#[$doc])*
        ///
        /// A random share of the channels of each example is zero, and the others are divided by what is left, while the model is trained:
        /// Tompson et al. 2015.
        #[derive(Clone, Debug, Duplicate)]
        pub struct $layer {
            core: Core,
            rate: f64,
            #[module(value)]
            data_format: DataFormat,
            seeds: SeedGenerator,
        }

        layer!($layer);
        seeded!($layer);

        impl $layer {
            /// A layer that drops `rate` of the channels, from 0 to 1.
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new(rate: f64) -> Self {
                Self::try_new(rate).or_fail()
            }

            /// A layer that drops `rate` of the channels, which may be no share.
            ///
            /// # Errors
            /// InvalidArgument for a rate that is not from 0 to 1.
            #[track_caller]
            pub fn try_new(rate: f64) -> Result<Self> {
                let here = Location::caller();
                let rate = options::share(stringify!($layer), "rate", rate).map_err(|e| e.at(here))?;
                let data_format = DataFormat::ChannelsLast;
                Ok(Self { core: Core::new($kind), rate, data_format, seeds: own_seeds()? })
            }
        }

        impl Layer for $layer {
            named!();

            fn masking(&self) -> Masking {
                Masking::Passes
            }

            #[track_caller]
            fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
                let x = &inputs[0];
                if x.rank() != $rank {
                    return Err(misfit(self.core.name(), "the input has another number of dimensions", x.ty(), $form));
                }
                if !cx.is_training() || self.rate == 0.0 {
                    return Ok(Outputs::one(x.clone()));
                }
                let first = self.data_format == DataFormat::ChannelsFirst;
                whole_channels(self.core.name(), x, self.rate, first, &self.seeds).map(Outputs::one)
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&(self.rate.to_bits(), self.data_format));
                fields.field("seed_generator", &self.seeds);
            }
        }
    };
}

/// The option of those that have rows and columns.
macro_rules! formats {
    ($($layer:ident),*) => {$(
        impl $layer {
            /// Where the channels lie: last unless set.
            #[must_use]
            pub fn data_format(mut self, data_format: DataFormat) -> Self {
                self.data_format = data_format;
                self
            }
        }
    )*};
}

spatial! {
    /// Dropout of whole channels of sequences `[batch, steps, channels]`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::SpatialDropout1D;
    /// let y = SpatialDropout1D::new(0.5).call_training(tf::ones([1, 2, 8]), true);
    /// assert_eq!(y.at(tf::s![0, 0, ..]).to_vec::<f32>(), y.at(tf::s![0, 1, ..]).to_vec::<f32>());
    /// ```
    SpatialDropout1D, "spatial_dropout1d", 3, "[batch, steps, channels]"
}

spatial! {
    /// Dropout of whole channels of images.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::SpatialDropout2D;
    /// let y = SpatialDropout2D::new(1.0).call_training(tf::ones([1, 2, 2, 3]), true);
    /// assert_eq!(y.to_vec::<f32>(), [0.0; 12]);
    /// ```
    SpatialDropout2D, "spatial_dropout2d", 4, "[batch, rows, columns, channels], or channels first"
}

spatial! {
    /// Dropout of whole channels of volumes.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::SpatialDropout3D;
    /// let x = tf::ones([1, 2, 2, 2, 3]);
    /// assert_eq!(SpatialDropout3D::new(0.5).call(&x).to_vec::<f32>(), x.to_vec::<f32>());
    /// ```
    SpatialDropout3D, "spatial_dropout3d", 5, "[batch, depth, rows, columns, channels], or channels first"
}

formats!(SpatialDropout2D, SpatialDropout3D);

/// One draw for each channel of each example.
#[track_caller]
fn whole_channels(layer: &str, x: &Tensor, rate: f64, first: bool, seeds: &SeedGenerator) -> Result<Tensor> {
    super::floats(layer, x)?;
    if rate == 1.0 {
        return engine::try_zeros_like(x);
    }
    let channels = if first { 1 } else { x.rank() - 1 };
    let mut sizes = vec![Dim::ONE; x.rank()];
    sizes[0] = x.shape().dim(0);
    sizes[channels] = x.shape().dim(channels);
    let drawn =
        random::try_stateless_uniform(Shape::from_dims(&sizes)?, seeds.try_next()?, 0.0, 1.0, x.dtype().compute())?;
    let kept = drawn.try_greater_equal(rate)?;
    x.try_multiply(&cast_to(&kept, x.dtype())?.try_multiply(1.0 / (1.0 - rate))?)
}
