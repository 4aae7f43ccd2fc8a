//! `Dropout`: some values set to zero while a model is trained, the others raised so that the sum stays as it is.
//! Keras's `Dropout`; without training it passes its input on.

use super::base::{Call, Core, Layer, Masking, Outputs, layer, misfit, named};
use engine::library::Typed;
use engine::library::options;
use engine::random::{self, SeedGenerator};
use engine::{Duplicate, Fields, Module, Tensor};
use kernels::error::{OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

/// Sets a random share of the values to zero and divides the others by what is left, while the model is trained.
///
/// Which values that are comes from a state that the layer owns and a checkpoint of it goes on with. Which seed it
/// begins with follows from `tf::random::set_seed`, unless it is given a [`seed`](Self::seed).
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Dropout;
/// let dropout = Dropout::new(0.5);
/// let x = tf::ones([100]);
/// assert_eq!(dropout.call(&x).to_vec::<f32>(), [1.0; 100]);
/// assert!(dropout.call_training(&x, true).to_vec::<f32>().iter().all(|&y| y == 0.0 || y == 2.0));
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct Dropout {
    core: Core,
    rate: f64,
    noise_shape: Option<Vec<Option<usize>>>,
    seeds: SeedGenerator,
}

layer!(Dropout);

impl Dropout {
    /// A layer that drops `rate` of its input, from 0 to 1.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(rate: f64) -> Self {
        Self::try_new(rate).or_fail()
    }

    /// A layer that drops `rate` of its input, which may be no share.
    ///
    /// # Errors
    /// InvalidArgument for a rate that is not from 0 to 1.
    #[track_caller]
    pub fn try_new(rate: f64) -> Result<Self> {
        let here = Location::caller();
        let rate = options::share("Dropout", "rate", rate).map_err(|e| e.at(here))?;
        Ok(Self { core: Core::new("dropout"), rate, noise_shape: None, seeds: own_seeds()? })
    }

    /// The layer with a random state that begins with this seed. It is a variable that is not trained, under `seed_generator`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Dropout;
    /// let draw = || Dropout::new(0.5).seed(7).call_training(tf::ones([50]), true).to_vec::<f32>();
    /// assert_eq!(draw(), draw());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn seed(self, seed: impl Into<i128>) -> Self {
        self.seed_generator(SeedGenerator::new(seed))
    }

    /// The layer with these seeds, which others may share.
    #[must_use]
    pub fn seed_generator(self, seeds: SeedGenerator) -> Self {
        Self { seeds, ..self }
    }

    /// The shape of what is drawn, where some dimensions are dropped as a whole: 1 there, `None` for the input's own size. With
    /// `[None, Some(1), None]` all steps of a sequence lose the same features.
    #[must_use]
    pub fn noise_shape(mut self, shape: impl Into<Vec<Option<usize>>>) -> Self {
        self.noise_shape = Some(shape.into());
        self
    }

    #[track_caller]
    fn drawn_shape(&self, x: &Tensor) -> Result<Shape> {
        let Some(noise) = &self.noise_shape else { return Ok(*x.shape()) };
        if noise.len() != x.rank() {
            let expected = format!("rank {}, as the noise shape has", noise.len());
            return Err(misfit(self.core.name(), "the noise shape has another rank than the input", x.ty(), expected));
        }
        let sizes: Vec<Dim> =
            noise.iter().zip(x.shape().sizes()).map(|(size, &own)| size.map_or(own, Dim::known)).collect();
        Shape::from_dims(&sizes)
    }
}

/// Seeds for a layer that is given none. `tf::random::set_seed` tells which; draws of the global stream go on as they would.
#[track_caller]
pub(super) fn own_seeds() -> Result<SeedGenerator> {
    Ok(SeedGenerator::new(engine::library::layer_seed()))
}

impl Layer for Dropout {
    named!();

    fn masking(&self) -> Masking {
        Masking::Passes
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        if !cx.is_training() || self.rate == 0.0 {
            return Ok(Outputs::one(x.clone()));
        }
        if !x.dtype().is_floating() {
            let expected = "float16 to float64";
            return Err(misfit(self.core.name(), "only floating-point values can be raised", x.ty(), expected));
        }
        let shape = self.drawn_shape(x)?;
        if self.rate == 1.0 {
            // Nothing is left that could be raised.
            return engine::try_zeros_like(x).map(Outputs::one);
        }
        // In `float32` at least: fewer bits could not tell rates apart.
        let drawn = random::try_stateless_uniform(shape, self.seeds.try_next()?, 0.0, 1.0, x.dtype().compute())?;
        let kept = drawn.try_greater_equal(self.rate)?;
        let scale = engine::library::cast_to(&kept, x.dtype())?.try_multiply(1.0 / (1.0 - self.rate))?;
        x.try_multiply(&scale).map(Outputs::one)
    }
}

impl Module for Dropout {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.field("rate", &self.rate);
        fields.value(&self.noise_shape);
        fields.field("seed_generator", &self.seeds);
    }
}
