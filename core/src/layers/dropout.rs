//! `Dropout`: some values set to zero while a model is trained, the others raised so that the sum stays as it is.
//! Keras's `Dropout`; without training it passes its input on.

use super::{Layer, callable, misfit, names};
use engine::library::Typed;
use engine::{Copies, Duplicate, Fields, Module};

use engine::Tensor;
use engine::library::options;
use engine::random::{self, SeedGenerator};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// Sets a random share of the values to zero and divides the others by what is left, while `training`.
///
/// Which values that are comes from the global random stream, which `tf::random::set_seed` sets; with [`seed`](Self::seed) from a
/// state that the layer owns, and a checkpoint of the layer goes on with.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Dropout;
/// let dropout = Dropout::new(0.5);
/// let x = tf::ones([100]);
/// assert_eq!(dropout.call(&x).to_vec::<f32>(), [1.0; 100]);
/// assert!(dropout.call_training(&x, true).to_vec::<f32>().iter().all(|&y| y == 0.0 || y == 2.0));
/// ```
#[derive(Clone, Debug)]
pub struct Dropout {
    name: String,
    rate: f64,
    seeds: Option<SeedGenerator>,
}

callable!(Dropout);

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
        Ok(Self { name: names::next("dropout"), rate, seeds: None })
    }

    /// The layer with a random state of its own, which begins with this seed. It is a variable that is not trained, under
    /// `seed_generator`.
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
        Self { seeds: Some(seeds), ..self }
    }
}

impl Layer for Dropout {
    fn layer_name(&self) -> &str {
        &self.name
    }

    #[track_caller]
    fn forward(&self, x: &Tensor, training: bool) -> Result<Tensor> {
        if !training || self.rate == 0.0 {
            return Ok(x.clone());
        }
        if !x.dtype().is_floating() {
            return Err(misfit(&self.name, "only floating-point values can be raised", x.ty(), "float16 to float64"));
        }
        if self.rate == 1.0 {
            // Nothing is left that could be raised.
            return engine::try_zeros_like(x);
        }
        let kept = self.draw(x)?.try_greater_equal(self.rate)?;
        let scale = engine::library::cast_to(&kept, x.dtype())?.try_multiply(1.0 / (1.0 - self.rate))?;
        x.try_multiply(&scale)
    }
}

impl Dropout {
    /// A number between 0 and 1 for each value, in `float32` at least: fewer bits could not tell rates apart.
    #[track_caller]
    fn draw(&self, x: &Tensor) -> Result<Tensor> {
        let dtype = x.dtype().compute();
        match &self.seeds {
            Some(seeds) => random::try_stateless_uniform(x.shape(), seeds.try_next()?, 0.0, 1.0, dtype),
            None => random::try_uniform(x.shape(), 0.0, 1.0, dtype, None),
        }
    }
}

impl Duplicate for Dropout {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        Self { seeds: self.seeds.duplicate_in(copies), ..self.clone() }
    }
}

impl Module for Dropout {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.field("rate", &self.rate);
        fields.field("seed_generator", &self.seeds);
    }
}
