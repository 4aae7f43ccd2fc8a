//! `AlphaDropout`: dropout that keeps mean and variance of values that `selu` gives.
//! Keras's `AlphaDropout`; self-normalising networks have it in place of `Dropout`.

use super::{drawn_shape, floats, seeded};
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use crate::layers::dropout::own_seeds;
use engine::library::{cast_to, options};
use engine::random::{self, SeedGenerator};
use engine::{Duplicate, Fields, Module, Tensor};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// What `selu` goes to on the left: −α · scale.
const LEAST: f64 = -1.673_263_242_354_377_2 * 1.050_700_987_355_480_5;

/// Sets a random share of the values to what [`selu`](fn@crate::selu) goes to on the left, while the model is trained, then brings mean and
/// variance back to 0 and 1: Klambauer et al. 2017.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::AlphaDropout;
/// let layer = AlphaDropout::new(0.2).seed(7);
/// let x = tf::random::stateless_normal([10_000], [1, 2], 0.0, 1.0);
/// let y = layer.call_training(&x, true);
/// assert!(tf::reduce_mean(&y, ()).item::<f32>().abs() < 0.05);
/// assert_eq!(layer.call(&x).to_vec::<f32>(), x.to_vec::<f32>());
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct AlphaDropout {
    core: Core,
    rate: f64,
    noise_shape: Option<Vec<Option<usize>>>,
    seeds: SeedGenerator,
}

layer!(AlphaDropout);
seeded!(AlphaDropout);

impl AlphaDropout {
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
        let rate = options::share("AlphaDropout", "rate", rate).map_err(|e| e.at(here))?;
        Ok(Self { core: Core::new("alpha_dropout"), rate, noise_shape: None, seeds: own_seeds()? })
    }

    /// The shape of what is drawn, where some dimensions are dropped as a whole: 1 there, `None` for the input's own size.
    #[must_use]
    pub fn noise_shape(mut self, shape: impl Into<Vec<Option<usize>>>) -> Self {
        self.noise_shape = Some(shape.into());
        self
    }
}

impl Layer for AlphaDropout {
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
        floats(self.core.name(), x)?;
        let shape = drawn_shape(self.core.name(), x, self.noise_shape.as_deref())?;
        if self.rate == 1.0 {
            // Nothing is left whose variance could be brought back; the mean is 0.
            return engine::try_zeros_like(x).map(Outputs::one);
        }
        let drawn = random::try_stateless_uniform(shape, self.seeds.try_next()?, 0.0, 1.0, x.dtype().compute())?;
        let kept = cast_to(&drawn.try_greater_equal(self.rate)?, x.dtype())?;
        let factor = ((1.0 - self.rate) * (1.0 + self.rate * LEAST * LEAST)).powf(-0.5);
        let offset = -factor * LEAST * self.rate;
        let dropped = engine::try_subtract(1, &kept)?.try_multiply(LEAST)?;
        let y = x.try_multiply(&kept)?.try_add(&dropped)?;
        y.try_multiply(factor)?.try_add(offset).map(Outputs::one)
    }
}

impl Module for AlphaDropout {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(self.rate.to_bits(), &self.noise_shape));
        fields.field("seed_generator", &self.seeds);
    }
}
