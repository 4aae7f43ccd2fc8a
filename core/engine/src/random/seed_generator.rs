//! `SeedGenerator`: another seed for the stateless functions at each call, from a state that a module keeps and checkpoints hold.
//! Layers that draw numbers own one, and user code.

use super::Generator;
use crate::tensor::Tensor;
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// Seeds for the `stateless_*` functions, another one at each call: Keras's `keras.random.SeedGenerator`.
///
/// It may be a field of a module. Its state is a variable that no optimizer trains, so that a checkpoint holds it and the seeds go on
/// where they were saved. Clones share the state; [`duplicate`](crate::module::Duplicate::duplicate) makes one of its own that goes on alike. Within a
/// traced function every run takes new seeds. The seeds themselves are not Keras's.
///
/// ```
/// use eagerflow as tf;
/// #[derive(tf::Module)]
/// struct Noise {
///     seeds: tf::random::SeedGenerator,
/// }
/// let noise = Noise { seeds: tf::random::SeedGenerator::new(1337) };
/// let draw = || tf::random::stateless_normal([2], noise.seeds.next(), 0.0, 1.0).to_vec::<f32>();
/// assert_ne!(draw(), draw());
/// ```
#[derive(Clone, Debug)]
pub struct SeedGenerator(pub(crate) Generator);

impl SeedGenerator {
    /// The same seeds in every run for the same number.
    #[track_caller]
    pub fn new(seed: impl Into<i128>) -> Self {
        Self(Generator::from_seed(seed))
    }

    /// Seeds that nobody can foresee.
    #[track_caller]
    pub fn from_entropy() -> Self {
        Self(Generator::from_non_deterministic_state())
    }

    /// The next seed: two numbers, `int64`. The state moves on.
    ///
    /// # Panics
    /// As [`try_next`](Self::try_next) fails.
    #[track_caller]
    pub fn next(&self) -> Tensor {
        self.try_next().or_fail()
    }

    /// The next seed: two numbers, `int64`. The state moves on.
    ///
    /// # Errors
    /// ResourceExhausted without memory.
    #[track_caller]
    pub fn try_next(&self) -> Result<Tensor> {
        let here = Location::caller();
        self.0.seed().map_err(|e| e.at(here))
    }
}
