//! Layers that disturb their input while a model is trained, and one that only adds to the loss.
//! Keras's regularization layers beside `Dropout`; each owns the state of its random numbers.

mod activity_regularization;
mod alpha_dropout;
mod gaussian;
mod spatial_dropout;

pub use activity_regularization::ActivityRegularization;
pub use alpha_dropout::AlphaDropout;
pub use gaussian::{GaussianDropout, GaussianNoise};
pub use spatial_dropout::{SpatialDropout1D, SpatialDropout2D, SpatialDropout3D};

use super::base::misfit;
use engine::Tensor;
use engine::library::Typed;
use kernels::error::Result;
use kernels::shape::{Dim, Shape};

/// Writes the options of a layer that owns the state of its random numbers in the field `seeds`.
macro_rules! seeded {
    ($($layer:ident),*) => {$(
        impl $layer {
            /// The layer with a random state that begins with this seed. It is a variable that is not trained, under `seed_generator`.
            #[must_use]
            #[track_caller]
            pub fn seed(self, seed: impl Into<i128>) -> Self {
                self.seed_generator(engine::random::SeedGenerator::new(seed))
            }

            /// The layer with these seeds, which others may share.
            #[must_use]
            pub fn seed_generator(self, seeds: engine::random::SeedGenerator) -> Self {
                Self { seeds, ..self }
            }
        }
    )*};
}
pub(in crate::layers) use seeded;

/// The shape of what is drawn for an input: its own, or one with sizes of the user's, `None` for the input's.
fn drawn_shape(layer: &str, x: &Tensor, noise: Option<&[Option<usize>]>) -> Result<Shape> {
    let Some(noise) = noise else { return Ok(*x.shape()) };
    if noise.len() != x.rank() {
        let expected = format!("rank {}, as the noise shape has", noise.len());
        return Err(misfit(layer, "the noise shape has another rank than the input", x.ty(), expected));
    }
    let sizes: Vec<Dim> =
        noise.iter().zip(x.shape().sizes()).map(|(size, &own)| size.map_or(own, Dim::known)).collect();
    Shape::from_dims(&sizes)
}

/// An error unless the input holds floats.
fn floats(layer: &str, x: &Tensor) -> Result<()> {
    match x.dtype().is_floating() {
        true => Ok(()),
        false => Err(misfit(layer, "only floating-point values can be disturbed", x.ty(), "float16 to float64")),
    }
}
