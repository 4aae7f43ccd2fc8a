//! `GaussianNoise` and `GaussianDropout`: normal numbers added to the input, or multiplied with it, while a model is trained.
//! Keras's layers of these names.

use super::{floats, seeded};
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use crate::layers::dropout::own_seeds;
use engine::library::{cast_to, options};
use engine::random::{self, SeedGenerator};
use engine::{Duplicate, Fields, Module, Tensor};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// Writes a layer of one number, which is 0 for no noise.
macro_rules! gaussian {
    ($(#[$doc:meta])* $layer:ident, $kind:literal, $(#[$new:meta])* $option:ident, |$value:ident| $law:expr, $join:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Duplicate)]
        pub struct $layer {
            core: Core,
            $option: f64,
            seeds: SeedGenerator,
        }

        layer!($layer);
        seeded!($layer);

        impl $layer {
            $(#[$new])*
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new($option: f64) -> Self {
                Self::try_new($option).or_fail()
            }

            /// The layer for a number that may be out of range.
            ///
            /// # Errors
            /// InvalidArgument for a number that is not from 0 to 1.
            #[track_caller]
            pub fn try_new($option: f64) -> Result<Self> {
                let here = Location::caller();
                let $option = options::share(stringify!($layer), stringify!($option), $option).map_err(|e| e.at(here))?;
                Ok(Self { core: Core::new($kind), $option, seeds: own_seeds()? })
            }
        }

        impl Layer for $layer {
            named!();

            fn masking(&self) -> Masking {
                Masking::Passes
            }

            #[track_caller]
            fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
                let (x, $value) = (&inputs[0], self.$option);
                if !cx.is_training() || $value == 0.0 {
                    return Ok(Outputs::one(x.clone()));
                }
                floats(self.core.name(), x)?;
                let (mean, stddev): (f64, f64) = $law;
                let dtype = x.dtype().compute();
                let drawn = random::try_stateless_normal(x.shape(), self.seeds.try_next()?, mean, stddev, dtype)?;
                x.$join(&cast_to(&drawn, x.dtype())?).map(Outputs::one)
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.field(stringify!($option), &self.$option);
                fields.field("seed_generator", &self.seeds);
            }
        }
    };
}

gaussian! {
    /// Adds normal numbers of mean 0 and a standard deviation, while the model is trained.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::GaussianNoise;
    /// let layer = GaussianNoise::new(0.5);
    /// let x = tf::ones([4]);
    /// assert_eq!(layer.call(&x).to_vec::<f32>(), [1.0; 4]);
    /// assert_ne!(layer.call_training(&x, true).to_vec::<f32>(), [1.0; 4]);
    /// ```
    GaussianNoise, "gaussian_noise",
    /// Noise of a standard deviation from 0 to 1.
    stddev, |stddev| (0.0, stddev), try_add
}

gaussian! {
    /// Multiplies by normal numbers of mean 1 and the standard deviation √(rate / (1 − rate)), while the model is trained: Srivastava et
    /// al. 2014. As in Keras a rate of 1 gives no numbers.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::GaussianDropout;
    /// let layer = GaussianDropout::new(0.5);
    /// assert_eq!(layer.call_training(tf::zeros([4]), true).to_vec::<f32>(), [0.0; 4]);
    /// ```
    GaussianDropout, "gaussian_dropout",
    /// Noise of the variance that dropout of this rate has, from 0 to 1.
    rate, |rate| (1.0, (rate / (1.0 - rate)).sqrt()), try_multiply
}
